import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Database, Store } from '../../storage/store/index.ts'
import { parseSearch, type SearchTerms } from './search-terms.ts'

/** What posts can be ordered by; `include` and `include_slugs` keep the order of the lists `include` and `slug`. */
export type PostOrder =
  | 'author'
  | 'date'
  | 'id'
  | 'include'
  | 'modified'
  | 'parent'
  | 'relevance'
  | 'slug'
  | 'include_slugs'
  | 'title'
  | 'menu_order'

/** A condition on the terms of posts. */
export interface TermClause {
  taxonomy: string
  terms: readonly number[]
  /** Whether terms below those named count too. */
  includeChildren?: boolean
  /** `in`: one of the terms; `and`: all of them; `not in`: none. */
  operator: 'in' | 'and' | 'not in'
}

/** Posts by their status. */
export interface States {
  statuses: readonly string[]
  /** Without `trash` among the statuses: what those posts in the trash were before that are meant all the same. */
  trashed: readonly string[]
}

/** Which posts of some types a user has a right to. */
export interface ReadScope {
  types: readonly string[]
  /** Whoever wrote them. */
  any: States
  /** Further ones of their own. */
  own: States
  /** Further ones of others. */
  others: States
  /** ID of the user; 0 for a visitor, who has none of their own. */
  user: number
}

/** Which posts, in which order. What is left out does not narrow. */
export interface PostQuery {
  types: readonly string[]
  statuses: readonly string[]
  /** Words, "phrases" and -words, looked for in title, excerpt and content. */
  search?: string
  /**
   * Limits the list to these posts: without it, the list is empty. `forUser` sets it for a user; null is for what the
   * site itself looks for, and limits nothing.
   */
  readScope?: readonly ReadScope[] | null
  /**
   * Whether the list also has posts beyond the readScope, as long as it neither searches, filters nor orders by what only
   * readers of a post know. Whoever asks keeps them from the user; the total counts them.
   */
  listsHidden?: boolean
  /**
   * Leaves out items of the status `inherit` that are attached to what is not among this, but for those of an author (0
   * for nobody). Null: nothing is left out.
   */
  above?: { readScopes: readonly ReadScope[]; author: number } | null
  /** Protected posts that a search may find; null for all. */
  opens?: readonly ReadScope[] | null
  /** Dates as they are stored, in the site's time zone. */
  after?: string
  before?: string
  modifiedAfter?: string
  modifiedBefore?: string
  author?: readonly number[]
  authorExclude?: readonly number[]
  include?: readonly number[]
  exclude?: readonly number[]
  parent?: readonly number[]
  parentExclude?: readonly number[]
  slug?: readonly string[]
  menuOrder?: number
  mimeTypes?: readonly string[]
  /** First part of the MIME type: `image` */
  mediaType?: string
  terms?: readonly TermClause[]
  /** How the conditions on terms go together; `and` by default. */
  termRelation?: 'and' | 'or'
  /** By date unless it says otherwise. */
  orderby?: PostOrder
  order?: 'asc' | 'desc'
  /** Direction of the numbers of equals; that of the order unless it says otherwise. */
  ties?: 'asc' | 'desc'
  /** How many at most, after `offset` of them. */
  limit: number
  offset?: number
}

/** Key of the extra value that holds what the status of a post in the trash was. */
export const TRASHED_STATUS_KEY = '_trash_meta_status'

export type PostSelect<O = Record<never, never>> = SelectQueryBuilder<Database, 'posts', O>
/** What narrows a list. */
export type Condition = Expression<SqlBool>

/**
 * What a condition is for: to `find` posts by, or to `test` posts that are found in another way, so that no index is
 * looked for.
 */
export type Use = 'find' | 'test'

/** What the indexes of the orders hold after type and status, and before the number. */
export const ORDER_COLUMNS = {
  author: ['posts.author_id', 'posts.date'],
  date: ['posts.date'],
  modified: ['posts.modified'],
  parent: ['posts.parent_id'],
  slug: ['posts.slug'],
  menu_order: ['posts.menu_order'],
  id: [],
} as const

/** The conditions of a query. Values are bound: the wording depends on which of them are there, and on how many. */
export function narrow(store: Store, query: PostQuery): PostSelect {
  return store.db.selectFrom('posts').where(allOf(conditions(store, reached(query))))
}

/** The order of a query, except for the orders that a list gives. Ties go by id, so that pages never overlap. */
export function orderOf(
  store: Store,
  { orderby = 'date', order = 'desc', ties, search = '' }: PostQuery,
): [by: Expression<unknown>, direction: 'asc' | 'desc'][] {
  const id = sql.ref('posts.id')
  if (orderby === 'relevance') {
    const asked = parseSearch(search)
    return [
      // Where words are only unwanted, all that is found matches as well.
      ...(asked.wanted.length === 0 ? [] : [[rank(store, asked), 'asc'] as [Expression<unknown>, 'asc']]),
      [sql.ref('posts.date'), 'desc'],
      [id, ties ?? 'desc'],
    ]
  }
  if (orderby === 'include' || orderby === 'include_slugs') return []
  const columns =
    orderby === 'title' ? [store.sortKey('posts.title')] : ORDER_COLUMNS[orderby].map((column) => sql.ref(column))
  return [...columns.map((column): [Expression<unknown>, typeof order] => [column, order]), [id, ties ?? order]]
}

/** The query in its order. */
export function ordered<O>(store: Store, select: PostSelect<O>, query: PostQuery): PostSelect<O> {
  return orderOf(store, query).reduce((sorted, [by, direction]) => sorted.orderBy(by, direction), select)
}

/** Conditions as one. */
export function allOf(list: readonly Condition[]): Condition {
  return list.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(list, sql` and `)})`
}

function anyOf(list: readonly Condition[]): Condition {
  return list.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(list, sql` or `)})`
}

function not(condition: Condition): Condition {
  return sql<SqlBool>`not ${condition}`
}

/** The conditions of a query that was `reached`, those on types and statuses first. */
export function conditions(store: Store, query: PostQuery, use: Use = 'find'): Condition[] {
  const { search = '', terms = [], readScope = null, orderby = 'date' } = query
  const found: Condition[] = [store.isIn('posts.type', query.types), store.isIn('posts.status', query.statuses)]
  const add = (condition: Condition) => void found.push(condition)
  const [sorted] = orderby in ORDER_COLUMNS ? ORDER_COLUMNS[orderby as keyof typeof ORDER_COLUMNS] : []
  // What the posts are read in the order of is a stretch of that index.
  const column = (name: string) => (use === 'find' || name === sorted ? sql.ref(name) : unindexed(store, name))
  const among = (name: string, values: readonly (string | number)[] = []) => {
    if (values.length > 0) add(store.isIn(column(name), values))
  }
  const without = (name: string, values: readonly number[] = []) => {
    if (values.length > 0) add(not(store.isIn(column(name), values)))
  }
  const beyond = (name: string, after: string | undefined, before: string | undefined) => {
    if (after !== undefined) add(sql`${column(name)} > ${after}`)
    if (before !== undefined) add(sql`${column(name)} < ${before}`)
  }
  among('posts.id', query.include)
  without('posts.id', query.exclude)
  among('posts.author_id', query.author)
  without('posts.author_id', query.authorExclude)
  among('posts.parent_id', query.parent)
  without('posts.parent_id', query.parentExclude)
  among('posts.slug', query.slug)
  if (query.menuOrder !== undefined) among('posts.menu_order', [query.menuOrder])
  among('posts.mime_type', query.mimeTypes)
  if (query.mediaType !== undefined) {
    const type = column('posts.mime_type')
    const sqlite = store.dialect === 'sqlite'
    const kind = sqlite ? sql`substr(${type}, 1, instr(${type}, '/') - 1)` : sql`split_part(${type}, '/', 1)`
    // As the index of media has it.
    add(sql<SqlBool>`(${type} <> '' and ${kind} = ${query.mediaType})`)
  }
  beyond('posts.date', query.after, query.before)
  beyond('posts.modified', query.modifiedAfter, query.modifiedBefore)
  if (terms.length > 0) {
    const clauses = terms.map((clause) => onTerms(store, clause, use))
    add(query.termRelation === 'or' ? anyOf(clauses) : allOf(clauses))
  }
  if (search.trim() !== '') add(searched(store, search, query.opens, use))
  if (readScope !== null) add(within(store, readScope, { table: 'posts', column, types: query.types }))
  if (query.above) {
    const { readScopes, author } = query.above
    const own = author === 0 ? [] : [sql<SqlBool>`${column('posts.author_id')} = ${author}`]
    add(anyOf([sql<SqlBool>`posts.status <> ${'inherit'}`, ...own, attached(store, 'posts', readScopes)]))
  }
  return found
}

/** A column that no index is used for: SQLite would take the one that its facts speak for, and not the order's. */
function unindexed(store: Store, column: string): RawBuilder<unknown> {
  return store.dialect === 'sqlite' ? sql`+${sql.ref(column)}` : sql.ref(column)
}

/** How many items may be attached to each other in a row; who is attached to more is not listed. */
const DEEPEST = 3

/** Whether the post above a post may be read, or is not there. */
function attached(store: Store, below: string, readScopes: readonly ReadScope[], depth = 1): Condition {
  const above = `above_${depth}`
  const column = (name: string) => sql.ref(`${above}.${name}`)
  const readable = readScopes.map((readScope) =>
    within(store, [readScope], { table: above, column: (name) => sql.ref(name) }),
  )
  readable.push(
    depth < DEEPEST
      ? sql<SqlBool>`(${column('status')} = ${'inherit'} and ${attached(store, above, readScopes, depth + 1)})`
      : sql<SqlBool>`1 = 0`,
  )
  return sql<SqlBool>`not exists (select 1 from posts as ${sql.ref(above)}
    where ${column('id')} = ${sql.ref(`${below}.parent_id`)} and not (${sql.join(readable, sql` or `)}))`
}

/** How the posts of a readScope are told in SQL. */
interface Within {
  table: string
  /** A column by its name with the table. */
  column: (name: string) => RawBuilder<unknown>
  /** Types that the posts are of anyway. */
  types?: readonly string[]
}

/** Whether a post is one of those that are reached. */
function within(store: Store, readScopes: readonly ReadScope[], { table, column, types: asked }: Within): Condition {
  const isIn = (name: string, values: readonly string[]) => store.isIn(column(`${table}.${name}`), values)
  const inStates = ({ statuses, trashed }: States): Condition[] => [
    ...(statuses.length === 0 ? [] : [isIn('status', statuses)]),
    ...(trashed.length === 0 ? [] : [allOf([isIn('status', ['trash']), wasIn(store, table, trashed)])]),
  ]
  const each = readScopes.map(({ types, any, own, others, user }) => {
    const states = inStates(any)
    const [mine, theirs] = user === 0 ? [[], []] : [inStates(own), inStates(others)]
    const writer = column(`${table}.author_id`)
    if (mine.length > 0) states.push(allOf([sql<SqlBool>`${writer} = ${user}`, anyOf(mine)]))
    if (theirs.length > 0) states.push(allOf([sql<SqlBool>`${writer} <> ${user}`, anyOf(theirs)]))
    const isOfType = asked?.every((type) => types.includes(type)) === true ? [] : [isIn('type', types)]
    return allOf([...isOfType, anyOf(states)])
  })
  return anyOf(each)
}

/** Whether a post in the trash had one of these statuses before; where nobody knows, it was published. */
function wasIn(store: Store, table: string, statuses: readonly string[]): Condition {
  const before = sql`coalesce((select case when json = 0 then value end from post_meta
    where post_id = ${sql.ref(`${table}.id`)} and key = ${TRASHED_STATUS_KEY} order by post_meta.id limit 1), 'publish')`
  return store.isIn(before, statuses)
}

/** Whether all posts of the types and statuses of a query are reached. */
function covers(readScopes: readonly ReadScope[], { types, statuses }: PostQuery): boolean {
  return types.every((type) =>
    readScopes.some(
      (readScope) => readScope.types.includes(type) && statuses.every((one) => readScope.any.statuses.includes(one)),
    ),
  )
}

/** The query with the limits of what the user may read where they matter, and without them elsewhere. */
export function reached(query: PostQuery): PostQuery {
  const { readScope, opens } = query
  if (readScope === undefined) return { ...query, types: [], readScope: null }
  const limited = readScope !== null && (query.listsHidden !== true || looksInside(query)) && !covers(readScope, query)
  const shut = opens === undefined || (opens !== null && !covers(opens, query))
  return { ...query, readScope: limited ? readScope : null, ...(!shut && { opens: null }) }
}

/** Whether the answer depends on what only readers of a post know, rather than on its state and date alone. */
function looksInside(query: PostQuery): boolean {
  const { search = '', orderby = 'date', terms = [], menuOrder } = query
  const lists = [
    query.author,
    query.authorExclude,
    query.parent,
    query.parentExclude,
    query.slug,
    query.mimeTypes,
    query.include,
  ]
  const times = [query.after, query.before, query.modifiedAfter, query.modifiedBefore]
  return (
    search.trim() !== '' ||
    !['date', 'id'].includes(orderby) ||
    terms.length > 0 ||
    menuOrder !== undefined ||
    lists.some((list) => list !== undefined && list.length > 0) ||
    query.mediaType !== undefined ||
    times.some((time) => time !== undefined)
  )
}

/** Posts that have every wanted text and none of the unwanted ones in title, excerpt or content. */
function searched(store: Store, search: string, opens: PostQuery['opens'], use: Use): Condition {
  const { wanted, unwanted } = parseSearch(search)
  const has = (text: string) =>
    use === 'find' ? store.searchPosts(text) : anyOf(TEXTS.map((column) => store.contains(column, text)))
  const found: Condition[] = [...wanted.map(has), ...unwanted.map((text) => not(has(text)))]
  // What nobody may read without its password must not be told word by word either.
  if (opens !== null) {
    const column = (name: string) => unindexed(store, name)
    const open = opens === undefined || opens.length === 0 ? [] : [within(store, opens, { table: 'posts', column })]
    found.push(anyOf([sql<SqlBool>`posts.password = ${''}`, ...open]))
  }
  return allOf(found)
}

const TEXTS = ['posts.title', 'posts.excerpt', 'posts.content']

/**
 * 1 where the title has the text as it is, up to 6 where its words are in the content one by one. A single word is in
 * the title or it is not.
 */
function rank(store: Store, { sentence, single, wanted }: SearchTerms): Expression<number> {
  const title = wanted.map((text) => store.contains('posts.title', text))
  const [any, all] = [sql.join(title, sql` or `), sql.join(title, sql` and `)]
  if (single) return sql<number>`case when ${all} then 1 else 2 end`
  const whole = (column: string) => store.contains(column, sentence)
  return sql<number>`case when ${whole('posts.title')} then 1 when ${all} then 2 when ${any} then 3
    when ${whole('posts.excerpt')} then 4 when ${whole('posts.content')} then 5 else 6 end`
}

function onTerms(store: Store, clause: TermClause, use: Use): Condition {
  const { operator } = clause
  const having = operator === 'and' ? hasEach(store, clause, use) : hasOne(store, clause, use)
  return operator === 'not in' ? not(having) : having
}

function hasOne(store: Store, clause: TermClause, use: Use): Condition {
  const related = sql`term_relationships where term_id in (${termsNamed(store, clause)})`
  return use === 'find'
    ? sql<SqlBool>`posts.id in (select post_id from ${related})`
    : sql<SqlBool>`exists (select 1 from ${related} and post_id = posts.id)`
}

/** Whether a post has each of the terms, or one below it; however many they are, the statement is no longer for it. */
function hasEach(store: Store, clause: TermClause, use: Use): Condition {
  const wanted = new Set(clause.terms).size
  const related = sql`term_relationships inner join (${termsBelow(store, clause)}) as named on named.id = term_id`
  return use === 'find'
    ? sql<SqlBool>`posts.id in (select post_id from ${related} group by post_id having count(distinct root) = ${wanted})`
    : sql<SqlBool>`(select count(distinct root) from ${related} where post_id = posts.id) = ${wanted}`
}

/** Numbers of the terms that a clause names, which are of its taxonomy. */
export function termsNamed(store: Store, clause: TermClause): Expression<unknown> {
  return sql`select id from (${termsBelow(store, clause)}) as named`
}

/** The terms that a clause names, `root`, each with itself and, where the clause says so, with those below it. */
function termsBelow(store: Store, { taxonomy, terms, includeChildren = false }: TermClause): RawBuilder<unknown> {
  const named = sql`select id, id as root from terms where taxonomy = ${taxonomy} and ${store.isIn('terms.id', terms)}`
  if (!includeChildren) return named
  return sql`with recursive below(id, root) as (${named}
    union select terms.id, below.root from terms inner join below on below.id = terms.parent_id) select id, root from below`
}
