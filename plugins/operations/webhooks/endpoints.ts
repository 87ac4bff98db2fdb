import { OwnedList, type Awaitable } from '../../../kernel/index.ts'
import { sql, type Row, type Store } from '../../storage/store/index.ts'
import type { Deliveries } from './deliveries.ts'
import { errors } from './errors.ts'
import type { Secret } from './signature.ts'
import type { Webhook } from './webhook.ts'

/** What tells other processes that webhooks have changed. */
export const WEBHOOKS_TAG = 'webhooks'

/** A webhook with what nobody is shown. */
export interface Endpoint extends Webhook {
  readonly secrets: readonly Secret[]
  /** Number of the last change that it is not told of. */
  readonly since: number
}

/** The columns that are changed of a webhook. */
export type EndpointChange = Partial<Omit<Row<'webhooks'>, 'id' | 'source' | 'created'>>

/** The webhooks in the database. This process keeps those that it has read until somebody changes them. */
export class Endpoints {
  readonly #store: Store
  readonly #configSecrets: (name: string) => readonly Secret[]
  readonly #listeners = new OwnedList<() => void>('listener of webhooks')
  #kept: Promise<Endpoint[]> | null = null
  #enabled: number | null = null

  readonly #deliveries: Deliveries

  /** @param configSecrets the secrets of a webhook of the config */
  constructor(store: Store, deliveries: Deliveries, configSecrets: (name: string) => readonly Secret[]) {
    this.#store = store
    this.#deliveries = deliveries
    this.#configSecrets = configSecrets
  }

  /** How many are told of changes, as far as this process knows; null where it does not. */
  get enabled(): number | null {
    return this.#enabled
  }

  /** Those that are told of changes, as they were when they were last read. */
  async active(): Promise<Endpoint[]> {
    this.#kept ??= this.#read()
    const kept = this.#kept
    try {
      return (await kept).filter(({ enabled }) => enabled)
    } catch (error) {
      if (this.#kept === kept) this.#kept = null
      throw error
    }
  }

  /** Forgets what was read: somebody has changed it. */
  forget(): void {
    this.#kept = null
    this.#enabled = null
    for (const listener of this.#listeners) listener()
  }

  /** Has the next reader of webhooks read them from the database, after `update`. Listeners are not called. */
  reread(): void {
    this.#kept = null
  }

  /** Calls the listener each time that webhooks have changed; returns its removal. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  /** All, in the order of their IDs. */
  async all(): Promise<Endpoint[]> {
    const { db } = this.#store
    const rows = await this.#store.all(db.selectFrom('webhooks').selectAll().orderBy('id'), [])
    return rows.map((row) => this.#endpointOf(row))
  }

  /** @throws webhook_not_found */
  async get(id: number): Promise<Endpoint> {
    const { db } = this.#store
    const row = await this.#store.first(db.selectFrom('webhooks').selectAll().where('id', '=', id), [])
    if (row === undefined) throw errors.webhook_not_found(id)
    return this.#endpointOf(row)
  }

  /** Runs work that adds, changes or removes webhooks; others are told. */
  change<T>(work: (tx: Store) => Awaitable<T>): Promise<T> {
    return this.#store.inTurn(async (tx) => {
      const made = await work(tx)
      await this.keepCursor()
      await tx.changes.touch([WEBHOOKS_TAG])
      return made
    })
  }

  /** To be called within `change`, as those below. Returns the ID. */
  async insert(row: EndpointChange & Pick<Row<'webhooks'>, 'source' | 'name' | 'url'>): Promise<number> {
    const { db } = this.#store
    const insert = db.insertInto('webhooks').values({ ...row, created: Date.now() })
    return (await this.#store.first(insert.returning('id'), []))!.id
  }

  /** Changes one without telling others: what the sender notes of its attempts. */
  async update(id: number, change: EndpointChange): Promise<void> {
    await this.#store.run(this.#store.db.updateTable('webhooks').set(change).where('id', '=', id))
  }

  async remove(id: number): Promise<void> {
    await this.#store.run(this.#store.db.deleteFrom('webhooks').where('id', '=', id))
  }

  /** Has the cursor there as long as a webhook is enabled; it begins at the newest change. To be called in a transaction. */
  async keepCursor(): Promise<void> {
    const { db } = this.#store
    await this.#deliveries.lock()
    const isNeeded = await this.#store.first(
      db.selectFrom('webhooks').select('id').where('enabled', '=', 1).limit(1),
      [],
    )
    const cursor = await this.#deliveries.cursor()
    if ((isNeeded === undefined) === (cursor === undefined)) return
    await this.#deliveries.setCursor(isNeeded === undefined ? null : await this.newestChange())
  }

  /** Number of the newest change. */
  async newestChange(): Promise<number> {
    const query = this.#store.db.selectFrom('changes').select(sql<number | null>`max(id)`.as('id'))
    return (await this.#store.first(query, []))?.id ?? 0
  }

  async #read(): Promise<Endpoint[]> {
    const reading = this.all()
    const kept = await reading
    this.#enabled = kept.filter(({ enabled }) => enabled).length
    return kept
  }

  #endpointOf(row: Row<'webhooks'>): Endpoint {
    const { id, name, url, reason, since } = row
    const moment = (time: number) => (time === 0 ? null : new Date(time))
    return {
      id,
      name,
      url,
      source: row.source as Endpoint['source'],
      kinds: JSON.parse(row.kinds) as string[],
      types: JSON.parse(row.types) as string[],
      unpublished: row.unpublished === 1,
      enabled: row.enabled === 1,
      reason,
      pausedUntil: moment(row.paused_until),
      failingSince: moment(row.failing_since),
      created: new Date(row.created),
      secrets: row.source === 'config' ? this.#configSecrets(name) : (JSON.parse(row.secrets) as Secret[]),
      since,
    }
  }
}

/** A webhook as it is shown: without its secrets. */
export function shownOf(endpoint: Endpoint): Webhook {
  const { id, name, url, source, kinds, types, unpublished, enabled, reason } = endpoint
  const { pausedUntil, failingSince, created } = endpoint
  return { id, name, url, source, kinds, types, unpublished, enabled, reason, pausedUntil, failingSince, created }
}
