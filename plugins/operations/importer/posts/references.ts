import { THUMBNAIL_KEY } from '../../../content/meta-keys.ts'
import { padded, type ImportContext } from '../context.ts'
import type { ImportedTerms } from '../terms.ts'
import type { ImportedUsers } from '../users/users.ts'
import type { WxrItem } from '../wxr/types.ts'
import { namesUsersOrTerms, type ImportedIds } from './block-ids.ts'
import type { ItemIds } from './item-ids.ts'
import { mapTextIds } from './text-ids.ts'

/** Objects that texts and meta can refer to. */
export interface ReferenceTargets {
  readonly users: ImportedUsers
  readonly terms: ImportedTerms
  readonly ids: ItemIds
}

/** Texts read in one query to resolve references. */
const BATCH_TEXTS = 32
/** Meta keys that hold the ID of an item, or of the target of a menu item. */
const KEYS = [THUMBNAIL_KEY, '_menu_item_menu_item_parent', '_menu_item_object_id'] as const
/** Note about a reference whose target is not imported. */
const LOST = 'reference to an object that is not in the file; removed'
/** Note about a block of a plugin with an ambiguous ID. */
const UNCLEAR_ID_NOTE = 'block of a plugin whose "id" may refer to an object of the file; unchanged'

/** Maps the IDs in meta and texts of items to IDs of this site. Targets may come later in the file. */
export class References {
  readonly #context: ImportContext
  readonly #parts: ReferenceTargets
  /** Meta whose target comes later in the file: post ID, index of the key, ID in the file. */
  readonly #lateMeta: number[] = []
  /** Items with a text whose target comes later in the file. */
  readonly #lateTexts: number[] = []

  constructor(context: ImportContext, parts: ReferenceTargets) {
    this.#context = context
    this.#parts = parts
  }

  /** The text of an item with IDs of this site; unchanged if some of them are not known yet. */
  inText(id: number, text: string): string {
    const others = !this.#parts.users.preservesIds || !this.#parts.terms.preservesIds
    if (this.#parts.ids.keep && !(others && namesUsersOrTerms(text))) return text
    const lost: number[] = []
    const mapped = this.#mapText(text, lost)
    if (lost.length === 0) return mapped
    this.#lateTexts.push(id)
    return text
  }

  /** The value of a meta key that holds an ID, mapped to this site; undefined for other keys. */
  inMeta(id: number, item: WxrItem, key: string, value: string): string | undefined {
    if (!/^\d+$/.test(value) || value === '0') return undefined
    const fileId = Number(value)
    if (key === '_edit_last') return String(this.#parts.users.idOfFileId(fileId))
    const place = KEYS.findIndex((name) => name === key)
    if (place === -1) return undefined
    if (key === '_menu_item_object_id') {
      const type = metaOf(item, '_menu_item_type')
      if (type === 'taxonomy') return this.#termInMeta(item, fileId)
      if (type !== 'post_type') return type === 'custom' ? String(id) : undefined
    }
    const newId = this.#parts.ids.get(fileId)
    if (newId === 0) this.#lateMeta.push(id, place, fileId)
    return newId === 0 && this.#parts.ids.keep ? value : String(newId)
  }

  /** Resolves references to items that come later in the file. Call it after all items are written. */
  async resolve(): Promise<void> {
    for (let index = 0; index < this.#lateMeta.length; index += 3) {
      const [postId = 0, key = 0, fileId = 0] = this.#lateMeta.slice(index, index + 3)
      await this.#resolveMeta(postId, KEYS[key]!, fileId)
    }
    for (let start = 0; start < this.#lateTexts.length; start += BATCH_TEXTS) {
      await this.#resolveTexts(this.#lateTexts.slice(start, start + BATCH_TEXTS))
    }
  }

  /** Terms precede all items, so the term of a menu item is already known. */
  #termInMeta(item: WxrItem, fileId: number): string {
    const taxonomy = metaOf(item, '_menu_item_object') ?? ''
    const newId = this.#parts.terms.idOfFileId(taxonomy, fileId)
    if (newId === 0) this.#context.counters.note(LOST, `${taxonomy} ${fileId}`)
    return String(newId)
  }

  /** @param lost collects IDs of unknown items */
  #mapText(text: string, lost: number[]): string {
    const { ids, users, terms } = this.#parts
    const item = (fileId: number) => {
      const newId = ids.get(fileId)
      if (newId === 0) lost.push(fileId)
      return newId
    }
    const unclearBlocks: string[] = []
    const importedIds: ImportedIds = {
      item: (fileId) => (ids.keep ? fileId : item(fileId)),
      term: (taxonomy, fileId) => (terms.preservesIds ? fileId : terms.idOfFileId(taxonomy, fileId)),
      user: (fileId) => (users.preservesIds ? fileId : users.idOfFileId(fileId)),
      unclear: (block) => void unclearBlocks.push(block),
    }
    const mapped = mapTextIds(text, importedIds, this.#context.home)
    if (lost.length === 0) for (const block of unclearBlocks) this.#context.counters.note(UNCLEAR_ID_NOTE, block)
    return mapped
  }

  async #resolveMeta(postId: number, key: string, fileId: number): Promise<void> {
    const { tx, counters } = this.#context
    const newId = this.#parts.ids.get(fileId)
    if (newId === 0) counters.note(LOST, `${key} ${fileId}`)
    if (this.#parts.ids.keep && newId === fileId) return
    const change = tx.db.updateTable('post_meta').set({ value: String(newId) })
    await tx.run(change.where('post_id', '=', postId).where('key', '=', key))
  }

  async #resolveTexts(ids: readonly number[]): Promise<void> {
    const { tx, counters } = this.#context
    const query = tx.db.selectFrom('posts').select(['id', 'title', 'content']).where('id', 'in', padded(ids))
    for (const { id, title, content: before } of await tx.all(query)) {
      const lost: number[] = []
      const content = this.#mapText(before, lost)
      for (const fileId of lost) counters.note(LOST, `${fileId} in the text of ${title}`)
      if (content !== before) await tx.run(tx.db.updateTable('posts').set({ content }).where('id', '=', id))
    }
  }
}

function metaOf({ meta }: WxrItem, key: string): string | undefined {
  return meta.find((one) => one.key === key)?.value
}
