import { currentDependencies, withoutDependencies } from '../../library/caching/index.ts'
import { outageOf, runDetached, type PluginContext } from '../../../kernel/index.ts'
import { yieldToEventLoop } from '../../library/long-work/index.ts'
import { isAmong, sql, type Store, valuesQuery } from '../store/index.ts'
import { orderOfField, type IndexedField, type ObjectKind } from './field.ts'
import { definitionOf, identity, identityOfRow, placeOf, type FieldRow } from './field-rows.ts'
import { columnOf, indexKey } from './index-key.ts'
import type { NumberedField } from './plan.ts'
import { tagsOfValues } from './query.ts'
import { carriedOf, insertion } from './value-rows.ts'

/** Objects indexed in one transaction. Small batches block writers only for a moment. */
const OBJECTS_PER_BATCH = 500
/**
 * Objects that a writing transaction indexes itself. If there are more, they are indexed after it, and lists wait for
 * them.
 */
const MAX_OBJECTS_PER_TRANSACTION = 5000
export const TABLES = { post: 'posts', term: 'terms', comment: 'comments', user: 'users' } as const

/** Indexes the values of fields in the transactions that change them. */
export class FieldIndexer {
  readonly #store: Store
  readonly #log: PluginContext['log']
  readonly #declared: () => readonly IndexedField[]
  /** The fields stored in the database, by their `identity`. */
  #ids = new Map<string, NumberedField>()
  #syncedFields: readonly IndexedField[] = []
  #draining: Promise<void> | null = null
  #stopped = false

  /** @param declared returns all registered fields; the same list while the registrations are unchanged */
  constructor({ services, log }: PluginContext, declared: () => readonly IndexedField[]) {
    this.#store = services.store
    this.#log = log
    this.#declared = declared
  }

  /** Returns the fields with their IDs after their values are up to date; waits for values that are still queued. */
  async ready(fields: readonly IndexedField[]): Promise<readonly NumberedField[]> {
    for (;;) {
      await this.#sync()
      const numbered = fields.flatMap((field) => this.#ids.get(identity(field)) ?? [])
      const ids = numbered.map(({ id }) => id)
      const state = await this.#store.first(
        sql<{ existing: number; waiting: number }>`select
          (select count(*) from indexed_fields where id in (${sql.join(ids)})) as existing,
          (select count(*) from (select 1 from index_queue where field in (${sql.join(ids)}) limit 1) as one) as waiting`,
        [],
      )
      if (state!.existing < ids.length) this.#reset()
      else if (state!.waiting === 0) return numbered
      else await this.#processQueue()
    }
  }

  /**
   * Stores the registered fields and queues all objects for new ones.
   * @param removing whether to remove fields that are not registered
   */
  async sync(removing = false): Promise<void> {
    const declared = this.#declared()
    const existing = await this.#rows(this.#store)
    const isComplete = declared.every((field) => existing.has(identity(field)))
    const rows =
      isComplete && !(removing && existing.size > declared.length)
        ? existing
        : await this.#store.inTurn((store) => this.#update(store, declared, removing))
    this.#ids = new Map(
      declared.map((field) => [identity(field), { field, id: rows.get(identity(field))!.id }] as const),
    )
    this.#syncedFields = declared
  }

  /**
   * Indexes the objects that a transaction has changed. Call it before the commit. @param written tables the
   * transaction wrote
   */
  async indexChanged(written: ReadonlySet<string>): Promise<void> {
    const concerned = [...this.#ids.values()].filter(({ field }) => isWritten(field, written))
    if (concerned.length === 0) return
    const { db } = this.#store
    const ids = concerned.map(({ id }) => id)
    const many = await this.#store.all(
      db
        .selectFrom('index_queue')
        .select('id')
        .where('field', 'in', ids)
        .limit(MAX_OBJECTS_PER_TRANSACTION + 1),
    )
    if (many.length > MAX_OBJECTS_PER_TRANSACTION) return this.drainLater()
    if (many.length === 0) return
    // The failing object may have been queued by another transaction. The drain skips it, so that later writes succeed.
    await this.#store
      .inTurn(() => this.#indexQueued(concerned))
      .catch((error: unknown) => {
        this.drainLater()
        throw error
      })
  }

  /** Whether a table can affect values. Its writers must take the write turn first, as the indexer does. */
  concerns(table: string): boolean {
    return [...this.#ids.values()].some(({ field }) => tablesOf(field.kind).includes(table))
  }

  /** Runs `drain` after the current work of the event loop, and logs errors. */
  drainLater(): void {
    const drain = () =>
      this.drain().catch((err: unknown) => this.#log.warn({ err }, 'failed to index values of fields'))
    setImmediate(() => void drain())
  }

  /** Indexes all queued objects, in batches. */
  drain(): Promise<void> {
    this.#draining ??= runDetached(() => withoutDependencies(() => this.#drain())).finally(() => {
      this.#draining = null
    })
    return this.#draining
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#draining?.catch(() => {})
  }

  /** Indexes the values of objects again; of all objects if none are passed. */
  async reindex(field: IndexedField, objects?: readonly number[]): Promise<void> {
    await this.#sync()
    const { id } = this.#ids.get(identity(field))!
    await this.#store.inTurn(async (store) => {
      if (objects === undefined) await enqueue(store, field, id)
      else
        await store.run(sql`insert into index_queue (field, object) select cast(${id} as bigint), id
          from ${sql.table(TABLES[field.kind])} where ${store.isIn('id', objects)}`)
      if ((objects?.length ?? Infinity) <= MAX_OBJECTS_PER_TRANSACTION) await this.#indexQueued()
    })
    if (objects === undefined) await this.#processQueue()
  }

  async #sync(): Promise<void> {
    if (this.#syncedFields !== this.#declared()) await withoutDependencies(() => this.sync())
  }

  #reset(): void {
    this.#syncedFields = []
    this.#ids.clear()
  }

  /**
   * Indexes queued objects: within the current transaction if it has written, otherwise in the background for all
   * waiting reads.
   */
  async #processQueue(): Promise<void> {
    const isWriting = this.#store.changes.state() === null
    if (isWriting) {
      currentDependencies()?.refuse('it was read in a transaction')
      await withoutDependencies(() => this.#store.inTurn(() => this.#indexQueued()))
    } else await this.drain()
  }

  async #drain(): Promise<void> {
    const started = Date.now()
    let indexedCount = 0
    for (let batchSize = OBJECTS_PER_BATCH; batchSize === OBJECTS_PER_BATCH && !this.#stopped;) {
      batchSize = await this.#store.inTurn((store) => this.#indexBatch(store, [...this.#ids.values()], true))
      indexedCount += batchSize
      await yieldToEventLoop()
    }
    if (indexedCount <= MAX_OBJECTS_PER_TRANSACTION) return
    // PostgreSQL's planner has no statistics of the new rows and would scan both tables until they are analyzed.
    if (this.#store.dialect === 'postgres')
      await this.#store
        .run(sql`vacuum (analyze) index_queue, indexed_values`)
        .catch((err: unknown) =>
          this.#log.warn({ err }, 'failed to analyze the index of fields: lists by fields may be slow'),
        )
    this.#log.info({ objects: indexedCount, ms: Date.now() - started }, 'indexed values of fields')
  }

  async #indexQueued(of: readonly NumberedField[] = [...this.#ids.values()]): Promise<void> {
    while ((await this.#indexBatch(this.#store, of)) === OBJECTS_PER_BATCH);
  }

  /**
   * Indexes one batch of queued objects.
   * @param anyhow whether to store no value for an object whose value fails, instead of throwing
   * @returns number of entries taken from the queue
   */
  async #indexBatch(store: Store, of: readonly NumberedField[], anyhow = false): Promise<number> {
    const { db } = store
    const fields = new Map(of.map((one) => [one.id, one]))
    if (fields.size === 0) return 0
    const waiting = await store.all(
      db
        .selectFrom('index_queue')
        .selectAll()
        .where('field', 'in', [...fields.keys()])
        .orderBy('id')
        .limit(OBJECTS_PER_BATCH),
    )
    for (const [id, places] of Map.groupBy(waiting, ({ field }) => field))
      await this.#indexObjects(store, fields.get(id)!, [...new Set(places.map(({ object }) => object))], anyhow)
    if (waiting.length > 0)
      await store.run(
        db.deleteFrom('index_queue').where(
          store.isIn(
            'index_queue.id',
            waiting.map(({ id }) => id),
          ),
        ),
      )
    return waiting.length
  }

  async #indexObjects(
    store: Store,
    { field, id }: NumberedField,
    objects: readonly number[],
    anyhow: boolean,
  ): Promise<void> {
    const { db } = store
    const carried = await carriedOf(store, field.kind, objects)
    const own = [...carried.keys()].filter(
      (object) => field.subtype === '' || carried.get(object)!.subtype === field.subtype,
    )
    const values = await (anyhow ? this.#valuesWithoutFailures(store, field, own) : valuesOf(field, own))
    const column = columnOf(field.type)
    const rows = own.flatMap((object) => {
      const keys = (values.get(object) ?? []).flatMap((value) => indexKey(value, field.type) ?? [])
      const { type, status, date } = carried.get(object)!
      return [...new Set(keys)].map((key, position) => ({ object, position, [column]: key, type, status, date }))
    })
    await store.run(
      db
        .deleteFrom('indexed_values')
        .where('field', '=', id)
        .where(isAmong(store.dialect, 'indexed_values.object', valuesQuery(store.dialect, objects))),
    )
    if (rows.length > 0) await store.run(insertion(store, id, column, rows))
    // Changes of meta already carry their tags.
    if (field.key === '') await store.changes.touch(tagsOfValues(field))
  }

  /**
   * Returns the values of objects. Logs objects whose value fails and leaves them out, so that the other objects are
   * indexed.
   */
  async #valuesWithoutFailures(store: Store, field: IndexedField, objects: readonly number[]): Promise<Values> {
    try {
      return await store.transaction(() => valuesOf(field, objects))
    } catch (err) {
      // The database is unavailable: another attempt can succeed.
      if (outageOf(err) !== null) throw err
      const [object] = objects
      if (objects.length === 1) {
        this.#log.error(
          { err, object, field: orderOfField(field) },
          'failed to compute the value of a field: the object is indexed without it',
        )
        return new Map()
      }
      const half = Math.ceil(objects.length / 2)
      const first = await this.#valuesWithoutFailures(store, field, objects.slice(0, half))
      return new Map([...first, ...(await this.#valuesWithoutFailures(store, field, objects.slice(half)))])
    }
  }

  async #rows(store: Store): Promise<Map<string, FieldRow>> {
    const rows = await store.all(store.db.selectFrom('indexed_fields').selectAll(), [])
    return new Map(rows.map((row) => [identityOfRow(row), row]))
  }

  /**
   * Adds missing fields. Another process may use a field with another type or schema; each definition has separate
   * values.
   */
  async #update(store: Store, declared: readonly IndexedField[], removing: boolean): Promise<Map<string, FieldRow>> {
    const { db } = store
    const rows = await this.#rows(store)
    const missing = declared.filter((field) => !rows.has(identity(field)))
    for (const { kind, key, name, subtype, ...field } of missing) {
      const row = { kind, key, name, subtype, definition: definitionOf(field) }
      const { id } = (await store.first(db.insertInto('indexed_fields').values(row).returning('id')))!
      await enqueue(store, { kind, key }, id)
    }
    const names = new Set(declared.map(identity))
    // A field with a new definition replaces the one that this process used until now.
    const replaced = new Set(missing.map(placeOf))
    for (const row of rows.values()) {
      const name = identityOfRow(row)
      if (names.has(name) || !(removing || (this.#ids.has(name) && replaced.has(placeOf(row))))) continue
      await empty(store, row.id)
      await store.run(db.deleteFrom('indexed_fields').where('id', '=', row.id))
    }
    return this.#rows(store)
  }
}

type Values = ReadonlyMap<number, readonly unknown[]>

async function valuesOf(field: IndexedField, objects: readonly number[]): Promise<Values> {
  return objects.length === 0 ? new Map() : field.valuesOf(objects)
}

/** Returns the tables that the indexed rows of a kind of objects are computed from. */
function tablesOf(kind: ObjectKind): string[] {
  return [TABLES[kind], `${kind}_meta`, ...(kind === 'post' ? ['term_relationships'] : [])]
}

function isWritten({ kind, key }: IndexedField, written: ReadonlySet<string>): boolean {
  return (key === '' ? tablesOf(kind) : [`${kind}_meta`]).some((table) => written.has(table))
}

/** Removes all rows of a field. */
async function empty(store: Store, id: number): Promise<void> {
  await store.run(store.db.deleteFrom('indexed_values').where('field', '=', id))
  await store.run(store.db.deleteFrom('index_queue').where('field', '=', id))
}

/** Queues every object that may have a value. */
async function enqueue(store: Store, { kind, key }: Pick<IndexedField, 'kind' | 'key'>, id: number): Promise<void> {
  const objects =
    key === ''
      ? sql`id from ${sql.table(TABLES[kind])} order by id`
      : sql`${sql.ref(`${kind}_id`)} from ${sql.table(`${kind}_meta`)} where key = ${key}
        group by ${sql.ref(`${kind}_id`)} order by ${sql.ref(`${kind}_id`)}`
  await store.run(sql`insert into index_queue (field, object) select cast(${id} as bigint), ${objects}`)
}
