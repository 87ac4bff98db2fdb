import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  FIELD_INVALID: (plugin: string, attribute: string, objectType: string, reason: string) =>
    `${plugin} registers the field ${attribute} of ${objectType} wrongly: ${sentence(reason)}`,
  FIELD_FAILED: (plugin: string, attribute: string, objectType: string) =>
    `The field ${attribute} that ${plugin} registered for ${objectType} failed.`,
  FIELD_INDEX_MISSING: (attribute: string) =>
    `The field ${attribute} cannot be filterable or sortable: define its type and value in index.`,
  FIELD_INDEX_INVALID: (attribute: string, reason: string) =>
    `The field ${attribute} cannot be filterable or sortable: ${reason}`,
})
