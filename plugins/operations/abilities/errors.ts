import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of abilities. */
export const errors = defineErrors({
  ABILITY_INVALID: (name: string, why: string) => `"${name}" cannot be registered: ${sentence(why)}`,
  ABILITY_CATEGORY_TAKEN: (slug: string, owner: string) =>
    `The category "${slug}" of abilities is there already: it is one of ${owner}. Choose another slug.`,
  rest_ability_not_found: [404, 'There is no ability of this name.'],
  rest_ability_category_not_found: [404, 'There is no category of abilities with this slug.'],
  rest_ability_invalid_method: [405, (name: string, method: string) => `The ability ${name} is run by ${method}.`],
  rest_ability_cannot_execute: [403, 'You may not run this ability with this input.'],
  ability_invalid_input: [400, (name: string, why: string) => `The input of the ability ${name} is wrong: ${why}`],
  rest_forbidden: [403, 'You may not see the abilities of this site: log in.'],
})
