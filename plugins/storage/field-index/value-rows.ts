import { sql, type Store } from '../store/index.ts'
import type { ObjectKind } from './field.ts'

/** Columns of an object that `indexed_values` repeats. */
interface Carried {
  type: string
  status: string
  date: string
  /** Content type, taxonomy or comment type, which decides which fields the object has. */
  subtype: string
}

/**
 * Reads the repeated columns of the objects that exist, and locks these rows until the end of the transaction:
 * otherwise a concurrent change would leave stale copies.
 */
export async function carriedOf(store: Store, kind: ObjectKind, ids: readonly number[]): Promise<Map<number, Carried>> {
  const row = (id: number, type: string, status = '', date = ''): [number, Carried] => [
    id,
    { type, status, date, subtype: type },
  ]
  const { db, dialect } = store
  // SQLite has only one writer and needs no lock.
  const withShareLock = <Q extends { forShare(): Q }>(query: Q) => (dialect === 'postgres' ? query.forShare() : query)
  if (kind === 'post') {
    const rows = db.selectFrom('posts').select(['id', 'type', 'status', 'date']).where(store.isIn('posts.id', ids))
    return new Map(
      (await store.all(withShareLock(rows))).map(({ id, type, status, date }) => row(id, type, status, date)),
    )
  }
  if (kind === 'term') {
    const rows = db.selectFrom('terms').select(['id', 'taxonomy']).where(store.isIn('terms.id', ids))
    return new Map((await store.all(withShareLock(rows))).map(({ id, taxonomy }) => row(id, taxonomy)))
  }
  if (kind === 'comment') {
    const columns = ['id', 'type', 'approved', 'date_gmt'] as const
    const rows = db.selectFrom('comments').select(columns).where(store.isIn('comments.id', ids))
    return new Map(
      (await store.all(withShareLock(rows))).map((one) => row(one.id, one.type, one.approved, one.date_gmt)),
    )
  }
  const rows = db.selectFrom('users').select('id').where(store.isIn('users.id', ids))
  return new Map((await store.all(withShareLock(rows))).map(({ id }) => row(id, '')))
}

/** Inserts values of any number of objects in one statement. */
export function insertion(store: Store, field: number, column: 'number' | 'text', rows: readonly object[]) {
  const json = JSON.stringify(rows)
  const names = sql.join(['field', 'object', 'position', column, 'type', 'status', 'date'].map((name) => sql.ref(name)))
  const insert = sql`insert into indexed_values (${names})`
  if (store.dialect === 'sqlite') {
    const of = (name: string) => sql`value ->> ${sql.lit(name)}`
    // SQLite does not read a large number without an exponent as an integer.
    const value = column === 'number' ? sql`cast(${of(column)} as real)` : of(column)
    return sql`${insert} select ${field}, ${of('object')}, ${of('position')}, ${value}, ${of('type')}, ${of('status')},
      ${of('date')} from json_each(${json})`
  }
  const types = sql.raw(`object bigint, position integer, ${column} ${column === 'text' ? 'text' : 'double precision'},
    type text, status text, date text`)
  return sql`${insert} select ${field}, object, "position", ${sql.ref(column)}, type, status, date
    from json_to_recordset(${json}::json) as one(${types})`
}
