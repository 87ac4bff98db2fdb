import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `navigation`. */
export const errors = defineErrors({
  rest_cannot_create: [403, 'You may not create navigations: the one to fall back to would be made for you.'],
  no_fallback_menu: [404, 'There is no navigation to fall back to.'],
})
