import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `menus`. */
export const errors = defineErrors({
  rest_cannot_view: [403, 'Sorry, you are not allowed to view menus.'],
  rest_menu_location_invalid: [404, 'No menu location with this name.'],
  rest_invalid_menu_location: [400, (name: string) => `There is no menu location "${name}".`],
  rest_post_invalid_page_number: [400, 'The page number is larger than the number of pages of menu items.'],
  invalid_menu_id: [400, (id: string) => `No menu has the ID ${id}.`],
  rest_term_invalid_id: [400, 'The menu item needs the ID of a term, or the name of a taxonomy.'],
  rest_post_invalid_id: [400, 'The menu item needs the ID of a post that you can read, or the name of a content type.'],
  rest_post_invalid_type: [400, (name: string) => `There is no content type "${name}" with an archive.`],
  menu_exists: [400, 'A menu with this name already exists: choose another name.'],
  rest_title_required: [400, 'A custom link needs a title.'],
  rest_url_required: [400, 'A custom link needs a URL.'],
  rest_forbidden_context: [403, 'Sorry, you are not allowed to edit menu items.'],
})
