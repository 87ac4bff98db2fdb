import { createRequire } from 'node:module'
import type * as Library from 'rate-limiter-flexible'
import { sql, type Store } from '../../storage/store/index.ts'

/** Milliseconds between two removals of expired rows. */
const SWEEP_INTERVAL_MS = 600_000

// Imports single files: the package's index lacks the base class of stores, and loads the limiters of a dozen databases
// in 50 ms.
const require = createRequire(import.meta.url)
const RateLimiterStoreAbstract =
  require('rate-limiter-flexible/lib/RateLimiterStoreAbstract.js') as typeof Library.RateLimiterStoreAbstract
const RateLimiterRes = require('rate-limiter-flexible/lib/RateLimiterRes.js') as typeof Library.RateLimiterRes

type Row = Readonly<{ points: number; until: number }>

/**
 * Limiter of `rate-limiter-flexible` in the table `attempts`, which all processes of the site share, on SQLite and
 * PostgreSQL, as part of the current transaction. The package's README requires the underscored methods of a store.
 */
export class StoredLimiter extends RateLimiterStoreAbstract {
  readonly #store: Store
  #sweptAt = Date.now()

  /**
   * @param points points that a key can consume
   * @param duration seconds from the first point until all expire
   */
  constructor(store: Store, points: number, duration: number) {
    super({ storeClient: store, keyPrefix: '', points, duration })
    this.#store = store
  }

  async _get(key: string): Promise<Row | null> {
    const { db } = this.#store
    const query = db.selectFrom('attempts').select(['points', 'until']).where('key', '=', key)
    return (await this.#store.first(query.where('until', '>', Date.now()))) ?? null
  }

  async _upsert(key: string, points: number, duration: number, isSet = false): Promise<Row> {
    const now = Date.now()
    await this.#sweep(now)
    const row = { key, points: Math.max(0, points), until: now + duration }
    const isNew = isSet ? sql<boolean>`1 = 1` : sql<boolean>`attempts.until <= ${now}`
    const greater = sql.raw(this.#store.dialect === 'sqlite' ? 'max' : 'greatest')
    const written = await this.#store.first(
      this.#store.db
        .insertInto('attempts')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({
            points: sql<number>`case when ${isNew} then excluded.points else ${greater}(attempts.points + ${points}, 0) end`,
            until: sql<number>`case when ${isNew} then excluded.until else attempts.until end`,
          }),
        )
        .returning(['points', 'until']),
    )
    return written ?? row
  }

  async _delete(key: string): Promise<boolean> {
    const { changes } = await this.#store.run(this.#store.db.deleteFrom('attempts').where('key', '=', key))
    return changes > 0
  }

  _getRateLimiterRes(_key: string, _points: number, row: Row): Library.RateLimiterRes {
    const wait = Math.max(0, row.until - Date.now())
    return new RateLimiterRes(Math.max(0, this.points - row.points), wait, row.points, false)
  }

  /** Deletes expired rows now and then, so that the table does not grow with every guess. */
  async #sweep(now: number): Promise<void> {
    if (now - this.#sweptAt < SWEEP_INTERVAL_MS) return
    this.#sweptAt = now
    await this.#store.run(this.#store.db.deleteFrom('attempts').where('until', '<', now))
  }
}
