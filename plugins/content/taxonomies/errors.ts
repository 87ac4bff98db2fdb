import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of taxonomies. */
export const errors = defineErrors({
  TAXONOMY_INVALID: (name: string) =>
    `A taxonomy cannot be named "${name}": use 1 to 32 lower-case letters, digits, hyphens and underscores.`,
  TAXONOMY_DEFINITION_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the taxonomy ${name} wrongly: ${sentence(reason)}`,
  TAXONOMY_UNKNOWN: (name: string) => `The taxonomy ${name} cannot be changed: register it first.`,
  rest_cannot_view: [403, 'context=edit requires the right to assign terms of at least one taxonomy.'],
  rest_taxonomy_invalid: [404, 'No taxonomy with this name.'],
  rest_forbidden_context: [403, 'context=edit requires the right to assign terms of this taxonomy.'],
})
