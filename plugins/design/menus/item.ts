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

/** The words of a list, or of a text; without any there is one that is empty, as clients know it. */
function wordsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(/\s+/) : []
  return words.length === 0 ? [''] : words
}
