import { defineErrors } from '../../../kernel/index.ts'

/** The errors of content types and statuses. */
export const errors = defineErrors({
  CONTENT_TYPE_INVALID: [
    500,
    (name: string) =>
      `A content type cannot be named "${name}": take 1 to 20 lower-case letters, digits, hyphens and underscores.`,
  ],
  CONTENT_TYPE_UNKNOWN: [500, (name: string) => `There is no content type ${name} to change: register it first.`],
  rest_cannot_view: [403, 'You may not see content as its editors do: that needs the right to edit some of it.'],
  rest_type_invalid: [404, 'There is no content type of this name.'],
  rest_cannot_read_type: [403, 'You may not see this content type.'],
  rest_forbidden_context: [403, 'You may not see content of this type as its editors do.'],
  rest_status_invalid: [404, 'There is no status of this name.'],
  rest_cannot_read_status: [403, 'You may not see this status.'],
})
