import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `global-styles`. */
export const errors = defineErrors({
  rest_cannot_read_global_styles: [403, 'You may not read the styles of themes: you may not edit posts of any type.'],
  rest_cannot_view: [403, 'You may not read these styles.'],
  rest_forbidden_context: [403, 'You may not change these styles, so they are not shown in the context edit.'],
  rest_cannot_edit: [403, 'You may not change these styles.'],
  rest_cannot_edit_css: [403, 'You may not change CSS.'],
  rest_custom_css_illegal_markup: [400, 'CSS must have no markup in it, such as "<style>".'],
  rest_global_styles_not_found: [404, 'No global styles with this ID.'],
  rest_theme_not_found: [404, 'This theme is not in use.'],
})
