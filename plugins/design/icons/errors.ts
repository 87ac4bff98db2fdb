import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `icons`. */
export const errors = defineErrors({
  rest_cannot_view: [403, 'Sorry, you are not allowed to view icons.'],
  rest_icon_not_found: [404, 'No icon with this name.'],
  rest_icon_collection_not_found: [404, 'No icon collection with this slug.'],
  ICON_INVALID: (name: string, reason: string) => `The icon "${name}" cannot be registered: ${reason}.`,
})
