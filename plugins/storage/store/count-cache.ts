import type { CompiledQuery } from 'kysely'
import { VersionedCache } from '../../../kernel/index.ts'
import type { StoreChanges } from './changes/change.ts'

/** How many counts are kept. */
const countLimit = 500

interface Count {
  readonly total: Promise<number>
  readonly tags: readonly string[]
}

/** Totals of lists as they were counted last, each as long as nothing that it counts has changed. */
export class CountCache {
  readonly #counts: VersionedCache<string, Count>

  constructor(changes: StoreChanges) {
    this.#counts = new VersionedCache(changes, { most: countLimit, tagsOf: ({ tags }) => tags })
  }

  /**
   * The total that a query counts.
   * @param tags what it depends on
   * @param count reads it anew
   */
  async of({ sql, parameters }: CompiledQuery, tags: readonly string[], count: () => Promise<number>): Promise<number> {
    const key = JSON.stringify([sql, parameters])
    // A failure is told to him who counted: it may be that nobody waits for his answer any more.
    const known = this.#counts.get(key)
    if (known !== undefined) return known.total.catch(count)
    const begun = this.#counts.begin()
    const total = count()
    const counted = { total, tags }
    this.#counts.keep(key, counted, begun)
    total.catch(() => this.#counts.delete(key, counted))
    return total
  }
}
