import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `menus`. */
export const errors = defineErrors({
  rest_cannot_view: [403, 'You may not see the menus of this site.'],
  rest_menu_location_invalid: [404, 'No location of menus with this name.'],
  rest_invalid_menu_location: [400, (name: string) => `There is no location of menus called ${name}.`],
  rest_post_invalid_page_number: [400, 'The list of menu items has fewer pages than that.'],
  menu_exists: [400, 'A menu of this name is there already: choose another name, or use that menu.'],
  rest_title_required: [400, 'A menu item that leads anywhere needs a title.'],
  rest_url_required: [400, 'A menu item that leads anywhere needs a URL.'],
  rest_forbidden_context: [403, 'You may not see menu items as they are edited.'],
})
