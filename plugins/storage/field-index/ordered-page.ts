import type { Expression, RawBuilder, SqlBool } from 'kysely'
import type { ListCursor } from '../../resources/index.ts'
import { isAmong, isBehind, sql, type SortColumn, type Store } from '../store/index.ts'
import { matchingRows, SORTED, type Limits } from './conditions.ts'
import { anyValue, orderedTest, type FieldPlan } from './plan.ts'

/** Maximum number of index ranges to merge, one per type and status. Each range reads `offset + limit` rows. */
const MAX_RANGES = 24

const DIRECTIONS = { asc: sql`asc`, desc: sql`desc` }

/** A page of a list that is sorted by a field. */
export interface OrderedPage {
  readonly plan: FieldPlan
  readonly table: 'terms' | 'comments' | 'users'
  /** Limits of the list; empty if they are unknown. */
  readonly types: readonly string[]
  readonly statuses: readonly string[]
  /** Sort columns: the value, perhaps a date, and the ID, all in one direction. */
  readonly columns: readonly SortColumn[]
  readonly cursor?: ListCursor | null | undefined
  /** Conditions that the objects must meet. */
  readonly tests: readonly Expression<SqlBool>[]
  readonly limit: number
  readonly offset: number
}

/**
 * Returns the condition that an object is on a page, which SQL reads in index order while it checks each object. Null
 * if few objects match, so that sorting them is cheaper, or if the types of the list are unknown.
 */
export function isOfOrderedPage(store: Store, page: OrderedPage): Expression<SqlBool> | null {
  const { plan, table, types, statuses, limit, offset } = page
  const isSelective = plan.tests.some((test) => test.few === true && test !== orderedTest(plan))
  const ranges = types.flatMap((type) => statuses.map((status) => ({ types: [type], statuses: [status] })))
  if (plan.sort === null || isSelective || ranges.length === 0 || ranges.length > MAX_RANGES) return null
  const rowLimit = limit + offset
  const parts = ranges.map(
    (range) => sql`select id, value, date from (${rangeOf(store, page, range, rowLimit)}) as part`,
  )
  const direction = DIRECTIONS[page.columns[0]!.direction]
  const ids = sql`select id from (${sql.join(parts, sql` union all `)}) as parts
    order by value ${direction}, date ${direction}, id ${direction} limit ${limit} offset ${offset}`
  return isAmong(store.dialect, `${table}.id`, ids)
}

function rangeOf(
  store: Store,
  { plan, table, columns, cursor, tests }: OrderedPage,
  limits: Limits,
  rowLimit: number,
): RawBuilder<unknown> {
  const sort = plan.sort!
  const test = orderedTest(plan) ?? anyValue(sort)
  const of = (column: string) => sql.ref(`indexed_values.${column}`)
  const conditions = [...matchingRows(store, test, limits), sql<SqlBool>`${of('position')} = 0`]
  const carried: Record<string, string> = { [SORTED]: sort.column, id: 'object' }
  const byIndex = columns.map((column) => ({ ...column, by: of(carried[column.name] ?? 'date') }))
  if (cursor) conditions.push(isBehind(byIndex, cursor))
  if (tests.length > 0)
    conditions.push(sql`exists (select 1 from ${sql.table(table)}
      where ${sql.ref(`${table}.id`)} = ${of('object')} and ${sql.join(tests, sql` and `)})`)
  const direction = DIRECTIONS[columns[0]!.direction]
  return sql`select ${of('object')} as id, ${of(sort.column)} as value, ${of('date')} as date from indexed_values
    where ${sql.join(conditions, sql` and `)}
    order by ${of(sort.column)} ${direction}, ${of('date')} ${direction}, ${of('object')} ${direction} limit ${rowLimit}`
}
