import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `navigation`. */
export const errors = defineErrors({
  rest_cannot_create: [403, 'Sorry, you are not allowed to create navigation menus, which this request can do.'],
  no_fallback_menu: [404, 'There is no fallback navigation menu.'],
})
