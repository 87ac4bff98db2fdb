import type { LeanPost, Post } from '../../content/posts/index.ts'

/** What a menu item leads to. */
export const ITEM_TYPES = ['taxonomy', 'post_type', 'post_type_archive', 'custom'] as const
export type MenuItemType = (typeof ITEM_TYPES)[number]

/** The type of the posts that menu items are stored as, and the taxonomy whose terms are the menus. */
export const ITEM_POST_TYPE = 'nav_menu_item'
export const MENU_TAXONOMY = 'nav_menu'

/** What a menu item keeps beside its post. */
export interface StoredItem {
  readonly type: MenuItemType
  /** Name of the content type or taxonomy; `custom` for a URL. */
  readonly object: string
  /** ID of the post or term; its own for a URL. */
  readonly object_id: number
  /** The item above; 0 for none. */
  readonly parent: number
  readonly target: string
  readonly classes: readonly string[]
  readonly xfn: readonly string[]
  /** Of an item that leads to a URL. */
  readonly url: string
}

/** A menu item as readers see it. */
export interface MenuItem extends StoredItem {
  readonly id: number
  /** Its own, or that of the post, term or archive that it leads to. As it is written. */
  readonly title: string
  readonly status: string
  readonly attr_title: string
  readonly description: string
  readonly menu_order: number
  /** What it leads to, in words. */
  readonly type_label: string
  /** Whether what it leads to is gone, or not for the reader. */
  readonly invalid: boolean
  /** ID of its menu; 0 for none. */
  readonly menu: number
}

const KEYS = {
  type: '_menu_item_type',
  object: '_menu_item_object',
  object_id: '_menu_item_object_id',
  parent: '_menu_item_menu_item_parent',
  target: '_menu_item_target',
  classes: '_menu_item_classes',
  xfn: '_menu_item_xfn',
  url: '_menu_item_url',
} as const

/** The keys of what an item leads to, and of the item above it. */
export const { object_id: OBJECT_KEY, type: TYPE_KEY, parent: PARENT_KEY } = KEYS

/** When an item came to be without a menu. */
export const ORPHANED_KEY = '_menu_item_orphaned'

/** What is stored of an item, of its meta by key. */
export function storedItem({ id }: LeanPost | Post, meta: ReadonlyMap<string, unknown>): StoredItem {
  const text = (name: keyof typeof KEYS) => {
    const value = meta.get(KEYS[name])
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const type = ITEM_TYPES.find((one) => one === text('type')) ?? 'custom'
  return {
    type,
    object: text('object') || (type === 'custom' ? 'custom' : ''),
    object_id: type === 'custom' ? id : Number(text('object_id')) || 0,
    parent: Number(text('parent')) || 0,
    target: text('target'),
    classes: wordsOf(meta.get(KEYS.classes)),
    xfn: wordsOf(meta.get(KEYS.xfn)),
    url: text('url'),
  }
}

/** The meta of an item, as it is stored and exported. */
export function metaOfItem(item: StoredItem): Record<string, readonly unknown[]> {
  const { type, object, object_id: objectId, parent, target, classes, xfn, url } = item
  return {
    [KEYS.type]: [type],
    [KEYS.object]: [object],
    [KEYS.object_id]: [String(objectId)],
    [KEYS.parent]: [String(parent)],
    [KEYS.target]: [target],
    [KEYS.classes]: [classes],
    [KEYS.xfn]: [xfn.join(' ')],
    [KEYS.url]: [type === 'custom' ? url : ''],
  }
}

/** The words of a list, or of a text; without any there is one that is empty, as clients know it. */
function wordsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(/\s+/) : []
  return words.length === 0 ? [''] : words
}
