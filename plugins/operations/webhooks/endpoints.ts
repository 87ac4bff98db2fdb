import { OwnedList, type Awaitable } from '../../../kernel/index.ts'
import { sql, type Row, type Store } from '../../storage/store/index.ts'
import type { Deliveries } from './deliveries.ts'
import { errors } from './errors.ts'
import type { Secret } from './signature.ts'
import type { Webhook } from './webhook.ts'

/** Tag that notifies other processes of changed webhooks. */
export const WEBHOOKS_TAG = 'webhooks'

/** A webhook including its private fields. */
export interface Endpoint extends Webhook {
  readonly secrets: readonly Secret[]
  /** ID of the last change that is not sent to this webhook; later changes are. */
  readonly since: number
}

/** Columns of a webhook that can be changed. */
export type EndpointChange = Partial<Omit<Row<'webhooks'>, 'id' | 'source' | 'created'>>

/** The webhooks in the database. Caches the enabled ones until they change. */
export class Endpoints {
  readonly #store: Store
  readonly #configSecrets: (name: string) => readonly Secret[]
  readonly #listeners = new OwnedList<() => void>('listener of webhooks')
  #cached: Promise<Endpoint[]> | null = null
  #enabled: number | null = null

  readonly #deliveries: Deliveries

  /** @param configSecrets returns the secrets of a webhook defined in the config */
  constructor(store: Store, deliveries: Deliveries, configSecrets: (name: string) => readonly Secret[]) {
    this.#store = store
    this.#deliveries = deliveries
    this.#configSecrets = configSecrets
  }

  /** Number of enabled webhooks; null if it is not cached. */
  get enabled(): number | null {
    return this.#enabled
  }

  /** Enabled webhooks, from the cache if they were read before. */
  async active(): Promise<Endpoint[]> {
    this.#cached ??= this.#read()
    const cached = this.#cached
    try {
      return (await cached).filter(({ enabled }) => enabled)
    } catch (error) {
      if (this.#cached === cached) this.#cached = null
      throw error
    }
  }

  /** Clears the cache and calls the listeners. */
  forget(): void {
    this.#cached = null
    this.#enabled = null
    for (const listener of this.#listeners) listener()
  }

  /** Makes the next reader read the webhooks from the database, after `update`. Listeners are not called. */
  reread(): void {
    this.#cached = null
  }

  /** Calls the listener each time webhooks change. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  /** All webhooks, ordered by ID. */
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

  /** Runs work that adds, changes or removes webhooks, and notifies other processes. */
  change<T>(work: (tx: Store) => Awaitable<T>): Promise<T> {
    return this.#store.inTurn(async (tx) => {
      const result = await work(tx)
      await this.keepCursor()
      await tx.changes.touch([WEBHOOKS_TAG])
      return result
    })
  }

  /** Inserts a webhook and returns its ID. Call it within `change`, like `update` and `remove`. */
  async insert(row: EndpointChange & Pick<Row<'webhooks'>, 'source' | 'name' | 'url'>): Promise<number> {
    const { db } = this.#store
    const insert = db.insertInto('webhooks').values({ ...row, created: Date.now() })
    return (await this.#store.first(insert.returning('id'), []))!.id
  }

  /** Changes a webhook without notifying other processes; the sender records its attempts this way. */
  async update(id: number, change: EndpointChange): Promise<void> {
    await this.#store.run(this.#store.db.updateTable('webhooks').set(change).where('id', '=', id))
  }

  async remove(id: number): Promise<void> {
    await this.#store.run(this.#store.db.deleteFrom('webhooks').where('id', '=', id))
  }

  /**
   * Creates the cursor at the newest change if a webhook is enabled, and removes it otherwise. Call it in a
   * transaction.
   */
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

  /** ID of the newest change; 0 if there are no changes. */
  async newestChange(): Promise<number> {
    const query = this.#store.db.selectFrom('changes').select(sql<number | null>`max(id)`.as('id'))
    return (await this.#store.first(query, []))?.id ?? 0
  }

  async #read(): Promise<Endpoint[]> {
    const reading = this.all()
    const endpoints = await reading
    this.#enabled = endpoints.filter(({ enabled }) => enabled).length
    return endpoints
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

/** The public fields of a webhook, without its secrets. */
export function shownOf(endpoint: Endpoint): Webhook {
  const { id, name, url, source, kinds, types, unpublished, enabled, reason } = endpoint
  const { pausedUntil, failingSince, created } = endpoint
  return { id, name, url, source, kinds, types, unpublished, enabled, reason, pausedUntil, failingSince, created }
}
