import { defineErrors } from '../../../kernel/index.ts'

/** The errors of taxonomies. */
export const errors = defineErrors({
  TAXONOMY_INVALID: [
    500,
    (name: string) =>
      `A taxonomy cannot be named "${name}": take 1 to 32 lower-case letters, digits, hyphens and underscores.`,
  ],
  TAXONOMY_UNKNOWN: [500, (name: string) => `There is no taxonomy ${name} to change: register it first.`],
  rest_cannot_view: [403, 'You may not see terms as their editors do: that needs the right to give content some.'],
  rest_taxonomy_invalid: [404, 'There is no taxonomy of this name.'],
  rest_forbidden_context: [403, 'You may not see this taxonomy as its editors do.'],
})
