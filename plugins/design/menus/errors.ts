import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `menus`. */
export const errors = defineErrors({
  rest_cannot_view: [403, 'Sorry, you are not allowed to view menus.'],
  rest_menu_location_invalid: [404, 'No menu location with this name.'],
  rest_invalid_menu_location: [400, (name: string) => `There is no menu location "${name}".`],
  rest_post_invalid_page_number: [400, 'The page number is larger than the number of pages of menu items.'],
  menu_exists: [400, 'A menu with this name already exists: choose another name.'],
  rest_title_required: [400, 'A custom link needs a title.'],
  rest_url_required: [400, 'A custom link needs a URL.'],
  rest_forbidden_context: [403, 'Sorry, you are not allowed to edit menu items.'],
})
