import type { CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'

/** How long a total is used without a look at whether another process has written, in milliseconds. */
const freshTime = 1000
/** How many counts are kept. */
const countLimit = 500

interface CachedCount {
  total: Promise<number>
  /** What the database was like before it was counted. */
  state: string | null
  at: number
}

/** Totals of lists as they were counted last. */
export class CountCache {
  readonly #counts = new LRUCache<string, CachedCount>({ max: countLimit })
  readonly #stateOf: () => Promise<string | null>

  /** @param stateOf tells a state of the database from every other; null where it cannot, so that all are counted anew */
  constructor(stateOf: () => Promise<string | null>) {
    this.#stateOf = stateOf
  }

  /** The total that a query counts. @param count reads it anew */
  async of(query: CompiledQuery, count: () => Promise<number>): Promise<number> {
    const { total, own } = await this.#lookUp(query, count)
    if (own) return total
    // A failure is told to him who counted: it may be that nobody waits for his answer any more.
    return total.catch(() => this.of(query, count))
  }

  async #lookUp({ sql, parameters }: CompiledQuery, count: () => Promise<number>) {
    const key = JSON.stringify([sql, parameters])
    const fresh = this.#counts.get(key)
    if (fresh !== undefined && performance.now() - fresh.at < freshTime) return { total: fresh.total, own: false }
    const at = performance.now()
    const state = await this.#stateOf()
    const known = this.#counts.get(key)
    // Others may have asked in the meantime, and found the same or begun to count.
    if (known !== undefined && ((state !== null && known.state === state) || known.at >= at)) {
      known.at = Math.max(known.at, at)
      return { total: known.total, own: false }
    }
    const total = count()
    const entry = { total, state, at }
    total.catch(() => {
      if (this.#counts.get(key) === entry) this.#counts.delete(key)
    })
    this.#counts.set(key, entry)
    return { total, own: true }
  }

  /** Forgets them all, after something was written. */
  clear(): void {
    this.#counts.clear()
  }
}
