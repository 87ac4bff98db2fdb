import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `themes`. */
export const errors = defineErrors({
  THEME_UNKNOWN: (name: string) => `There is no theme "${name}": list the themes with "svc themes".`,
  rest_cannot_view_themes: [403, 'Sorry, you are not allowed to view themes.'],
  rest_cannot_view_active_theme: [403, 'Sorry, you are not allowed to view the active theme.'],
  rest_theme_not_found: [404, 'No theme with this slug.'],
})
