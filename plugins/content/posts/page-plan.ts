import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Store } from '../../storage/store/index.ts'
import { candidates, type Ids } from './candidates.ts'
import { conditions } from './conditions.ts'
import { effectiveQuery } from './effective-query.ts'
import { indexRanges, orderBy, type IndexRange } from './index-ranges.ts'
import { ORDER_COLUMNS, type PostOrder, type PostQuery } from './query.ts'
import { allOf, type Condition } from './sql-logic.ts'

/** Posts that one condition leaves: up to so many are sorted; where there are more, the order is walked and tested. */
const FEW = 2000

const WALKED: ReadonlySet<PostOrder> = new Set([...(Object.keys(ORDER_COLUMNS) as PostOrder[]), 'title'])

/**
 * The posts of the page of a query, however many it finds: ranges of indexes in the order that is asked for, merged,
 * where each post on the way is tested against what the index does not hold. Such a walk is long where few posts pass, so
 * the posts that each condition leaves are counted first, up to a bound and in the same statement; where they are few,
 * they are sorted. Null where the page is best read by the query as it is.
 * @param most posts that are few
 */
export function pageOf(store: Store, asked: PostQuery, most = FEW): Condition | null {
  const query = effectiveQuery(asked)
  if (query.include?.length || query.slug?.length || !WALKED.has(query.orderby ?? 'date')) return null
  const plain = candidates(store, query).length === 0 && indexRanges(store, query).length === 1
  if (plain && !query.terms?.length && !query.search) return null
  return among(store, pageQuery(store, query, most))
}

/**
 * The page as a query. Each condition that finds posts has a table of those it leaves, up to the bound: the first one that
 * leaves few gives the page, and the walk does where none leaves few.
 */
function pageQuery(store: Store, query: PostQuery, most: number): Ids {
  const tables: RawBuilder<unknown>[] = []
  const many: Condition[] = []
  const tests = conditions(store, query, 'test')
  const pages = candidates(store, query).map((ids) => {
    const table = sql.ref(`found_${tables.length + 1}`)
    tables.push(sql`${table}(id) as materialized (${ids} limit ${most + 1})`)
    const few = sql<SqlBool>`(select count(*) from ${table}) <= ${most}`
    const page = sortedPage(store, query, sql`select id from ${table}`, tests, [...many, few])
    many.push(sql<SqlBool>`not ${few}`)
    return page
  })
  const walk = mergedPage(store, query, indexRanges(store, query), many)
  return tables.length === 0 ? walk : sql`with ${sql.join(tables)} ${union([...pages, walk])}`
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
  return sql`select posts.id from posts where ${allOf([among(store, ids), ...tests, ...ifAll(store, when)])}
    order by ${orderBy(store, query)} limit ${atMost(store, limit, when)} ${skipped(offset)}`
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
  // An array is looked up post by post; PostgreSQL might read all posts to join them with a subquery.
  return dialect === 'postgres' ? sql<SqlBool>`posts.id = any(array(${ids}))` : sql<SqlBool>`posts.id in (${ids})`
}

function union(queries: readonly Ids[]): Ids {
  return sql.join(
    queries.map((query) => sql`select id from (${query}) as part`),
    sql` union all `,
  )
}
