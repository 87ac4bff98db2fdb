import type { Compilable, RawBuilder, SqlBool } from 'kysely'
import { isAmong, sql, type Store } from '../../../storage/store/index.ts'
import { candidates, type Ids } from './candidates.ts'
import { conditions } from './conditions.ts'
import { effectiveQuery } from './effective-query.ts'
import { indexRanges, orderBy, type IndexRange } from './index-ranges.ts'
import { ORDER_COLUMNS, type PostOrder, type PostQuery } from './query.ts'
import { allOf, anyOf, not, type Condition } from './sql-logic.ts'

/**
 * Maximum number of posts of one condition that are sorted. If there are more, posts are read in index order and
 * tested.
 */
export const MAX_SORTED_POSTS = 2000

const WALKED: ReadonlySet<PostOrder> = new Set([...(Object.keys(ORDER_COLUMNS) as PostOrder[]), 'title'])

/**
 * Selects the posts of a page at a cost that does not depend on the number of matches. Merges index ranges in the
 * requested order, and tests each post against the conditions that the index does not cover. That is slow if few posts
 * match, so the statement first counts the posts of each condition up to a bound; if there are few, it sorts them.
 * @param maxSorted bound for the number of posts to sort
 * @returns null if the plain query is the best way to read the page
 */
export function pageOf(store: Store, requestedQuery: PostQuery, maxSorted = MAX_SORTED_POSTS): Condition | null {
  const query = effectiveQuery(requestedQuery)
  const { fields, orderby = 'date' } = query
  const isWalked = query.ownSort === undefined && (WALKED.has(orderby) || (fields?.sort ?? null) !== null)
  if (query.include?.length || query.slug?.length || !isWalked) return null
  const plain = candidates(store, query).length === 0 && indexRanges(store, query).length === 1
  if (plain && !query.terms?.length && !query.format && !query.search && !fields) return null
  return hasIdIn(store, pageQuery(store, query, maxSorted))
}

/**
 * Selects the page of a search, best matches first, if a condition leaves few posts; otherwise the page is empty.
 * @returns null if only the plain query can find the posts
 */
export function pageIfSelective(store: Store, query: PostQuery, maxSorted: number): Condition | null {
  const tables = tablesOf(store, query, maxSorted)
  if (query.include?.length || query.slug?.length || tables.length === 0) return null
  return hasIdIn(store, sql`with ${definitions(tables)} ${union(pagesOf(store, query, tables))}`)
}

/**
 * Selects 1 if a condition of the query matches few posts, otherwise 0. The column is named `total` because the store
 * caches totals.
 */
export function hasSelectiveCondition(
  store: Store,
  query: PostQuery,
  maxSorted: number,
): Compilable<{ total: number }> {
  const tables = tablesOf(store, query, maxSorted)
  const any = anyOf(tables.map(({ isSelective }) => isSelective))
  const counted = tables.length === 0 ? sql`` : sql`with ${definitions(tables)}`
  return store.db.selectNoFrom(sql<number>`(${counted} select case when ${any} then 1 else 0 end)`.as('total'))
}

/** The page as a subquery, from the first table with few posts, otherwise from the index ranges. */
function pageQuery(store: Store, query: PostQuery, maxSorted: number): Ids {
  const tables = tablesOf(store, query, maxSorted)
  const unselective = tables.map(({ isSelective }) => not(isSelective))
  const walk = mergedPage(store, query, indexRanges(store, query), unselective)
  return tables.length === 0
    ? walk
    : sql`with ${definitions(tables)} ${union([...pagesOf(store, query, tables), walk])}`
}

/** The posts of one condition, up to the bound. */
interface Table {
  name: RawBuilder<unknown>
  definition: RawBuilder<unknown>
  /** Whether their number is within the bound. */
  isSelective: Condition
}

/** A table for each condition that can find posts. */
function tablesOf(store: Store, query: PostQuery, maxSorted: number): Table[] {
  return candidates(store, query).map((ids, index) => {
    const name = sql.ref(`found_${index + 1}`)
    const definition = sql`${name}(id) as materialized (${ids} limit ${maxSorted + 1})`
    return { name, definition, isSelective: sql<SqlBool>`(select count(*) from ${name}) <= ${maxSorted}` }
  })
}

function definitions(tables: readonly Table[]): RawBuilder<unknown> {
  return sql.join(tables.map(({ definition }) => definition))
}

/** The page from each table. Only the first table with few posts returns rows. */
function pagesOf(store: Store, query: PostQuery, tables: readonly Table[]): Ids[] {
  const tests = conditions(store, query, 'test')
  return tables.map(({ name, isSelective }, index) => {
    const before = tables.slice(0, index).map((table) => not(table.isSelective))
    return sortedPage(store, query, sql`select id from ${name}`, tests, [...before, isSelective])
  })
}

/** The first posts of the merged index ranges. */
function mergedPage(store: Store, query: PostQuery, ranges: readonly IndexRange[], when: readonly Condition[]): Ids {
  const { limit, offset = 0 } = query
  const selectRange = ({ from, where, id, order }: IndexRange, count: RawBuilder<unknown>) =>
    sql`select ${sql.ref(id)} as id from ${from} where ${allOf([...where, ...ifAll(store, when)])} order by ${order} limit ${count}`
  const [only] = ranges
  if (ranges.length === 1) return sql`${selectRange(only!, limitIf(store, limit, when))} ${offsetClause(offset)}`
  const firsts = union(ranges.map((range) => selectRange(range, limitIf(store, limit + offset, when))))
  return sql`select posts.id from posts where ${hasIdIn(store, firsts)}
    order by ${orderBy(store, query)} limit ${limit} ${offsetClause(offset)}`
}

/** A page of few posts, sorted. */
function sortedPage(
  store: Store,
  query: PostQuery,
  ids: Ids,
  tests: readonly Condition[],
  when: readonly Condition[],
): Ids {
  const { limit, offset = 0 } = query
  const order = orderBy(store, query)
  // With sorting first, PostgreSQL reads only the texts that the page needs.
  if (store.dialect === 'postgres' && query.search)
    return sql`select posts.id from (select posts.* from posts where ${allOf([hasIdIn(store, ids), ...when])}
      order by ${order} offset 0) as posts where ${allOf(tests)} limit ${limit} ${offsetClause(offset)}`
  return sql`select posts.id from posts where ${allOf([hasIdIn(store, ids), ...tests, ...ifAll(store, when)])}
    order by ${order} limit ${limitIf(store, limit, when)} ${offsetClause(offset)}`
}

/** Omits `offset 0`, so that the statement is not classified as one with a large offset. */
function offsetClause(offset: number): RawBuilder<unknown> {
  return offset === 0 ? sql`` : sql`offset ${offset}`
}

/** PostgreSQL evaluates conditions without columns before it opens a table. */
function ifAll({ dialect }: Store, when: readonly Condition[]): readonly Condition[] {
  return dialect === 'postgres' ? when : []
}

/** SQLite would evaluate them for each row, but evaluates the limit first. */
function limitIf({ dialect }: Store, count: number, when: readonly Condition[]): RawBuilder<unknown> {
  return dialect === 'postgres' || when.length === 0
    ? sql`${count}`
    : sql`case when ${allOf(when)} then ${count} else 0 end`
}

function hasIdIn({ dialect }: Store, ids: Ids): Condition {
  return isAmong(dialect, 'posts.id', ids)
}

function union(queries: readonly Ids[]): Ids {
  return sql.join(
    queries.map((query) => sql`select id from (${query}) as part`),
    sql` union all `,
  )
}
