import { withoutPassword } from '../../../content/posts/index.ts'
import type { ImportContext } from '../context.ts'
import { IdMap } from '../id-map.ts'
import type { ItemIds } from './item-ids.ts'
import { revisionSlug } from './slugs.ts'

/** The parents of items, which may come later in the file. */
export class Parents {
  readonly #context: ImportContext
  readonly #ids: ItemIds
  /** Items whose parent comes later: ID on this site, ID of the parent in the file. */
  readonly #children: number[] = []
  /** The revisions and autosaves among these items. */
  readonly #revisions = new IdMap()
  /** IDs in the file of items that were never saved and are not imported. */
  readonly #unsaved = new Set<number>()

  constructor(context: ImportContext, ids: ItemIds) {
    this.#context = context
    this.#ids = ids
  }

  /**
   * Records the parent of an item that comes later in the file.
   * @param parent its ID in the file; 0 for none
   * @returns the expected ID of the parent on this site; 0 if unknown
   */
  addLater(id: number, type: string, parent: number): number {
    if (parent === 0) return 0
    this.#children.push(id, parent)
    if (type === 'revision') this.#revisions.set(id, parent)
    // An empty site keeps the IDs of the file.
    return this.#ids.keep ? parent : 0
  }

  /** Records that an item was never saved and is not imported. */
  addUnsaved(fileId: number): void {
    this.#unsaved.add(fileId)
  }

  /** Sets parents that come later in the file. Call it after all items are written. */
  async resolve(): Promise<void> {
    for (let index = 0; index < this.#children.length; index += 2) {
      await this.#resolveOne(this.#children[index] ?? 0, this.#children[index + 1] ?? 0)
    }
  }

  async #resolveOne(id: number, fileParent: number): Promise<void> {
    const { counters } = this.#context
    const parent = this.#ids.get(fileParent)
    const isRevision = this.#revisions.has(id)
    if (parent === 0 && isRevision) await this.#deleteRevision(id)
    else if (parent === 0) {
      counters.note('item whose parent is not in the file; parent removed', `ID ${id}`)
      await this.#setParent(id, 0)
      // An item attached to an unsaved parent was not public.
      if (this.#unsaved.has(fileParent)) await this.#makePrivate(id)
    } else if (await this.#context.isAbove('posts', id, parent)) {
      counters.note('item that was its own ancestor; parent removed', `ID ${id}`)
      await this.#setParent(id, 0)
    } else if (!this.#ids.keep || parent !== fileParent) {
      await this.#setParent(id, parent)
      if (isRevision) await this.#renameRevision(id, parent)
    }
  }

  async #setParent(id: number, parent: number): Promise<void> {
    const { tx } = this.#context
    await tx.run(tx.db.updateTable('posts').set({ parent_id: parent }).where('id', '=', id))
  }

  async #makePrivate(id: number): Promise<void> {
    const { tx } = this.#context
    const hidden = tx.db.updateTable('posts').set({ status: 'private', ...withoutPassword('private') })
    await tx.run(hidden.where('id', '=', id).where('status', '=', 'inherit'))
  }

  async #deleteRevision(id: number): Promise<void> {
    const { tx, counters } = this.#context
    await tx.run(tx.db.deleteFrom('posts').where('id', '=', id))
    counters.imported('revision items', -1)
    counters.skipped('revision items', 'their item is not in the file')
  }

  async #renameRevision(id: number, parent: number): Promise<void> {
    const { tx } = this.#context
    const row = await tx.first(tx.db.selectFrom('posts').select('slug').where('id', '=', id))
    const slug = revisionSlug(row?.slug ?? '', parent)
    await tx.run(tx.db.updateTable('posts').set({ slug }).where('id', '=', id))
  }
}
