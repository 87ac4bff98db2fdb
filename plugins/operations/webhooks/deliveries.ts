import { sql, type Row, type Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import {
  insertPlanned,
  promoteBehind,
  promoteFirst,
  storeOutcomes,
  type Planned,
  type StoredOutcome,
} from './delivery-sql.ts'
import type { Delivery, DeliveryQuery, DeliveryState, WebhookMessage } from './webhook.ts'

export type DeliveryRow = Row<'webhook_deliveries'>
/** The columns of a delivery that sending it and evaluating the response need. */
export type DueRow = Pick<DeliveryRow, 'id' | 'message' | 'payload' | 'attempts' | 'due'>

/** Rows changed or removed in one statement, so that other writers wait only briefly. */
const ROWS_PER_BATCH = 1000
const CURSOR_ID = 1
/** Advisory lock held while deliveries are inserted or become due. An arbitrary number, used for nothing else. */
const DELIVERIES_LOCK_ID = 7_203_418_851

/** The deliveries in the database. */
export class Deliveries {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** ID of the last change for which deliveries were created; undefined if no webhook is enabled. */
  async cursor(): Promise<number | undefined> {
    const { db } = this.#store
    const query = db.selectFrom('webhook_cursor').select('change_id').where('id', '=', CURSOR_ID)
    return (await this.#store.first(query, []))?.change_id
  }

  /** Sets the cursor, or removes it if null. Call it in a transaction. */
  async setCursor(change: number | null): Promise<void> {
    const { db } = this.#store
    await this.#store.run(db.deleteFrom('webhook_cursor').where('id', '=', CURSOR_ID))
    if (change === null) return
    await this.#store.run(db.insertInto('webhook_cursor').values({ id: CURSOR_ID, change_id: change }))
  }

  /**
   * Stores deliveries and moves the cursor in one transaction.
   * @returns false if another process has moved the cursor from `from` in the meantime; nothing is stored then
   */
  plan(planned: readonly Planned[], from: number, to: number): Promise<boolean> {
    return this.#store.transaction(async (tx) => {
      const { db } = tx
      await this.lock()
      const move = db.updateTable('webhook_cursor').set({ change_id: to }).where('change_id', '=', from)
      const { changes } = await tx.run(move.where('id', '=', CURSOR_ID))
      if (changes === 0) return false
      if (planned.length > 0) await insertPlanned(tx, planned)
      return true
    })
  }

  /** Stores deliveries that do not result from a change. Call it in a transaction. */
  async add(planned: readonly Planned[]): Promise<void> {
    await this.lock()
    await insertPlanned(this.#store, planned)
  }

  /** Deliveries of a webhook that are due, earliest first. */
  due(webhook: number, now: number, limit: number): Promise<DueRow[]> {
    const { db } = this.#store
    const query = db
      .selectFrom('webhook_deliveries')
      .select(['id', 'message', 'payload', 'attempts', 'due'])
      .where('webhook', '=', webhook)
      .where('state', '=', sql.lit('waiting'))
      .where('due', '<=', now)
    return this.#store.all(query.orderBy('due').orderBy('id').limit(limit), [])
  }

  /** Unix milliseconds at which the next delivery of a webhook is due after a moment; Infinity if none is waiting. */
  async nextDue(webhook: number, after: number): Promise<number> {
    const { db } = this.#store
    const query = db
      .selectFrom('webhook_deliveries')
      .select(sql<number | null>`min(due)`.as('due'))
      .where('webhook', '=', webhook)
      .where('state', '=', sql.lit('waiting'))
      .where('due', '>', after)
    return (await this.#store.first(query, []))?.due ?? Infinity
  }

  /**
   * Stores the results of attempts, runs `more` in the same transaction, and makes the next queued deliveries due.
   * @returns the number of deliveries that became due
   */
  finish(outcomes: readonly StoredOutcome[], now: number, more: (tx: Store) => Promise<void>): Promise<number> {
    return this.#store.transaction(async (tx) => {
      await this.lock()
      await storeOutcomes(tx, outcomes)
      await more(tx)
      const ended = outcomes.filter(({ finished }) => finished > 0).map(({ id }) => id)
      return ended.length === 0 ? 0 : promoteBehind(tx, ended, now)
    })
  }

  /**
   * Makes all waiting deliveries due now, because the receiver has changed or is back, and also queued deliveries whose
   * predecessor has been deleted. Call it in a transaction.
   */
  async hasten(webhook: number): Promise<void> {
    const { db } = this.#store
    const now = Date.now()
    await this.lock()
    await promoteFirst(this.#store, webhook, now)
    const later = db.updateTable('webhook_deliveries').set({ due: now }).where('webhook', '=', webhook)
    await this.#store.run(later.where('state', '=', sql.lit('waiting')).where('due', '>', now))
  }

  /** One page of the deliveries of a webhook, newest first, and their total. */
  async list({ webhook, state, page, perPage }: DeliveryQuery): Promise<{ total: number; items: Delivery[] }> {
    const { db } = this.#store
    let from = db.selectFrom('webhook_deliveries').where('webhook', '=', webhook)
    if (state !== undefined) from = from.where('state', '=', state)
    const counted = await this.#store.first(from.select(sql<number>`count(*)`.as('total')), [])
    const rows = from.selectAll().orderBy('id', 'desc').limit(perPage)
    const items = await this.#store.all(rows.offset((page - 1) * perPage), [])
    return { total: counted?.total ?? 0, items: items.map(deliveryOf) }
  }

  /** @throws webhook_delivery_not_found */
  async get(webhook: number, id: number): Promise<Delivery> {
    const { db } = this.#store
    const query = db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).where('webhook', '=', webhook)
    const row = await this.#store.first(query, [])
    if (row === undefined) throw errors.webhook_delivery_not_found(id)
    return deliveryOf(row)
  }

  /** Sends a delivery again. @throws webhook_delivery_not_found, webhook_delivery_open */
  replay(webhook: number, id: number): Promise<Delivery> {
    return this.#store.transaction(async () => {
      await this.lock()
      const { state } = await this.get(webhook, id)
      if (state !== 'dead' && state !== 'done') throw errors.webhook_delivery_open(id)
      await this.#reopen([id])
      return this.get(webhook, id)
    })
  }

  /** Sends all dead deliveries of a webhook again that were created since a moment. Returns their number. */
  async replayDead(webhook: number, since: number): Promise<number> {
    const { db } = this.#store
    const dead = db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook', '=', webhook)
      .where('state', '=', 'dead')
    const replayable = dead.where('created', '>=', since).orderBy('id').limit(ROWS_PER_BATCH)
    let count = 0
    for (let found = ROWS_PER_BATCH; found === ROWS_PER_BATCH; count += found) {
      found = await this.#store.transaction(async (tx) => {
        await this.lock()
        const rows = await tx.all(replayable, [])
        if (rows.length > 0) await this.#reopen(rows.map(({ id }) => id))
        return rows.length
      })
    }
    return count
  }

  /** Removes the deliveries of a webhook in batches. */
  async removeOf(webhook: number): Promise<void> {
    const { db } = this.#store
    await this.#remove(db.selectFrom('webhook_deliveries').select('id').where('webhook', '=', webhook))
  }

  /**
   * Deletes deliveries that were done or dead before a moment, and older open ones of disabled webhooks.
   * @param before Unix milliseconds
   */
  async forget(before: number): Promise<void> {
    const { db } = this.#store
    const rows = db.selectFrom('webhook_deliveries').select('id')
    await this.#remove(rows.where('finished', '>', 0).where('finished', '<', before))
    const disabled = db.selectFrom('webhooks').select('id').where('enabled', '=', 0)
    for (const { id } of await this.#store.all(disabled, [])) {
      await this.#remove(rows.where('webhook', '=', id).where('created', '<', before))
    }
  }

  async #remove(ids: ReturnType<typeof idsOf>): Promise<void> {
    const { db } = this.#store
    const query = db.deleteFrom('webhook_deliveries').where('id', 'in', ids.limit(ROWS_PER_BATCH))
    for (let removed = ROWS_PER_BATCH; removed === ROWS_PER_BATCH;) removed = (await this.#store.run(query)).changes
  }

  async #reopen(ids: readonly number[]): Promise<void> {
    const { db } = this.#store
    const now = Date.now()
    const values = { state: 'queued', attempts: 0, due: now, finished: 0 }
    const query = db.updateTable('webhook_deliveries').set(values).where(this.#store.isIn('id', ids))
    await this.#store.run(query)
    await promoteBehind(this.#store, ids, now)
  }

  /**
   * Serializes transactions that insert deliveries or make them due: concurrent ones would not see each other's rows.
   */
  async lock(): Promise<void> {
    if (this.#store.dialect === 'sqlite') return
    await this.#store.first(sql`select pg_advisory_xact_lock(${DELIVERIES_LOCK_ID})`, [])
  }
}

const idsOf = (db: Store['db']) => db.selectFrom('webhook_deliveries').select('id')

function deliveryOf(row: DeliveryRow): Delivery {
  const { id, message, webhook, change_id: change, type, attempts, status, error } = row
  return {
    id,
    message,
    webhook,
    change,
    type,
    payload: JSON.parse(row.payload) as WebhookMessage,
    state: row.state as DeliveryState,
    attempts,
    due: new Date(row.due),
    status,
    error,
    created: new Date(row.created),
    finished: row.finished === 0 ? null : new Date(row.finished),
  }
}
