import { ITEM_TYPES, MENU_ITEM_KEYS as KEYS, type StoredItem } from '../../content/menu-items.ts'
import type { LeanPost, Post } from '../../content/posts/index.ts'

export {
  ITEM_POST_TYPE,
  ITEM_TYPES,
  MENU_TAXONOMY,
  metaOfItem,
  type MenuItemType,
  type StoredItem,
} from '../../content/menu-items.ts'

/** A menu item as shown to a reader. */
export interface MenuItem extends StoredItem {
  readonly id: number
  /** Its own title, or the title of its target; not escaped. */
  readonly title: string
  readonly status: string
  readonly attr_title: string
  readonly description: string
  readonly menu_order: number
  /** Display name of the kind of target. */
  readonly type_label: string
  /** Whether the target is missing or not readable for the user. */
  readonly invalid: boolean
  /** ID of its menu; 0 for none. */
  readonly menu: number
}

/** Meta keys of the target and the parent item. */
export const { object_id: OBJECT_KEY, type: TYPE_KEY, parent: PARENT_KEY } = KEYS

/** Meta key for the time an item was created without a menu. */
export const ORPHANED_KEY = '_menu_item_orphaned'

/** Returns the stored fields of an item from its meta values by key. */
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

/** Returns the words of a list or text. Without words, returns one empty text, as clients expect. */
function wordsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(/\s+/) : []
  return words.length === 0 ? [''] : words
}
