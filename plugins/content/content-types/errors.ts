import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of content types and statuses. */
export const errors = defineErrors({
  CONTENT_TYPE_INVALID: (name: string) =>
    `A content type cannot be named "${name}": use 1 to 20 lower-case letters, digits, hyphens and underscores.`,
  CONTENT_TYPE_DEFINITION_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the content type ${name} wrongly: ${sentence(reason)}`,
  STATUS_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the status ${name} wrongly: ${sentence(reason)}`,
  CONTENT_TYPE_UNKNOWN: (name: string) => `The content type ${name} cannot be changed: register it first.`,
  rest_cannot_view: [403, 'context=edit requires the right to edit posts of at least one type.'],
  rest_type_invalid: [404, 'No content type with this name.'],
  rest_cannot_read_type: [403, 'You may not read this content type.'],
  rest_forbidden_context: [403, 'context=edit requires the right to edit posts of this type.'],
  rest_status_invalid: [404, 'No status with this name.'],
  rest_cannot_read_status: [403, 'You may not read this status.'],
})
