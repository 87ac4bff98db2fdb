import type { ImportContext } from '../context.ts'

/** Maximum ancestors to follow within a batch. */
const MAX_LEVELS = 100

/** The parents of items, which may come later in the file, or in a later import. */
export class Parents {
  readonly #context: ImportContext
  /** Old IDs of the parents of the items of a batch, by ID on this site. */
  #batch = new Map<number, number>()

  constructor(context: ImportContext) {
    this.#context = context
  }

  /** Starts a batch of items. @param items with their IDs on this site, and the IDs of their parents in the file */
  startBatch(items: readonly { id: number; parent: number }[]): void {
    this.#batch = new Map(items.map(({ id, parent }) => [id, parent]))
  }

  /**
   * Returns the ID of the parent of an item of the batch; 0 for none. A parent that is not here yet is remembered, and
   * is set when it comes.
   * @param parent its ID in the file; 0 for none
   */
  of(id: number, parent: number): number {
    if (parent === 0) return 0
    const { links, pending } = this.#context
    const { value, missing } = links.resolve(() => links.to('post', parent))
    if (missing.length > 0) {
      const written = links.expects('post') ? 0 : 1
      pending.add({
        holder: 'post',
        holderId: id,
        field: 'parent_id',
        targets: missing,
        source: String(parent),
        written,
      })
    } else if (this.#isCycle(id, value)) {
      this.#context.counters.note('item that was its own ancestor; parent removed', `ID ${id}`)
      // Only this item: its parents keep theirs.
      this.#batch.set(id, 0)
      return 0
    }
    return value
  }

  /** Whether an item of the batch is among its own ancestors. Cycles across batches are found when they are closed. */
  #isCycle(id: number, parent: number): boolean {
    let current = parent
    for (let level = 0; current !== 0; level += 1) {
      if (current === id || level === MAX_LEVELS) return true
      const above = this.#batch.get(current) ?? 0
      current = above === 0 ? 0 : this.#context.links.find('post', above)
    }
    return false
  }
}
