import { filter, type Filter, type HookSpecs, type RestRequest } from '../../../kernel/index.ts'

/** What a request is about to read of menus. */
export interface MenuReading {
  /** IDs of the menus. */
  readonly menus: readonly number[]
  /** Names of the locations. */
  readonly locations: readonly string[]
}

/** The hooks of menus. */
interface MenuHooks {
  /**
   * Filter: whether a request may read some menus, or locations of menus, which else only those may who write posts, or
   * edit the theme. Lists that are not limited to menus tell of none. @since 0.1.0
   */
  rest_menu_read_access: Filter<boolean, [request: RestRequest, reading: MenuReading]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends MenuHooks {}
}

export const menuHooks: HookSpecs<MenuHooks> = {
  rest_menu_read_access: filter('permitted', 'request', 'reading'),
}
