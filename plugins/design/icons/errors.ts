import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `icons`. */
export const errors = defineErrors({
  rest_cannot_view: [403, 'You may not see icons: you may not edit posts of any type.'],
  rest_icon_not_found: [404, 'No icon with this name.'],
  rest_icon_collection_not_found: [404, 'No icon collection with this slug.'],
  ICON_INVALID: (name: string, why: string) => `The icon "${name}" cannot be registered: ${why}.`,
})
