import type { Compilable, RawBuilder, SqlBool } from 'kysely'
import { isAmong, sql, type Store } from '../../../storage/store/index.ts'
import { candidates, type Ids } from './candidates.ts'
import { conditions } from './conditions.ts'
import { effectiveQuery } from './effective-query.ts'
import { indexRanges, orderBy, type IndexRange } from './index-ranges.ts'
import { ORDER_COLUMNS, type PostOrder, type PostQuery } from './query.ts'
import { allOf, anyOf, not, type Condition } from './sql-logic.ts'

/** Posts that one condition leaves: up to so many are sorted; where there are more, the order is walked and tested. */
export const MAX_SORTED_POSTS = 2000

const WALKED: ReadonlySet<PostOrder> = new Set([...(Object.keys(ORDER_COLUMNS) as PostOrder[]), 'title'])

/**
 * The posts of the page of a query, however many it finds: ranges of indexes in the order that is asked for, merged,
 * where each post on the way is tested against what the index does not hold. Such a walk is long where few posts pass, so
 * the posts that each condition leaves are counted first, up to a bound and in the same statement; where they are few,
 * they are sorted. Null where the page is best read by the query as it is.
 * @param most posts that are few
 */
export function pageOf(store: Store, asked: PostQuery, most = MAX_SORTED_POSTS): Condition | null {
  const query = effectiveQuery(asked)
  const { fields, orderby = 'date' } = query
  const isWalked = query.ownSort === undefined && (WALKED.has(orderby) || (fields?.sort ?? null) !== null)
  if (query.include?.length || query.slug?.length || !isWalked) return null
  const plain = candidates(store, query).length === 0 && indexRanges(store, query).length === 1
  if (plain && !query.terms?.length && !query.format && !query.search && !fields) return null
  return among(store, pageQuery(store, query, most))
}

/**
 * The page of a search, best matches first, where some condition leaves few posts; it is empty as well where none does.
 * Null where nothing but the query as it is finds them.
 */
export function pageOfFew(store: Store, query: PostQuery, most: number): Condition | null {
  const tables = tablesOf(store, query, most)
  if (query.include?.length || query.slug?.length || tables.length === 0) return null
  return among(store, sql`with ${definitions(tables)} ${union(pagesOf(store, query, tables))}`)
}

/** Whether some condition of a query leaves few posts: 1 or 0 as a total, which the store caches. */
export function leavesFew(store: Store, query: PostQuery, most: number): Compilable<{ total: number }> {
  const tables = tablesOf(store, query, most)
  const any = anyOf(tables.map(({ few }) => few))
  const counted = tables.length === 0 ? sql`` : sql`with ${definitions(tables)}`
  return store.db.selectNoFrom(sql<number>`(${counted} select case when ${any} then 1 else 0 end)`.as('total'))
}

/** The page as a query: the first table that holds few posts gives it, and the walk does where none does. */
function pageQuery(store: Store, query: PostQuery, most: number): Ids {
  const tables = tablesOf(store, query, most)
  const many = tables.map(({ few }) => not(few))
  const walk = mergedPage(store, query, indexRanges(store, query), many)
  return tables.length === 0
    ? walk
    : sql`with ${definitions(tables)} ${union([...pagesOf(store, query, tables), walk])}`
}

/** The posts that a condition leaves, up to the bound. */
interface Table {
  name: RawBuilder<unknown>
  definition: RawBuilder<unknown>
  /** Whether they are within it. */
  few: Condition
}

/** A table for each condition that finds posts. */
function tablesOf(store: Store, query: PostQuery, most: number): Table[] {
  return candidates(store, query).map((ids, index) => {
    const name = sql.ref(`found_${index + 1}`)
    const definition = sql`${name}(id) as materialized (${ids} limit ${most + 1})`
    return { name, definition, few: sql<SqlBool>`(select count(*) from ${name}) <= ${most}` }
  })
}

function definitions(tables: readonly Table[]): RawBuilder<unknown> {
  return sql.join(tables.map(({ definition }) => definition))
}

/** The page by each table: it is empty but for the first that holds few posts. */
function pagesOf(store: Store, query: PostQuery, tables: readonly Table[]): Ids[] {
  const tests = conditions(store, query, 'test')
  return tables.map(({ name, few }, index) => {
    const before = tables.slice(0, index).map((table) => not(table.few))
    return sortedPage(store, query, sql`select id from ${name}`, tests, [...before, few])
  })
}

/** The first posts of ranges of indexes. */
function mergedPage(store: Store, query: PostQuery, ranges: readonly IndexRange[], when: readonly Condition[]): Ids {
  const { limit, offset = 0 } = query
  const take = ({ from, where, id, order }: IndexRange, count: RawBuilder<unknown>) =>
    sql`select ${sql.ref(id)} as id from ${from} where ${allOf([...where, ...ifAll(store, when)])} order by ${order} limit ${count}`
  const [only] = ranges
  if (ranges.length === 1) return sql`${take(only!, atMost(store, limit, when))} ${skipped(offset)}`
  const firsts = union(ranges.map((range) => take(range, atMost(store, limit + offset, when))))
  return sql`select posts.id from posts where ${among(store, firsts)}
    order by ${orderBy(store, query)} limit ${limit} ${skipped(offset)}`
}

/** The page of posts that are few. */
function sortedPage(
  store: Store,
  query: PostQuery,
  ids: Ids,
  tests: readonly Condition[],
  when: readonly Condition[],
): Ids {
  const { limit, offset = 0 } = query
  const order = orderBy(store, query)
  // PostgreSQL reads no more texts than the page needs where posts are sorted first.
  if (store.dialect === 'postgres' && query.search)
    return sql`select posts.id from (select posts.* from posts where ${allOf([among(store, ids), ...when])}
      order by ${order} offset 0) as posts where ${allOf(tests)} limit ${limit} ${skipped(offset)}`
  return sql`select posts.id from posts where ${allOf([among(store, ids), ...tests, ...ifAll(store, when)])}
    order by ${order} limit ${atMost(store, limit, when)} ${skipped(offset)}`
}

/** Without an offset nobody takes the statement for one that goes far. */
function skipped(offset: number): RawBuilder<unknown> {
  return offset === 0 ? sql`` : sql`offset ${offset}`
}

/** PostgreSQL looks at such conditions before it opens a table. */
function ifAll({ dialect }: Store, when: readonly Condition[]): readonly Condition[] {
  return dialect === 'postgres' ? when : []
}

/** SQLite would look at them for each row, and looks at its limit first. */
function atMost({ dialect }: Store, count: number, when: readonly Condition[]): RawBuilder<unknown> {
  return dialect === 'postgres' || when.length === 0
    ? sql`${count}`
    : sql`case when ${allOf(when)} then ${count} else 0 end`
}

function among({ dialect }: Store, ids: Ids): Condition {
  return isAmong(dialect, 'posts.id', ids)
}

function union(queries: readonly Ids[]): Ids {
  return sql.join(
    queries.map((query) => sql`select id from (${query}) as part`),
    sql` union all `,
  )
}
