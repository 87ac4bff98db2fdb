import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { real, sql, type SortColumn, type Store } from '../store/index.ts'
import type { FieldOrdering, FieldPlan, FieldSort, FieldTest, Key } from './plan.ts'

type Condition = Expression<SqlBool>

const OPERATORS = { eq: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }
const VALUES = 'indexed_values'

/** Limits of a list that are also columns of `indexed_values`: types and statuses. */
export interface Limits {
  readonly types?: readonly string[]
  readonly statuses?: readonly string[]
}

/** Returns the SQL conditions that select rows of `indexed_values` with a matching value. */
export function matchingRows(store: Store, { field, column, bounds }: FieldTest, limits: Limits = {}): Condition[] {
  const value = sql.ref(`${VALUES}.${column}`)
  const found: Condition[] = [sql`${sql.ref(`${VALUES}.field`)} = ${field}`]
  if (limits.types !== undefined) found.push(store.isIn(`${VALUES}.type`, limits.types))
  if (limits.statuses !== undefined) found.push(store.isIn(`${VALUES}.status`, limits.statuses))
  // The indexes are partial: each covers one of the two value columns, for rows in which it is not null.
  if (bounds.every(({ compare }) => compare === 'not_in')) found.push(sql`${value} is not null`)
  for (const bound of bounds) {
    if ('values' in bound) {
      const isOne = isOneOf(store, value, bound.values)
      found.push(bound.compare === 'in' ? isOne : sql`not (${isOne})`)
    } else found.push(sql`${value} ${OPERATORS[bound.compare]} ${bind(bound.value)}`)
  }
  return found
}

/** Returns a query of the IDs of objects that have a matching value. */
export function objectsWith(store: Store, test: FieldTest, limits?: Limits): RawBuilder<unknown> {
  const rows = matchingRows(store, test, limits)
  return sql`select ${sql.ref(`${VALUES}.object`)} from ${sql.table(VALUES)} where ${sql.join(rows, sql` and `)}`
}

/**
 * Returns the condition that an object meets a test.
 * @param id the ID column of the object: `posts.id`
 * @param find limits of the list. If present, SQL looks the objects up by the test; otherwise it checks each object
 */
export function meetsTest(store: Store, test: FieldTest, id: string, find?: Limits): Condition {
  const { missing, none } = test
  const any = { ...test, bounds: [] }
  const own = (rows: FieldTest) =>
    isThere(store, sql`${objectsWith(store, rows)} and ${sql.ref(`${VALUES}.object`)} = ${sql.ref(id)}`)
  const has = find === undefined ? own(test) : sql<SqlBool>`${sql.ref(id)} in (${objectsWith(store, test, find)})`
  const all: Condition[] = []
  if (missing) all.push(sql`not (${own(any)})`)
  if (!missing || test.bounds.length > 0 || none.length > 0) all.push(has)
  if (none.length > 0) all.push(sql`not (${own({ ...test, bounds: [{ compare: 'in', values: none }] })})`)
  return sql<SqlBool>`(${sql.join(all, sql` and `)})`
}

/**
 * Returns the condition that a query finds a row. For `exists` PostgreSQL would read the whole subquery into a join;
 * with `limit 1` it looks up the row.
 */
function isThere({ dialect }: Store, query: RawBuilder<unknown>): Condition {
  return dialect === 'postgres' ? sql<SqlBool>`(${query} limit 1) is not null` : sql<SqlBool>`exists (${query})`
}

/** Whether a test can look objects up; a test for a missing value can only check each object. */
export function finds({ missing, bounds, none }: FieldTest): boolean {
  return !missing || bounds.length > 0 || none.length > 0
}

/** Returns the condition that an object has a value to be sorted by; empty if no field gives the order. */
export function hasPlace(store: Store, { sort }: FieldPlan, id: string): Condition[] {
  return sort === null ? [] : [isThere(store, firstValue(sort, id, sql`1`))]
}

/** Returns the sort column for the first value of an object. */
export function sortColumnOf(sort: FieldOrdering, id: string, direction: 'asc' | 'desc'): SortColumn {
  const by = sql`(${firstValue(sort, id, sql.ref(`${VALUES}.${sort.column}`))})`
  return { name: SORTED, order: sort.name, by, direction, kind: sort.column }
}

/** Column alias of the value by which a list is sorted. */
export const SORTED = 'sorted_value'

function firstValue({ field }: FieldSort, id: string, expression: RawBuilder<unknown>) {
  return sql`select ${expression} from ${sql.table(VALUES)} where ${sql.ref(`${VALUES}.field`)} = ${field}
    and ${sql.ref(`${VALUES}.object`)} = ${sql.ref(id)} and ${sql.ref(`${VALUES}.position`)} = 0`
}

/** Longer lists are bound as one JSON parameter, so that the number of prepared statements stays limited. */
const MAX_PLACEHOLDERS = 100

function isOneOf({ dialect }: Store, value: RawBuilder<unknown>, values: readonly Key[]): Condition {
  if (values.length === 0) return sql<SqlBool>`1 = 0`
  if (values.length <= MAX_PLACEHOLDERS) return sql<SqlBool>`${value} in (${sql.join(values.map(bind))})`
  const json = JSON.stringify(values)
  if (dialect === 'sqlite') return sql<SqlBool>`${value} in (select value from json_each(${json}))`
  const type = sql.raw(typeof values[0] === 'number' ? 'double precision' : 'text')
  return sql<SqlBool>`${value} in (select cast(one as ${type}) from jsonb_array_elements_text(${json}::jsonb) as one)`
}

/** Binds a value; numbers as floating point, since large ones exceed integer columns. */
function bind(value: Key): RawBuilder<unknown> {
  return typeof value === 'number' ? sql`${real(value)}` : sql`${value}`
}
