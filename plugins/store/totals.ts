import type { CompiledQuery } from 'kysely'

/** How long a total is used that nothing here has changed, in milliseconds. Another process may have. */
const freshTime = 1000
/** How many totals are kept. */
const totalLimit = 500

/** Totals of lists as they were counted last. */
export class Totals {
  readonly #kept = new Map<string, { total: Promise<number>; at: number }>()

  /** The total that a query counts. @param count reads it anew */
  of({ sql, parameters }: CompiledQuery, count: () => Promise<number>): Promise<number> {
    const key = JSON.stringify([sql, parameters])
    const now = performance.now()
    const known = this.#kept.get(key)
    if (known !== undefined && now - known.at < freshTime) return known.total
    const total = count()
    const entry = { total, at: now }
    // A failure is told to those who wait, and not kept.
    total.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key)
    })
    this.#kept.delete(key)
    this.#kept.set(key, entry)
    if (this.#kept.size > totalLimit) this.#kept.delete(this.#kept.keys().next().value!)
    return total
  }

  /** Forgets them all, after something was written. */
  clear(): void {
    if (this.#kept.size > 0) this.#kept.clear()
  }
}
