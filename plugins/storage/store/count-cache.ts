import type { CompiledQuery } from 'kysely'
import { VersionedCache } from '../../library/caching/index.ts'
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
  async of(query: CompiledQuery, tags: readonly string[], count: () => Promise<number>): Promise<number> {
    const known = this.known(query)
    // The other request may have failed because its client left.
    if (known !== undefined) return known.catch(count)
    const begun = this.#counts.begin()
    const total = count()
    const counted = { total, tags }
    const key = keyOf(query)
    this.#counts.keep(key, counted, begun)
    total.catch(() => this.#counts.delete(key, counted))
    return total
  }

  /** The cached total of a query, which may still be counted for another request. */
  known(query: CompiledQuery): Promise<number> | undefined {
    return this.#counts.get(keyOf(query))?.total
  }
}

const keyOf = ({ sql, parameters }: CompiledQuery) => JSON.stringify([sql, parameters])
