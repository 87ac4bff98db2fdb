import { filter, type Filter, type HookSpecs, type RequestCache, type RestRequest } from '../../../kernel/index.ts'

/** Menus and locations that a request is about to read. */
export interface MenuReading {
  /** IDs of the menus. */
  readonly menus: readonly number[]
  /** Names of the locations. */
  readonly locations: readonly string[]
}

/** Hooks of the plugin `menus`. */
interface MenuHooks {
  /**
   * Filter: whether a request can read menus or menu locations. By default, only users who can edit posts or the theme
   * can. `reading` is empty for lists that are not limited to certain menus. @since 0.1.0
   */
  rest_menu_read_access: Filter<boolean, [request: RestRequest, reading: MenuReading]>
  /**
   * Filter: the IDs of the assigned menus by location. Taps can assign other menus, for example by the language of a
   * page. `scope` is the cache of the request or page that shows them; null outside of one. @since 0.1.0
   */
  menu_assignments: Filter<ReadonlyMap<string, number>, [scope: RequestCache | null]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends MenuHooks {}
}

export const menuHooks: HookSpecs<MenuHooks> = {
  rest_menu_read_access: filter('permitted', 'request', 'reading'),
  menu_assignments: filter('assigned', 'scope'),
}
