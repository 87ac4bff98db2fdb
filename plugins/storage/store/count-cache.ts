import type { CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { StoreChanges } from './changes/change.ts'

/** How many counts are kept. */
const countLimit = 500

interface CachedCount {
  total: Promise<number>
  /** The state of the data before it was counted. */
  at: number
  tags: readonly string[]
}

/** Totals of lists as they were counted last, each as long as nothing that it counts has changed. */
export class CountCache {
  readonly #counts = new LRUCache<string, CachedCount>({ max: countLimit })
  readonly #changes: StoreChanges

  constructor(changes: StoreChanges) {
    this.#changes = changes
  }

  /**
   * The total that a query counts.
   * @param tags what it depends on
   * @param count reads it anew
   */
  async of({ sql, parameters }: CompiledQuery, tags: readonly string[], count: () => Promise<number>): Promise<number> {
    const at = this.#changes.state()
    if (at === null) return count()
    const key = JSON.stringify([sql, parameters])
    const known = this.#counts.get(key)
    if (known !== undefined && this.#changes.unchanged(known.tags, known.at)) {
      // A failure is told to him who counted: it may be that nobody waits for his answer any more.
      return known.total.catch(count)
    }
    const total = count()
    const entry = { total, at, tags }
    total.catch(() => {
      if (this.#counts.get(key) === entry) this.#counts.delete(key)
    })
    this.#counts.set(key, entry)
    return total
  }
}
