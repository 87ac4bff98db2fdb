import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  ABILITY_INVALID: (name: string, reason: string) => `"${name}" cannot be registered: ${sentence(reason)}`,
  ABILITY_CATEGORY_TAKEN: (slug: string, owner: string) =>
    `The ability category "${slug}" is already registered by ${owner}. Choose another slug.`,
  rest_ability_not_found: [404, 'No ability has this name.'],
  rest_ability_category_not_found: [404, 'No ability category has this slug.'],
  rest_ability_invalid_method: [
    405,
    (name: string, method: string) => `The ability ${name} requires the method ${method}.`,
  ],
  rest_ability_cannot_execute: [403, 'Sorry, you are not allowed to run this ability with this input.'],
  ability_invalid_input: [
    400,
    (name: string, reason: string) => `The input of the ability ${name} is invalid: ${reason}`,
  ],
  rest_forbidden: [403, 'Sorry, you are not allowed to list the abilities of this site. Log in.'],
})
