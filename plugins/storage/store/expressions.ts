import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql } from './kysely.ts'
import { storableText } from './storable.ts'
import type { Store } from './store.ts'

/** Above so many values a list is bound as one, or each length would be a statement of its own. */
const MOST_PLACES = 20

/** A column by name, `title` or `posts.title`, or an expression as it is. */
export function columnRef(column: string | Expression<unknown>): RawBuilder<unknown> {
  return typeof column === 'string' ? sql.ref(column) : sql`${column}`
}

/** Lets the wildcards of LIKE stand for themselves; the escape character is the backslash. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** `Store.isIn`, for both dialects. */
export function isIn(
  dialect: Store['dialect'],
  column: string | Expression<unknown>,
  values: readonly (string | number)[],
): Expression<SqlBool> {
  const listed = values.filter((value) => typeof value === 'string' || Number.isSafeInteger(value))
  const ref = columnRef(column)
  if (listed.length === 0) return sql<SqlBool>`1 = 0`
  if (listed.length === 1) return sql<SqlBool>`${ref} = ${listed[0]}`
  if (listed.length <= MOST_PLACES) return sql<SqlBool>`${ref} in (${sql.join(listed)})`
  return sql<SqlBool>`${ref} in (${valuesQuery(dialect, listed)})`
}

/** Values of one kind as a query of one column, however many they are. */
export function valuesQuery(dialect: Store['dialect'], values: readonly (string | number)[]): RawBuilder<unknown> {
  const json = JSON.stringify(values.map((value) => (typeof value === 'string' ? storableText(value) : value)))
  if (dialect === 'sqlite') return sql`select value from json_each(${json})`
  return typeof values[0] === 'string'
    ? sql`select jsonb_array_elements_text(${json}::jsonb)`
    : sql`select jsonb_array_elements_text(${json}::jsonb)::bigint`
}

/** The columns of rows: what PostgreSQL is to take each value for. */
export type RowColumns<T> = Readonly<Record<keyof T & string, 'text' | 'bigint'>>

/** Rows as a query, bound as one parameter however many they are. */
export function rowsQuery<T>(
  dialect: Store['dialect'],
  rows: readonly T[],
  columns: RowColumns<T>,
): RawBuilder<unknown> {
  const names = Object.entries<string>(columns)
  const json = JSON.stringify(rows)
  if (dialect === 'postgres') {
    const typed = names.map(([name, type]) => `${name} ${type}`).join(', ')
    return sql`select * from json_to_recordset(${json}::json) as one(${sql.raw(typed)})`
  }
  const values = names.map(([name]) => `value ->> '${name}' as ${name}`).join(', ')
  return sql`select ${sql.raw(values)} from json_each(${json})`
}

/**
 * Whether a column has one of the values of a query, each of which is looked up: PostgreSQL might read the whole table to
 * join it with the query.
 */
export function isAmong(
  dialect: Store['dialect'],
  column: string | Expression<unknown>,
  query: RawBuilder<unknown>,
): Expression<SqlBool> {
  const ref = columnRef(column)
  return dialect === 'postgres' ? sql<SqlBool>`${ref} = any(array(${query}))` : sql<SqlBool>`${ref} in (${query})`
}
