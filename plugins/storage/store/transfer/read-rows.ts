import { setImmediate as turn } from 'node:timers/promises'
import type { Dialect, Executor } from '../backend.ts'
import type { Value } from '../parameters.ts'
import { canonicalValue, type CanonicalValue } from './canonical.ts'
import { quoted, type DataTable } from './table-columns.ts'

/** Rows read at a time. */
const ROWS_PER_BATCH = 200

export type CanonicalRow = readonly CanonicalValue[]

/** Yields the rows of a table in batches, in the order of the primary key, with values in their canonical form. */
export async function* readRows(
  executor: Executor,
  dialect: Dialect,
  { name, columns }: DataTable,
): AsyncGenerator<CanonicalRow[]> {
  const key = keyOf({ name, columns }, dialect)
  const selected = columns.map((column, place) => `${readable(column.name, dialect)} as "v${place}"`)
  const keys = key.map(({ shown }, place) => `${shown} as "k${place}"`)
  const order = key.map(({ sql }) => sql).join(', ')
  const mark = (place: number, cast: string) => (dialect === 'sqlite' ? '?' : `$${place + 1}${cast}`)
  const after = `(${order}) > (${key.map(({ cast }, place) => mark(place, cast)).join(', ')})`
  const read = (where: string) =>
    `select ${[...selected, ...keys].join(', ')} from ${quoted(name)} ${where} order by ${order} limit ${ROWS_PER_BATCH}`
  for (let last: Value[] | undefined; ;) {
    const rows = await executor.all(last === undefined ? read('') : read(`where ${after}`), last ?? [])
    if (rows.length === 0) return
    yield rows.map((row) => columns.map(({ kind }, place) => canonicalValue(row[`v${place}`], kind)))
    if (rows.length < ROWS_PER_BATCH) return
    const end = rows.at(-1)!
    last = key.map((_, place) => end[`k${place}`] as Value)
    await turn()
  }
}

interface KeyPart {
  /** Expression to sort and compare by. */
  readonly sql: string
  /** Expression to read, which becomes a parameter of the next batch. */
  readonly shown: string
  /** Cast of that parameter on PostgreSQL. */
  readonly cast: string
}

/** The primary key; the place of a row in a table without one. */
function keyOf({ columns }: DataTable, dialect: Dialect): KeyPart[] {
  const key = columns.filter(({ keyPlace }) => keyPlace > 0).toSorted((a, b) => a.keyPlace - b.keyPlace)
  if (key.length === 0) {
    return dialect === 'sqlite'
      ? [{ sql: 'rowid', shown: 'rowid', cast: '' }]
      : [{ sql: 'ctid', shown: 'ctid::text', cast: '::tid' }]
  }
  return key.map(({ name, kind }) => {
    const column = quoted(name)
    if (dialect === 'sqlite') return { sql: column, shown: column, cast: '' }
    const isText = kind === 'text'
    return {
      sql: isText ? `${column}::text collate "C"` : column,
      shown: `${column}::text`,
      cast: isText ? '::text' : '',
    }
  })
}

/**
 * The expression that reads a column without losing digits: integers as text, because JavaScript's numbers are not
 * precise enough.
 */
function readable(name: string, dialect: Dialect): string {
  const column = quoted(name)
  if (dialect === 'postgres') return `${column}::text`
  return `case typeof(${column}) when 'integer' then cast(${column} as text) else ${column} end`
}
