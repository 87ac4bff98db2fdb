import {
  currentDependencies,
  runDetached,
  withoutDependencies,
  yieldToEventLoop,
  type PluginContext,
} from '../../../kernel/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { IndexedField, ObjectKind } from './field.ts'
import { columnOf, indexKey } from './index-key.ts'
import type { NumberedField } from './plan.ts'
import { tagsOfValues } from './query.ts'

/** Objects whose values are made anew in one go, so that writers wait for a moment at most. */
const BATCH = 500
/** Objects whose values a transaction keeps itself; of more, the values are made after it, and lists wait for them. */
const MOST_AT_ONCE = 5000
/** Another number where the same value would be kept in another way. */
const FORMAT = 1

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
    const { changed, rows } = differences(await this.#rows(this.#store), declared)
    if (changed || (removing && rows.size > declared.length))
      await this.#store.inTurn((store) => this.#update(store, declared, removing))
    const known = differences(await this.#rows(this.#store), declared).rows
    this.#ids = new Map(
      declared.map((field) => [identity(field), { field, id: known.get(identity(field))!.id }] as const),
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
    if (many.length > MOST_AT_ONCE) return void setImmediate(() => void this.drain())
    if (many.length > 0) await this.#store.inTurn(() => this.#takeAll())
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
      else if (objects.length > 0)
        await store.run(store.db.insertInto('index_queue').values(objects.map((object) => ({ field: id, object }))))
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
    for (let taken = BATCH; taken === BATCH && !this.#stopped;) {
      taken = await this.#store.inTurn((store) => this.#take(store))
      made += taken
      await yieldToEventLoop()
    }
    if (made > MOST_AT_ONCE) this.#log.info({ objects: made, ms: Date.now() - started }, 'values of fields are indexed')
  }

  async #takeAll(): Promise<void> {
    while ((await this.#take(this.#store)) === BATCH);
  }

  /** Makes the values of some objects that wait for it. @returns how many places of the queue they had */
  async #take(store: Store): Promise<number> {
    const { db } = store
    const fields = new Map([...this.#ids.values()].map((one) => [one.id, one]))
    if (fields.size === 0) return 0
    const waiting = await store.all(
      db
        .selectFrom('index_queue')
        .selectAll()
        .where('field', 'in', [...fields.keys()])
        .orderBy('id')
        .limit(BATCH),
    )
    for (const [id, places] of Map.groupBy(waiting, ({ field }) => field))
      await this.#make(store, fields.get(id)!, [...new Set(places.map(({ object }) => object))])
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

  async #make(store: Store, { field, id }: NumberedField, objects: readonly number[]): Promise<void> {
    const { db } = store
    const carried = await carriedOf(store, field.kind, objects)
    const own = [...carried.keys()].filter(
      (object) => field.subtype === '' || carried.get(object)!.subtype === field.subtype,
    )
    const values = own.length === 0 ? new Map<number, unknown[]>() : await field.valuesOf(own)
    const column = columnOf(field.type)
    const rows = own.flatMap((object) => {
      const keys = (values.get(object) ?? []).flatMap((value) => indexKey(value, field.type) ?? [])
      const { type, status, date } = carried.get(object)!
      return [...new Set(keys)].map((key, position) => ({ object, position, [column]: key, type, status, date }))
    })
    await store.run(
      db.deleteFrom('indexed_values').where('field', '=', id).where(store.isIn('indexed_values.object', objects)),
    )
    if (rows.length > 0) await store.run(insertion(store, id, column, rows))
    // Of meta, changes tell it themselves.
    if (field.key === '') await store.changes.touch(tagsOfValues(field))
  }

  #rows(store: Store) {
    return store.all(store.db.selectFrom('indexed_fields').selectAll(), [])
  }

  async #update(store: Store, declared: readonly IndexedField[], removing: boolean): Promise<void> {
    const { db } = store
    const { rows } = differences(await this.#rows(store), declared)
    for (const field of declared) {
      const row = rows.get(identity(field))
      rows.delete(identity(field))
      const definition = definitionOf(field)
      if (row?.definition === definition) continue
      const { kind, key, name, subtype } = field
      const what = { kind, key, name, subtype, definition }
      if (row !== undefined) {
        await empty(store, row.id)
        await store.run(db.updateTable('indexed_fields').set({ definition }).where('id', '=', row.id))
      } else await store.run(db.insertInto('indexed_fields').values(what))
      const stored = await store.first(
        db
          .selectFrom('indexed_fields')
          .select('id')
          .where((of) => of.and({ kind, key, name, subtype })),
      )
      await enqueue(store, field, stored!.id)
    }
    if (!removing) return
    for (const { id } of rows.values()) {
      await empty(store, id)
      await store.run(db.deleteFrom('indexed_fields').where('id', '=', id))
    }
  }
}

/** What tells fields apart. */
function identity({ kind, key, name, subtype }: Pick<IndexedField, 'kind' | 'key' | 'name' | 'subtype'>): string {
  return JSON.stringify([kind, key, name, subtype])
}

function definitionOf({ type, definition }: IndexedField): string {
  return `${FORMAT} ${type} ${definition}`
}

interface FieldRow {
  id: number
  kind: string
  key: string
  name: string
  subtype: string
  definition: string
}

/** The rows by what tells them apart, and whether a field has none, or another one. */
function differences(rows: readonly FieldRow[], declared: readonly IndexedField[]) {
  const byIdentity = new Map(rows.map((row) => [identity({ ...row, kind: row.kind as ObjectKind }), row]))
  const changed = declared.some((field) => byIdentity.get(identity(field))?.definition !== definitionOf(field))
  return { rows: byIdentity, changed }
}

function isWritten({ kind, key }: IndexedField, written: ReadonlySet<string>): boolean {
  if (written.has(`${kind}_meta`)) return true
  if (key !== '') return false
  return written.has(TABLES[kind]) || (kind === 'post' && written.has('term_relationships'))
}

/** Removes all that is kept of a field. */
async function empty(store: Store, id: number): Promise<void> {
  await store.run(store.db.deleteFrom('indexed_values').where('field', '=', id))
  await store.run(store.db.deleteFrom('index_queue').where('field', '=', id))
}

/** Puts every object that may have a value in the queue. */
async function enqueue(store: Store, { kind, key }: IndexedField, id: number): Promise<void> {
  const objects =
    key === ''
      ? sql`id from ${sql.table(TABLES[kind])} order by id`
      : sql`${sql.ref(`${kind}_id`)} from ${sql.table(`${kind}_meta`)} where key = ${key}
        group by ${sql.ref(`${kind}_id`)} order by ${sql.ref(`${kind}_id`)}`
  await store.run(sql`insert into index_queue (field, object) select cast(${id} as bigint), ${objects}`)
}

/** What lists know an object by. */
interface Carried {
  type: string
  status: string
  date: string
  /** What says which fields it has. */
  subtype: string
}

async function carriedOf(store: Store, kind: ObjectKind, ids: readonly number[]): Promise<Map<number, Carried>> {
  const row = (id: number, type: string, status = '', date = ''): [number, Carried] => [
    id,
    { type, status, date, subtype: type },
  ]
  const { db } = store
  if (kind === 'post') {
    const rows = db.selectFrom('posts').select(['id', 'type', 'status', 'date']).where(store.isIn('posts.id', ids))
    return new Map((await store.all(rows)).map(({ id, type, status, date }) => row(id, type, status, date)))
  }
  if (kind === 'term') {
    const rows = db.selectFrom('terms').select(['id', 'taxonomy']).where(store.isIn('terms.id', ids))
    return new Map((await store.all(rows)).map(({ id, taxonomy }) => row(id, taxonomy)))
  }
  if (kind === 'comment') {
    const columns = ['id', 'type', 'approved', 'date_gmt'] as const
    const rows = db.selectFrom('comments').select(columns).where(store.isIn('comments.id', ids))
    return new Map((await store.all(rows)).map((one) => row(one.id, one.type, one.approved, one.date_gmt)))
  }
  const rows = db.selectFrom('users').select('id').where(store.isIn('users.id', ids))
  return new Map((await store.all(rows)).map(({ id }) => row(id, '')))
}

/** One statement for however many rows. */
function insertion(store: Store, field: number, column: 'number' | 'text', rows: readonly object[]) {
  const json = JSON.stringify(rows)
  const names = sql.join(['field', 'object', 'position', column, 'type', 'status', 'date'].map((name) => sql.ref(name)))
  const insert = sql`insert into indexed_values (${names})`
  if (store.dialect === 'sqlite') {
    const of = (name: string) => sql`value ->> ${sql.lit(name)}`
    // A large number without an exponent is none that SQLite reads as a whole one.
    const value = column === 'number' ? sql`cast(${of(column)} as real)` : of(column)
    return sql`${insert} select ${field}, ${of('object')}, ${of('position')}, ${value}, ${of('type')}, ${of('status')},
      ${of('date')} from json_each(${json})`
  }
  const types = sql.raw(`object bigint, position integer, ${column} ${column === 'text' ? 'text' : 'double precision'},
    type text, status text, date text`)
  return sql`${insert} select ${field}, object, "position", ${sql.ref(column)}, type, status, date
    from json_to_recordset(${json}::json) as one(${types})`
}
