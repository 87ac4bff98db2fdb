import { sql, type Expression, type SqlBool } from 'kysely'
import type { Store } from './store.ts'

/** Above so many values a list is bound as one, or each length would be a statement of its own. */
const MOST_PLACES = 20

/** `Store.isIn`, for both dialects. */
export function isIn(
  dialect: Store['dialect'],
  column: string | Expression<unknown>,
  values: readonly (string | number)[],
): Expression<SqlBool> {
  const listed = values.filter((value) => typeof value === 'string' || Number.isSafeInteger(value))
  const ref = typeof column === 'string' ? sql.ref(column) : column
  if (listed.length === 0) return sql<SqlBool>`1 = 0`
  if (listed.length === 1) return sql<SqlBool>`${ref} = ${listed[0]}`
  if (listed.length <= MOST_PLACES) return sql<SqlBool>`${ref} in (${sql.join(listed)})`
  // PostgreSQL's JSON knows neither NUL nor half a character.
  const json = JSON.stringify(
    listed.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value)),
  )
  if (dialect === 'sqlite') return sql<SqlBool>`${ref} in (select value from json_each(${json}))`
  return typeof listed[0] === 'string'
    ? sql<SqlBool>`${ref} in (select jsonb_array_elements_text(${json}::jsonb))`
    : sql<SqlBool>`${ref} in (select jsonb_array_elements_text(${json}::jsonb)::bigint)`
}
