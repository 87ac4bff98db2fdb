import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of registered fields. */
export const errors = defineErrors({
  FIELD_INVALID: (plugin: string, attribute: string, objectType: string, why: string) =>
    `${plugin} registers the field ${attribute} of ${objectType} wrongly: ${sentence(why)}`,
  FIELD_FAILED: (plugin: string, attribute: string, objectType: string) =>
    `The field ${attribute} that ${plugin} registered for ${objectType} failed.`,
  FIELD_INDEX_MISSING: (attribute: string) =>
    `Lists cannot go by the field ${attribute}: say in index by which type and value they know it.`,
  FIELD_INDEX_INVALID: (attribute: string, why: string) => `Lists cannot go by the field ${attribute}: ${why}`,
})
