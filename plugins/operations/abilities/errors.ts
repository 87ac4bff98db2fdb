import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of abilities. */
export const errors = defineErrors({
  ABILITY_INVALID: (name: string, why: string) => `The ability "${name}" cannot be registered: ${sentence(why)}`,
  rest_forbidden: [403, 'You may not see what this site can do: log in.'],
  rest_ability_not_found: [404, 'There is no ability of this name.'],
  rest_ability_category_not_found: [404, 'There is no category of abilities of this name.'],
  rest_ability_invalid_method: [405, (method: string) => `This ability is run by ${method}.`],
  rest_ability_cannot_execute: [403, 'You may not run this ability with this input.'],
  ability_invalid_input: [400, (why: string) => `The input is not what the ability takes: ${sentence(why)}`],
  ability_missing_input_schema: [400, 'The ability takes no input.'],
  ability_invalid_output: (name: string) =>
    `The result of the ability ${name} is not what its output_schema says, and is not sent. The log says what is wrong.`,
})
