/** Kinds of targets a menu item can link to. */
export const ITEM_TYPES = ['taxonomy', 'post_type', 'post_type_archive', 'custom'] as const
export type MenuItemType = (typeof ITEM_TYPES)[number]

/** Content type of menu items, and the taxonomy whose terms are the menus. */
export const ITEM_POST_TYPE = 'nav_menu_item'
export const MENU_TAXONOMY = 'nav_menu'

/** Properties that a menu item has in addition to its post. */
export interface StoredItem {
  readonly type: MenuItemType
  /** Name of the content type or taxonomy; `custom` for a URL. */
  readonly object: string
  /** ID of the linked post or term; the ID of the item itself for a URL. */
  readonly object_id: number
  /** ID of the parent item; 0 for none. */
  readonly parent: number
  readonly target: string
  readonly classes: readonly string[]
  readonly xfn: readonly string[]
  /** Empty unless `type` is `custom`. */
  readonly url: string
}

/** Option that maps theme locations to menus. */
export const LOCATIONS_OPTION = 'menu_locations'

/** Meta keys of a menu item. */
export const MENU_ITEM_KEYS = {
  type: '_menu_item_type',
  object: '_menu_item_object',
  object_id: '_menu_item_object_id',
  parent: '_menu_item_menu_item_parent',
  target: '_menu_item_target',
  classes: '_menu_item_classes',
  xfn: '_menu_item_xfn',
  url: '_menu_item_url',
} as const

/** The meta of an item in its stored and exported form. */
export function metaOfItem(item: StoredItem): Record<string, readonly unknown[]> {
  const { type, object, object_id: objectId, parent, target, classes, xfn, url } = item
  return {
    [MENU_ITEM_KEYS.type]: [type],
    [MENU_ITEM_KEYS.object]: [object],
    [MENU_ITEM_KEYS.object_id]: [String(objectId)],
    [MENU_ITEM_KEYS.parent]: [String(parent)],
    [MENU_ITEM_KEYS.target]: [target],
    [MENU_ITEM_KEYS.classes]: [classes],
    [MENU_ITEM_KEYS.xfn]: [xfn.join(' ')],
    [MENU_ITEM_KEYS.url]: [type === 'custom' ? url : ''],
  }
}
