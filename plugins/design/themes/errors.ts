import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `themes`. */
export const errors = defineErrors({
  THEME_UNKNOWN: (name: string) => `There is no theme ${name}: list them with "svc themes".`,
  rest_cannot_view_themes: [403, 'You may not read the themes: you may not switch them.'],
  rest_cannot_view_active_theme: [403, 'You may not read the active theme: you may not edit posts of any type.'],
  rest_theme_not_found: [404, 'No theme with this slug.'],
})
