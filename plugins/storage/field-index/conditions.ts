import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { real, sql, type SortColumn, type Store } from '../store/index.ts'
import type { FieldOrdering, FieldPlan, FieldSort, FieldTest, Key } from './plan.ts'

type Condition = Expression<SqlBool>

const OPERATORS = { eq: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }
const VALUES = 'indexed_values'

/** What lists of a kind of objects are limited by in `indexed_values` as well: types, and statuses. */
export interface Limits {
  readonly types?: readonly string[]
  readonly statuses?: readonly string[]
}

/** The conditions on a row of `indexed_values` that has a value which a test asks for. */
export function matchingRows(store: Store, { field, column, bounds }: FieldTest, limits: Limits = {}): Condition[] {
  const value = sql.ref(`${VALUES}.${column}`)
  const found: Condition[] = [sql`${sql.ref(`${VALUES}.field`)} = ${field}`]
  if (limits.types !== undefined) found.push(store.isIn(`${VALUES}.type`, limits.types))
  if (limits.statuses !== undefined) found.push(store.isIn(`${VALUES}.status`, limits.statuses))
  // Indexes hold one column or the other, for rows that have it.
  if (bounds.every(({ compare }) => compare === 'not_in')) found.push(sql`${value} is not null`)
  for (const bound of bounds) {
    if ('values' in bound) {
      const isOne = isOneOf(store, value, bound.values)
      found.push(bound.compare === 'in' ? isOne : sql`not (${isOne})`)
    } else found.push(sql`${value} ${OPERATORS[bound.compare]} ${bind(bound.value)}`)
  }
  return found
}

/** A query of the IDs of objects that have a value which a test asks for. */
export function objectsWith(store: Store, test: FieldTest, limits?: Limits): RawBuilder<unknown> {
  const rows = matchingRows(store, test, limits)
  return sql`select ${sql.ref(`${VALUES}.object`)} from ${sql.table(VALUES)} where ${sql.join(rows, sql` and `)}`
}

/**
 * Whether an object meets a test.
 * @param id the column of its ID: `posts.id`
 * @param find limits of the list, where objects are found by it; without, each is looked up
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

/** Whether a query finds a row. PostgreSQL would read all that `exists` is about, to join it; this it looks up. */
function isThere({ dialect }: Store, query: RawBuilder<unknown>): Condition {
  return dialect === 'postgres' ? sql<SqlBool>`(${query} limit 1) is not null` : sql<SqlBool>`exists (${query})`
}

/** Whether objects are found by a test, rather than told from others. */
export function finds({ missing, bounds, none }: FieldTest): boolean {
  return !missing || bounds.length > 0 || none.length > 0
}

/** Whether an object has a value that its place in the order is known by. */
export function hasPlace(store: Store, { sort }: FieldPlan, id: string): Condition[] {
  return sort === null ? [] : [isThere(store, firstValue(sort, id, sql`1`))]
}

/** The first value of an object, as lists are ordered by it. */
export function sortColumnOf(sort: FieldOrdering, id: string, direction: 'asc' | 'desc'): SortColumn {
  const by = sql`(${firstValue(sort, id, sql.ref(`${VALUES}.${sort.column}`))})`
  return { name: SORTED, order: sort.name, by, direction, kind: sort.column }
}

/** What the value is called by which a list is ordered, in its rows. */
export const SORTED = 'sorted_value'

function firstValue({ field }: FieldSort, id: string, what: RawBuilder<unknown>) {
  return sql`select ${what} from ${sql.table(VALUES)} where ${sql.ref(`${VALUES}.field`)} = ${field}
    and ${sql.ref(`${VALUES}.object`)} = ${sql.ref(id)} and ${sql.ref(`${VALUES}.position`)} = 0`
}

/** More values are bound as one parameter: no statement has any number of them. */
const MOST_PLACES = 100

function isOneOf({ dialect }: Store, value: RawBuilder<unknown>, values: readonly Key[]): Condition {
  if (values.length === 0) return sql<SqlBool>`1 = 0`
  if (values.length <= MOST_PLACES) return sql<SqlBool>`${value} in (${sql.join(values.map(bind))})`
  const json = JSON.stringify(values)
  if (dialect === 'sqlite') return sql<SqlBool>`${value} in (select value from json_each(${json}))`
  const type = sql.raw(typeof values[0] === 'number' ? 'double precision' : 'text')
  return sql<SqlBool>`${value} in (select cast(one as ${type}) from jsonb_array_elements_text(${json}::jsonb) as one)`
}

/** Numbers have no bounds here. */
function bind(value: Key): RawBuilder<unknown> {
  return typeof value === 'number' ? sql`${real(value)}` : sql`${value}`
}
