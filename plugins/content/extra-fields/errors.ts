import { defineErrors } from '../../../kernel/index.ts'

/** The errors of registered fields. */
export const errors = defineErrors({
  FIELD_FAILED: (plugin: string, attribute: string, objectType: string) =>
    `The field ${attribute} that ${plugin} registered for ${objectType} failed.`,
})
