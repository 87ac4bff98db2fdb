import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql } from './kysely.ts'
import { storableText } from './storable.ts'
import type { Store } from './store.ts'

/** Longer lists are bound as one JSON parameter: otherwise each length would need a separate prepared statement. */
const MAX_PLACEHOLDERS = 20

/** Returns a reference to a column (`title`, `posts.title`), or the expression itself. */
export function columnRef(column: string | Expression<unknown>): RawBuilder<unknown> {
  return typeof column === 'string' ? sql.ref(column) : sql`${column}`
}

/** Escapes the wildcards of LIKE with a backslash. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Implements `Store.isIn` for both dialects. */
export function isIn(
  dialect: Store['dialect'],
  column: string | Expression<unknown>,
  values: readonly (string | number)[],
): Expression<SqlBool> {
  const listed = values.filter((value) => typeof value === 'string' || Number.isSafeInteger(value))
  const ref = columnRef(column)
  if (listed.length === 0) return sql<SqlBool>`1 = 0`
  if (listed.length === 1) return sql<SqlBool>`${ref} = ${listed[0]}`
  if (listed.length <= MAX_PLACEHOLDERS) return sql<SqlBool>`${ref} in (${sql.join(listed)})`
  return sql<SqlBool>`${ref} in (${valuesQuery(dialect, listed)})`
}

/** Returns a query with one column of the values, bound as one parameter. All values must have the same type. */
export function valuesQuery(dialect: Store['dialect'], values: readonly (string | number)[]): RawBuilder<unknown> {
  const json = JSON.stringify(values.map((value) => (typeof value === 'string' ? storableText(value) : value)))
  if (dialect === 'sqlite') return sql`select value from json_each(${json})`
  return typeof values[0] === 'string'
    ? sql`select jsonb_array_elements_text(${json}::jsonb)`
    : sql`select jsonb_array_elements_text(${json}::jsonb)::bigint`
}

/** PostgreSQL types of the columns of rows. */
export type RowColumns<T> = Readonly<Record<keyof T & string, 'text' | 'bigint'>>

/** Returns a query of the rows, bound as one parameter. */
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
 * Returns the condition that a column has one of the values of a query. The array makes PostgreSQL look each value up;
 * it might otherwise scan the whole table for a join.
 */
export function isAmong(
  dialect: Store['dialect'],
  column: string | Expression<unknown>,
  query: RawBuilder<unknown>,
): Expression<SqlBool> {
  const ref = columnRef(column)
  return dialect === 'postgres' ? sql<SqlBool>`${ref} = any(array(${query}))` : sql<SqlBool>`${ref} in (${query})`
}
