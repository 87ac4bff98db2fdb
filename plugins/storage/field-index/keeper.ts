import { currentDependencies, withoutDependencies } from '../../library/caching/index.ts'
import { outageBehind, runDetached, type PluginContext } from '../../../kernel/index.ts'
import { yieldToEventLoop } from '../../library/long-work/index.ts'
import { isAmong, sql, type Store, valuesQuery } from '../store/index.ts'
import { orderOfField, type IndexedField, type ObjectKind } from './field.ts'
import { definitionOf, identity, identityOfRow, placeOf, type FieldRow } from './field-rows.ts'
import { columnOf, indexKey } from './index-key.ts'
import type { NumberedField } from './plan.ts'
import { tagsOfValues } from './query.ts'
import { carriedOf, insertion } from './value-rows.ts'

/** Objects whose values are made anew in one go, so that writers wait for a moment at most. */
const OBJECTS_PER_BATCH = 500
/** Objects whose values a transaction keeps itself; of more, the values are made after it, and lists wait for them. */
const MOST_AT_ONCE = 5000
/** The tables of objects. */
export const TABLES = { post: 'posts', term: 'terms', comment: 'comments', user: 'users' } as const

/** Keeps the values of fields as they are, in the transactions that change them. */
export class IndexKeeper {
  readonly #store: Store
  readonly #log: PluginContext['log']
  readonly #declared: () => readonly IndexedField[]
  /** The fields that the database knows, by what tells them apart. */
  #ids = new Map<string, NumberedField>()
  #known: readonly IndexedField[] = []
  #draining: Promise<void> | null = null
  #stopped = false

  /** @param declared every field that is registered; the same list as long as none comes or goes */
  constructor({ services, log }: PluginContext, declared: () => readonly IndexedField[]) {
    this.#store = services.store
    this.#log = log
    this.#declared = declared
  }

  /**
   * The fields with their numbers, once all that lists find by them is as it is stored: those of which values are still to
   * be made are waited for.
   */
  async ready(fields: readonly IndexedField[]): Promise<readonly NumberedField[]> {
    for (;;) {
      await this.#sync()
      const numbered = fields.flatMap((field) => this.#ids.get(identity(field)) ?? [])
      const ids = numbered.map(({ id }) => id)
      const state = await this.#store.first(
        sql<{ known: number; waiting: number }>`select
          (select count(*) from indexed_fields where id in (${sql.join(ids)})) as known,
          (select count(*) from (select 1 from index_queue where field in (${sql.join(ids)}) limit 1) as one) as waiting`,
        [],
      )
      if (state!.known < ids.length) this.#forget()
      else if (state!.waiting === 0) return numbered
      else await this.#settle()
    }
  }

  /**
   * Has the database know the fields that are registered; the values of new ones are to be made.
   * @param removing whether it is to forget all others
   */
  async sync(removing = false): Promise<void> {
    const declared = this.#declared()
    const known = await this.#rows(this.#store)
    const isComplete = declared.every((field) => known.has(identity(field)))
    const rows =
      isComplete && !(removing && known.size > declared.length)
        ? known
        : await this.#store.inTurn((store) => this.#update(store, declared, removing))
    this.#ids = new Map(
      declared.map((field) => [identity(field), { field, id: rows.get(identity(field))!.id }] as const),
    )
    this.#known = declared
  }

  /** Keeps what a transaction has changed. To be called before its commit. @param written the tables that it has written */
  async keep(written: ReadonlySet<string>): Promise<void> {
    const concerned = [...this.#ids.values()].filter(({ field }) => isWritten(field, written))
    if (concerned.length === 0) return
    const { db } = this.#store
    const ids = concerned.map(({ id }) => id)
    const many = await this.#store.all(
      db
        .selectFrom('index_queue')
        .select('id')
        .where('field', 'in', ids)
        .limit(MOST_AT_ONCE + 1),
    )
    if (many.length > MOST_AT_ONCE) return this.drainLater()
    if (many.length === 0) return
    // What others have left behind and fails is no reason to refuse what is written next.
    await this.#store
      .inTurn(() => this.#takeAll(concerned))
      .catch((error: unknown) => {
        this.drainLater()
        throw error
      })
  }

  /** Whether what a table holds may change values: who writes it has its turn first, as who makes them does. */
  concerns(table: string): boolean {
    return [...this.#ids.values()].some(({ field }) => tablesOf(field.kind).includes(table))
  }

  /** The same as `drain`, once what is under way is through; the log tells of what went wrong. */
  drainLater(): void {
    const drain = () =>
      this.drain().catch((err: unknown) => this.#log.warn({ err }, 'values of fields could not be indexed'))
    setImmediate(() => void drain())
  }

  /** Makes the values that are to be made, in slices. */
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

  /** Has the values of objects made anew; of all where none are named. */
  async reindex(field: IndexedField, objects?: readonly number[]): Promise<void> {
    await this.#sync()
    const { id } = this.#ids.get(identity(field))!
    await this.#store.inTurn(async (store) => {
      if (objects === undefined) await enqueue(store, field, id)
      else
        await store.run(sql`insert into index_queue (field, object) select cast(${id} as bigint), id
          from ${sql.table(TABLES[field.kind])} where ${store.isIn('id', objects)}`)
      if ((objects?.length ?? Infinity) <= MOST_AT_ONCE) await this.#takeAll()
    })
    if (objects === undefined) await this.#settle()
  }

  async #sync(): Promise<void> {
    if (this.#known !== this.#declared()) await withoutDependencies(() => this.sync())
  }

  #forget(): void {
    this.#known = []
    this.#ids.clear()
  }

  /** Makes what is to be made: in a transaction that has written as part of it, else for all who wait. */
  async #settle(): Promise<void> {
    const isWriting = this.#store.changes.state() === null
    if (isWriting) {
      currentDependencies()?.refuse('it was read in a transaction')
      await withoutDependencies(() => this.#store.inTurn(() => this.#takeAll()))
    } else await this.drain()
  }

  async #drain(): Promise<void> {
    const started = Date.now()
    let made = 0
    for (let taken = OBJECTS_PER_BATCH; taken === OBJECTS_PER_BATCH && !this.#stopped;) {
      taken = await this.#store.inTurn((store) => this.#take(store, [...this.#ids.values()], true))
      made += taken
      await yieldToEventLoop()
    }
    if (made <= MOST_AT_ONCE) return
    // Until PostgreSQL has looked at them, it takes the queue for long and the values for few, and reads all of them.
    if (this.#store.dialect === 'postgres')
      await this.#store
        .run(sql`vacuum (analyze) index_queue, indexed_values`)
        .catch((err: unknown) => this.#log.warn({ err }, 'the values of fields are not known to the planner yet'))
    this.#log.info({ objects: made, ms: Date.now() - started }, 'values of fields are indexed')
  }

  async #takeAll(of: readonly NumberedField[] = [...this.#ids.values()]): Promise<void> {
    while ((await this.#take(this.#store, of)) === OBJECTS_PER_BATCH);
  }

  /**
   * Makes the values of some objects that wait for it.
   * @param anyhow whether an object of which that fails is to have none
   * @returns how many places of the queue they had
   */
  async #take(store: Store, of: readonly NumberedField[], anyhow = false): Promise<number> {
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
      await this.#make(store, fields.get(id)!, [...new Set(places.map(({ object }) => object))], anyhow)
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

  async #make(store: Store, { field, id }: NumberedField, objects: readonly number[], anyhow: boolean): Promise<void> {
    const { db } = store
    const carried = await carriedOf(store, field.kind, objects)
    const own = [...carried.keys()].filter(
      (object) => field.subtype === '' || carried.get(object)!.subtype === field.subtype,
    )
    const values = await (anyhow ? this.#valuesAnyhow(store, field, own) : valuesOf(field, own))
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
    // Of meta, changes tell it themselves.
    if (field.key === '') await store.changes.touch(tagsOfValues(field))
  }

  /** The values of objects, but of those of which it fails, which the log names: others need not wait for these. */
  async #valuesAnyhow(store: Store, field: IndexedField, objects: readonly number[]): Promise<Values> {
    try {
      return await store.transaction(() => valuesOf(field, objects))
    } catch (err) {
      // Another attempt may succeed.
      if (outageBehind(err) !== null) throw err
      const [object] = objects
      if (objects.length === 1) {
        this.#log.error(
          { err, object, field: orderOfField(field) },
          'the value of a field could not be made: it has none',
        )
        return new Map()
      }
      const half = Math.ceil(objects.length / 2)
      const first = await this.#valuesAnyhow(store, field, objects.slice(0, half))
      return new Map([...first, ...(await this.#valuesAnyhow(store, field, objects.slice(half)))])
    }
  }

  async #rows(store: Store): Promise<Map<string, FieldRow>> {
    const rows = await store.all(store.db.selectFrom('indexed_fields').selectAll(), [])
    return new Map(rows.map((row) => [identityOfRow(row), row]))
  }

  /**
   * Adds the fields that the database does not know. Another process may know a field by another type, or schema, for which
   * it has values of its own.
   */
  async #update(store: Store, declared: readonly IndexedField[], removing: boolean): Promise<Map<string, FieldRow>> {
    const { db } = store
    const rows = await this.#rows(store)
    const missing = declared.filter((field) => !rows.has(identity(field)))
    for (const { kind, key, name, subtype, ...field } of missing) {
      const what = { kind, key, name, subtype, definition: definitionOf(field) }
      const { id } = (await store.first(db.insertInto('indexed_fields').values(what).returning('id')))!
      await enqueue(store, { kind, key }, id)
    }
    const names = new Set(declared.map(identity))
    // In place of what this process knew until now there is another.
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

/** The tables that values of a kind of objects are made of, or repeat something of. */
function tablesOf(kind: ObjectKind): string[] {
  return [TABLES[kind], `${kind}_meta`, ...(kind === 'post' ? ['term_relationships'] : [])]
}

function isWritten({ kind, key }: IndexedField, written: ReadonlySet<string>): boolean {
  return (key === '' ? tablesOf(kind) : [`${kind}_meta`]).some((table) => written.has(table))
}

/** Removes all that is kept of a field. */
async function empty(store: Store, id: number): Promise<void> {
  await store.run(store.db.deleteFrom('indexed_values').where('field', '=', id))
  await store.run(store.db.deleteFrom('index_queue').where('field', '=', id))
}

/** Puts every object that may have a value in the queue. */
async function enqueue(store: Store, { kind, key }: Pick<IndexedField, 'kind' | 'key'>, id: number): Promise<void> {
  const objects =
    key === ''
      ? sql`id from ${sql.table(TABLES[kind])} order by id`
      : sql`${sql.ref(`${kind}_id`)} from ${sql.table(`${kind}_meta`)} where key = ${key}
        group by ${sql.ref(`${kind}_id`)} order by ${sql.ref(`${kind}_id`)}`
  await store.run(sql`insert into index_queue (field, object) select cast(${id} as bigint), ${objects}`)
}
