import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `view-config`. */
export const errors = defineErrors({
  rest_cannot_read: [403, 'Sorry, you are not allowed to edit items of this kind.'],
  rest_view_config_invalid_entity: [404, 'No content type with this name.'],
  VIEW_CONFIG_INVALID: (kind: string, name: string) =>
    `The view config of "${kind}" "${name}" needs a kind and a name.`,
})
