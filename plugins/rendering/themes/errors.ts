import { defineErrors } from '../../../kernel/index.ts'

/** The errors of themes. */
export const errors = defineErrors({
  rest_cannot_view_themes: [403, 'You may not see the themes: that needs the right to switch them.'],
  rest_cannot_view_active_theme: [403, 'You may not see the theme in use: that needs the right to write content.'],
  rest_theme_not_found: [404, 'There is no theme of this name.'],
})
