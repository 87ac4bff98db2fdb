import type { CompiledQuery } from 'kysely'
import { VersionedCache } from '../../library/caching/index.ts'
import type { StoreChanges } from './changes/change.ts'

/** Maximum number of cached counts. */
const MAX_COUNTS = 500

interface Count {
  readonly total: Promise<number>
  readonly tags: readonly string[]
}

/** Caches the totals of lists until the data they depend on changes. */
export class CountCache {
  readonly #counts: VersionedCache<string, Count>

  constructor(changes: StoreChanges) {
    this.#counts = new VersionedCache(changes, { maxEntries: MAX_COUNTS, tagsOf: ({ tags }) => tags })
  }

  /**
   * Returns the total of a query, counting it if it is not cached.
   * @param tags tags that the total depends on
   * @param count executes the query
   */
  async of(query: CompiledQuery, tags: readonly string[], count: () => Promise<number>): Promise<number> {
    const cached = this.get(query)
    // Counts again on failure: the other request may have been aborted.
    if (cached !== undefined) return cached.catch(count)
    const startState = this.#counts.begin()
    const total = count()
    const counted = { total, tags }
    const key = keyOf(query)
    this.#counts.set(key, counted, startState)
    total.catch(() => this.#counts.delete(key, counted))
    return total
  }

  /** Returns the cached total of a query, which another request may still be counting. */
  get(query: CompiledQuery): Promise<number> | undefined {
    return this.#counts.get(keyOf(query))?.total
  }
}

const keyOf = ({ sql, parameters }: CompiledQuery) => JSON.stringify([sql, parameters])
