import { THUMBNAIL_KEY } from '../../../content/meta-keys.ts'
import { padded, type ImportContext } from '../context.ts'
import type { ImportedTerms } from '../terms.ts'
import type { ImportedUsers } from '../users/users.ts'
import type { WxrItem } from '../wxr/types.ts'
import { namesUsersOrTerms, type ImportedIds } from './block-ids.ts'
import type { ItemIds } from './item-ids.ts'
import { mapTextIds } from './text-ids.ts'

/** What texts and meta may refer to. */
export interface ReferenceTargets {
  readonly users: ImportedUsers
  readonly terms: ImportedTerms
  readonly ids: ItemIds
}

/** Texts that are read together once everything is there. */
const BATCH_TEXTS = 32
/** Keys of meta that holds the ID of an item, or of what a menu item shows. */
const KEYS = [THUMBNAIL_KEY, '_menu_item_menu_item_parent', '_menu_item_object_id'] as const
/** Said of a reference whose ID means nothing here. */
const LOST = 'reference to something that is not in the file; points to nothing now'
/** Said of a block of a plugin that may name something by its ID. */
const UNCLEAR = 'block of a plugin whose "id" may be an ID of the file; left as it is'

/** The IDs in meta and texts of items, as they are on this site. What they name may come later in the file. */
export class References {
  readonly #context: ImportContext
  readonly #parts: ReferenceTargets
  /** Meta that names what comes later: ID of the post, place of the key, ID in the file. */
  readonly #lateMeta: number[] = []
  /** Items whose text names what comes later. */
  readonly #lateTexts: number[] = []

  constructor(context: ImportContext, parts: ReferenceTargets) {
    this.#context = context
    this.#parts = parts
  }

  /** The text of an item with the IDs of this site; unchanged where some of them are known later only. */
  inText(id: number, text: string): string {
    const others = !this.#parts.users.keepsIds || !this.#parts.terms.keepsIds
    if (this.#parts.ids.keep && !(others && namesUsersOrTerms(text))) return text
    const lost: number[] = []
    const mapped = this.#mapText(text, lost)
    if (lost.length === 0) return mapped
    this.#lateTexts.push(id)
    return text
  }

  /** The value of a key that holds an ID, as it is here; undefined for any other. */
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
    const here = this.#parts.ids.get(fileId)
    if (here === 0) this.#lateMeta.push(id, place, fileId)
    return here === 0 && this.#parts.ids.keep ? value : String(here)
  }

  /** Resolves the references to what came later in the file. All items are written. */
  async settle(): Promise<void> {
    for (let index = 0; index < this.#lateMeta.length; index += 3) {
      const [postId = 0, key = 0, fileId = 0] = this.#lateMeta.slice(index, index + 3)
      await this.#settleMeta(postId, KEYS[key]!, fileId)
    }
    for (let start = 0; start < this.#lateTexts.length; start += BATCH_TEXTS) {
      await this.#settleTexts(this.#lateTexts.slice(start, start + BATCH_TEXTS))
    }
  }

  /** Terms come before all items, so the term that a menu item shows is known by now. */
  #termInMeta(item: WxrItem, fileId: number): string {
    const taxonomy = metaOf(item, '_menu_item_object') ?? ''
    const here = this.#parts.terms.idOfFileId(taxonomy, fileId)
    if (here === 0) this.#context.counters.note(LOST, `${taxonomy} ${fileId}`)
    return String(here)
  }

  /** @param lost gets the IDs of items that are not known */
  #mapText(text: string, lost: number[]): string {
    const { ids, users, terms } = this.#parts
    const item = (fileId: number) => {
      const here = ids.get(fileId)
      if (here === 0) lost.push(fileId)
      return here
    }
    const unclear: string[] = []
    const importedIds: ImportedIds = {
      item: (fileId) => (ids.keep ? fileId : item(fileId)),
      term: (taxonomy, fileId) => (terms.keepsIds ? fileId : terms.idOfFileId(taxonomy, fileId)),
      user: (fileId) => (users.keepsIds ? fileId : users.idOfFileId(fileId)),
      unclear: (block) => void unclear.push(block),
    }
    const mapped = mapTextIds(text, importedIds, this.#context.home)
    if (lost.length === 0) for (const block of unclear) this.#context.counters.note(UNCLEAR, block)
    return mapped
  }

  async #settleMeta(postId: number, key: string, fileId: number): Promise<void> {
    const { tx, counters } = this.#context
    const here = this.#parts.ids.get(fileId)
    if (here === 0) counters.note(LOST, `${key} ${fileId}`)
    if (this.#parts.ids.keep && here === fileId) return
    const change = tx.db.updateTable('post_meta').set({ value: String(here) })
    await tx.run(change.where('post_id', '=', postId).where('key', '=', key))
  }

  async #settleTexts(ids: readonly number[]): Promise<void> {
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
