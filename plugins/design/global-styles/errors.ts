import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `global-styles`. */
export const errors = defineErrors({
  rest_cannot_read_global_styles: [403, 'Sorry, you are not allowed to view the styles of themes.'],
  rest_cannot_view: [403, 'Sorry, you are not allowed to view these styles.'],
  rest_forbidden_context: [403, 'Sorry, you are not allowed to edit these styles.'],
  rest_cannot_edit: [403, 'Sorry, you are not allowed to edit these styles.'],
  rest_cannot_edit_css: [403, 'Sorry, you are not allowed to edit custom CSS.'],
  rest_custom_css_illegal_markup: [400, 'Remove markup such as "<style>" from the CSS.'],
  rest_global_styles_not_found: [404, 'No global styles with this ID.'],
  rest_theme_not_found: [404, 'The theme is not active.'],
})
