import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Store } from '../../storage/store/index.ts'
import {
  allOf,
  conditions,
  ORDER_COLUMNS,
  orderOf,
  termsNamed,
  type Condition,
  type PostOrder,
  type PostQuery,
  reached,
  type TermClause,
} from './query.ts'
import { parseSearch } from './search-terms.ts'

/** A query of one column, the numbers of posts. */
type Ids = RawBuilder<unknown>

/** Posts that one condition leaves: so many are sorted; where it leaves more, the order is walked and tested. */
const FEW = 2000
/** More conditions are not counted. */
const MOST_FOUND = 6
/** More stretches of an index are not merged: each takes as many posts as the page ends at. */
const MOST_STRETCHES = 24

/**
 * The posts of the page of a query, however many it finds: stretches of indexes in the order that is asked for, merged,
 * where each post on the way is tested against what the index does not hold. Such a walk is long where few posts pass, so
 * the posts that each condition leaves are counted first, up to a bound and in the same statement; where they are few,
 * they are sorted. Null where the page is best read by the query as it is.
 * @param most posts that are few
 */
export function pageOf(store: Store, asked: PostQuery, most = FEW): Condition | null {
  const query = reached(asked)
  if (query.include?.length || query.slug?.length || !WALKED.has(query.orderby ?? 'date')) return null
  const plain = foundBy(store, query).length === 0 && stretchesOf(store, query).length === 1
  if (plain && !query.terms?.length && !query.search) return null
  return among(store, pageQuery(store, query, most))
}

const WALKED: ReadonlySet<PostOrder> = new Set([...(Object.keys(ORDER_COLUMNS) as PostOrder[]), 'title'])

/**
 * The page as a query. Each condition that finds posts has a table of those it leaves, up to the bound: the first one that
 * leaves few gives the page, and the walk does where none leaves few.
 */
function pageQuery(store: Store, query: PostQuery, most: number): Ids {
  const tables: RawBuilder<unknown>[] = []
  const many: Condition[] = []
  const tests = conditions(store, query, 'test')
  const pages = foundBy(store, query).map((ids) => {
    const table = sql.ref(`found_${tables.length + 1}`)
    tables.push(sql`${table}(id) as materialized (${ids} limit ${most + 1})`)
    const few = sql<SqlBool>`(select count(*) from ${table}) <= ${most}`
    const page = sorted(store, query, sql`select id from ${table}`, tests, [...many, few])
    many.push(sql<SqlBool>`not ${few}`)
    return page
  })
  const walk = merged(store, query, stretchesOf(store, query), many)
  return tables.length === 0 ? walk : sql`with ${sql.join(tables)} ${union([...pages, walk])}`
}

/** What lies in the order that is asked for, in an index: to be narrowed and to be taken the first posts of. */
interface Stretch {
  from: RawBuilder<unknown>
  where: Condition[]
  id: string
  order: RawBuilder<unknown>
}

/** The stretches of the indexes that hold the posts of a query. */
function stretchesOf(store: Store, query: PostQuery): Stretch[] {
  const { types, statuses } = query
  if (types.length * statuses.length > MOST_STRETCHES) return [stretchOfPosts(store, query)]
  const terms = termsAhead(query)
  const authors = authorsAhead(query)
  return types.flatMap((type) =>
    statuses.flatMap((status) => {
      const one = { ...query, types: [type], statuses: [status] }
      if (terms !== null) return terms.map((term) => stretchOfTerm(store, one, term))
      if (authors !== null) return authors.map((author) => stretchOfPosts(store, one, author))
      return changedBefore(store, one)
    }),
  )
}

/**
 * What was changed before a time was mostly published before it as well, and is not looked for among what is newer; of
 * the others there is an index.
 */
function changedBefore(store: Store, query: PostQuery): Stretch[] {
  const { orderby = 'date', modifiedBefore } = query
  const all = stretchOfPosts(store, query)
  if (orderby !== 'date' || modifiedBefore === undefined) return [all]
  const ahead = sql<SqlBool>`posts.modified < posts.date`
  return [
    { ...all, where: [...all.where, sql`posts.date < ${modifiedBefore}`] },
    { ...all, where: [...all.where, ahead, sql`posts.date >= ${modifiedBefore}`] },
  ]
}

/** The authors of whom each post of a query has one, where the list is read author by author. */
function authorsAhead(query: PostQuery): readonly number[] | null {
  const { types, statuses, orderby = 'date' } = query
  const authors = [...new Set(query.author)]
  const few = authors.length * types.length * statuses.length <= MOST_STRETCHES
  return orderby === 'date' && authors.length > 0 && few && termsAhead(query) === null ? authors : null
}

/** Terms of which each post of a query has one, where the list is read term by term. */
function termsAhead(query: PostQuery): { clause: TermClause; term: number }[] | null {
  const { types, statuses, orderby = 'date', terms = [], termRelation } = query
  const either = termRelation === 'or'
  const usable = terms.filter(
    ({ operator, includeChildren }) =>
      includeChildren !== true && (operator === 'in' || (operator === 'and' && !either)),
  )
  const each = usable.map((clause) => {
    const named = clause.operator === 'and' ? clause.terms.slice(0, 1) : [...new Set(clause.terms)]
    return named.map((term) => ({ clause, term }))
  })
  const all = usable.length < terms.length ? [] : each.flat()
  const ahead = either ? all : each.sort((a, b) => a.length - b.length)[0]
  const few = ahead !== undefined && ahead.length * types.length * statuses.length <= MOST_STRETCHES
  return orderby === 'date' && few && ahead.length > 0 ? ahead : null
}

function stretchOfPosts(store: Store, query: PostQuery, author?: number): Stretch {
  const { author: _, ...rest } = query
  const where =
    author === undefined
      ? conditions(store, query, 'test')
      : [...conditions(store, rest, 'test'), store.isIn('posts.author_id', [author])]
  return { from: sql`posts`, where, id: 'posts.id', order: orderBy(store, query) }
}

function stretchOfTerm(
  store: Store,
  query: PostQuery,
  { clause, term }: { clause: TermClause; term: number },
): Stretch {
  const { order = 'desc', ties = order, after, before } = query
  const id = termsNamed(store, { ...clause, terms: [term] })
  const where: Condition[] = [
    sql`term_id = (${id})`,
    store.isIn('post_type', query.types),
    store.isIn('post_status', query.statuses),
  ]
  if (after !== undefined) where.push(sql`post_date > ${after}`)
  if (before !== undefined) where.push(sql`post_date < ${before}`)
  const left = untested(store, query, clause, term)
  if (left.length > 0) where.push(sql`exists (select 1 from posts where posts.id = post_id and ${allOf(left)})`)
  return {
    from: sql`term_relationships`,
    where,
    id: 'post_id',
    order: sql`post_date ${DIRECTIONS[order]}, post_id ${DIRECTIONS[ties]}`,
  }
}

/** The conditions that a stretch of a term leaves to be tested. */
function untested(store: Store, query: PostQuery, clause: TermClause, term: number): Condition[] {
  const { terms = [] } = query
  const others = terms.filter((one) => one !== clause)
  if (clause.operator === 'and' && clause.terms.length > 1)
    others.push({ ...clause, terms: clause.terms.filter((one) => one !== term) })
  const rest = query.termRelation === 'or' ? [] : others
  const { after: _, before: __, ...left } = query
  // Type and status come first, and the index has them.
  return conditions(store, { ...left, terms: rest }, 'test').slice(2)
}

/** What posts are found by, each with the order that has it in its index. */
const FINDERS: readonly (readonly [order: PostOrder | null, ...keys: (keyof PostQuery)[]])[] = [
  ['author', 'author'],
  ['parent', 'parent'],
  ['menu_order', 'menuOrder'],
  [null, 'mimeTypes', 'mediaType'],
  ['date', 'after', 'before'],
  ['modified', 'modifiedAfter', 'modifiedBefore'],
]

/** Posts as single conditions of a query leave them, but for those that the way through the order begins with. */
function foundBy(store: Store, query: PostQuery): Ids[] {
  const { types, statuses, orderby = 'date' } = query
  const found: Ids[] = []
  for (const [order, ...keys] of FINDERS) {
    const given = keys.filter(
      (key) => query[key] !== undefined && !(Array.isArray(query[key]) && query[key].length === 0),
    )
    if (given.length === 0 || order === orderby || (order === 'author' && authorsAhead(query) !== null)) continue
    const part = Object.fromEntries(given.map((key) => [key, query[key]]))
    const all = conditions(store, { types, statuses, limit: 0, ...part })
    found.push(sql`select posts.id from posts where ${allOf(all)}`)
  }
  for (const clauses of findingTerms(query)) {
    const ids = sql.join(
      clauses.map((clause) => sql`term_id in (${termsNamed(store, clause)})`),
      sql` or `,
    )
    found.push(sql`select post_id from term_relationships where (${ids})
      and ${store.isIn('post_type', types)} and ${store.isIn('post_status', statuses)}`)
  }
  const { wanted } = parseSearch(query.search ?? '')
  if (wanted.length > 0) found.push(sql`${store.findPosts(wanted)}`)
  return found.slice(0, MOST_FOUND)
}

/** Conditions on terms that posts are found by, but for those that the list is read term by term of. */
function findingTerms(query: PostQuery): TermClause[][] {
  const { terms = [], termRelation } = query
  const ahead = termsAhead(query)
  if (termRelation === 'or') {
    return ahead === null && terms.length > 0 && terms.every(({ operator }) => operator !== 'not in')
      ? [[...terms]]
      : []
  }
  return terms.flatMap((clause) => {
    const isAhead = clause === ahead?.[0]?.clause
    if (clause.operator === 'in') return isAhead ? [] : [[clause]]
    if (clause.operator === 'not in') return []
    return clause.terms.slice(isAhead ? 1 : 0).map((term) => [{ ...clause, terms: [term] }])
  })
}

/** The first posts of stretches. */
function merged(store: Store, query: PostQuery, stretches: readonly Stretch[], when: readonly Condition[]): Ids {
  const { limit, offset = 0 } = query
  const take = ({ from, where, id, order }: Stretch, count: RawBuilder<unknown>) =>
    sql`select ${sql.ref(id)} as id from ${from} where ${allOf([...where, ...ifAll(store, when)])} order by ${order} limit ${count}`
  const [only] = stretches
  if (stretches.length === 1) return sql`${take(only!, atMost(store, limit, when))} offset ${offset}`
  const firsts = union(stretches.map((stretch) => take(stretch, atMost(store, limit + offset, when))))
  return sql`select posts.id from posts where ${among(store, firsts)}
    order by ${orderBy(store, query)} limit ${limit} offset ${offset}`
}

/** The page of posts that are few. */
function sorted(
  store: Store,
  query: PostQuery,
  ids: Ids,
  tests: readonly Condition[],
  when: readonly Condition[],
): Ids {
  const { limit, offset = 0 } = query
  return sql`select posts.id from posts where ${allOf([among(store, ids), ...tests, ...ifAll(store, when)])}
    order by ${orderBy(store, query)} limit ${atMost(store, limit, when)} offset ${offset}`
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

function orderBy(store: Store, query: PostQuery): RawBuilder<unknown> {
  return sql.join(
    orderOf(store, query).map(
      ([by, direction]: [Expression<unknown>, 'asc' | 'desc']) => sql`${by} ${DIRECTIONS[direction]}`,
    ),
  )
}

const DIRECTIONS = { asc: sql`asc`, desc: sql`desc` }
