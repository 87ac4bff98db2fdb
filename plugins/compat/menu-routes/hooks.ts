import { filter, type Filter, type HookSpecs, type MenuItem, type Post, type RestRequest } from '../../public.ts'

/** Hooks of the plugin `menu-routes`. */
interface MenuRouteHooks {
  /**
   * Filter: the fields of an item in `menus/v1`, without the items below it. Taps run for all items of a menu at the
   * same time, so loaders read their data in one statement. @since 0.1.0
   */
  rest_menu_routes_item: Filter<Record<string, unknown>, [item: MenuItem, post: Post, request: RestRequest]>
  /** Filter: the items of a menu on one level in `menus/v1`. Taps can add, replace and remove items. @since 0.1.0 */
  rest_menu_routes_items: Filter<readonly Record<string, unknown>[], [request: RestRequest]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends MenuRouteHooks {}
}

export const menuRouteHooks: HookSpecs<MenuRouteHooks> = {
  rest_menu_routes_item: filter('data', 'item', 'post', 'request'),
  rest_menu_routes_items: filter('items', 'request'),
}
