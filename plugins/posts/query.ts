import { sql, type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Database, Store } from '../store/index.ts'
import { parseSearch, type SearchTerms } from './search.ts'

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

/** Whose posts a list may tell more of than that they are there. */
export interface Reach {
  /** Statuses that everybody who lists them may read. */
  statuses: readonly string[]
  /** Whose own posts may be read whatever their status; 0 for nobody. */
  author: number
}

/** What may be read of some types. */
export interface TypeReach extends Reach {
  types: readonly string[]
}

/** Which posts, in which order. What is left out does not narrow. */
export interface PostQuery {
  types: readonly string[]
  statuses: readonly string[]
  /** Words, "phrases" and -words, looked for in title, excerpt and content. */
  search?: string
  /**
   * Limits the list to these posts where it searches, filters or orders by what only readers of a post know, so that
   * neither number nor order tells of it. Null: the person may read all that the list holds.
   */
  reach?: Reach | null
  /**
   * Leaves out items of the status `inherit` that are attached to what is not among this, but for those of an author (0
   * for nobody). Null: nothing is left out.
   */
  above?: { reaches: readonly TypeReach[]; author: number } | null
  /** Whose protected posts a search may find; null for everybody's. */
  opens?: { author: number } | null
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

export type PostSelect<O = Record<never, never>> = SelectQueryBuilder<Database, 'posts', O>
type Builder = ExpressionBuilder<Database, 'posts'>
type Condition = Expression<SqlBool>

const ORDER_COLUMNS = {
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
  return store.db.selectFrom('posts').where((eb) => eb.and(conditions(store, eb, query)))
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

function conditions(store: Store, eb: Builder, query: PostQuery): Condition[] {
  const { search = '', terms = [], reach = null } = query
  const found: Condition[] = [isIn(store, 'posts.type', query.types), isIn(store, 'posts.status', query.statuses)]
  const add = (condition: Condition) => void found.push(condition)
  if (query.include?.length) add(isIn(store, 'posts.id', query.include))
  if (query.exclude?.length) add(eb.not(isIn(store, 'posts.id', query.exclude)))
  if (query.author?.length) add(isIn(store, 'posts.author_id', query.author))
  if (query.authorExclude?.length) add(eb.not(isIn(store, 'posts.author_id', query.authorExclude)))
  if (query.parent?.length) add(isIn(store, 'posts.parent_id', query.parent))
  if (query.parentExclude?.length) add(eb.not(isIn(store, 'posts.parent_id', query.parentExclude)))
  if (query.slug?.length) add(isIn(store, 'posts.slug', query.slug))
  if (query.menuOrder !== undefined) add(eb('posts.menu_order', '=', query.menuOrder))
  if (query.mimeTypes?.length) add(isIn(store, 'posts.mime_type', query.mimeTypes))
  if (query.mediaType !== undefined) {
    const type = sql.ref('posts.mime_type')
    const sqlite = store.dialect === 'sqlite'
    const kind = sqlite ? sql`substr(${type}, 1, instr(${type}, '/') - 1)` : sql`split_part(${type}, '/', 1)`
    // As the index of media has it.
    add(sql<SqlBool>`${type} <> '' and ${kind} = ${query.mediaType}`)
  }
  if (query.after !== undefined) add(eb('posts.date', '>', query.after))
  if (query.before !== undefined) add(eb('posts.date', '<', query.before))
  if (query.modifiedAfter !== undefined) add(eb('posts.modified', '>', query.modifiedAfter))
  if (query.modifiedBefore !== undefined) add(eb('posts.modified', '<', query.modifiedBefore))
  if (terms.length > 0) {
    const clauses = terms.map((clause) => onTerms(store, eb, clause))
    add(query.termRelation === 'or' ? eb.or(clauses) : eb.and(clauses))
  }
  if (search.trim() !== '') add(searched(store, eb, search, query.opens))
  if (reach !== null && looksInside(query)) {
    const own = reach.author === 0 ? [] : [eb('posts.author_id', '=', reach.author)]
    add(eb.or([isIn(store, 'posts.status', reach.statuses), ...own]))
  }
  if (query.above) {
    const { reaches, author } = query.above
    const own = author === 0 ? [] : [eb('posts.author_id', '=', author)]
    add(eb.or([eb('posts.status', '<>', 'inherit'), ...own, attached(store, 'posts', reaches)]))
  }
  return found
}

/** How many items may be attached to each other in a row; who is attached to more is not listed. */
const DEEPEST = 3

/** Whether the post above a post may be read, or is not there. */
function attached(store: Store, below: string, reaches: readonly TypeReach[], depth = 1): Condition {
  const above = `above_${depth}`
  const column = (name: string) => sql.ref(`${above}.${name}`)
  const readable = reaches.map(({ types, statuses, author }) => {
    const inStatus = isIn(store, `${above}.status`, statuses)
    const own = sql<SqlBool>`(${column('author_id')} = ${author} and ${column('status')} <> ${'inherit'})`
    return sql<SqlBool>`(${isIn(store, `${above}.type`, types)} and ${author === 0 ? inStatus : sql`(${inStatus} or ${own})`})`
  })
  readable.push(
    depth < DEEPEST
      ? sql<SqlBool>`(${column('status')} = ${'inherit'} and ${attached(store, above, reaches, depth + 1)})`
      : sql<SqlBool>`1 = 0`,
  )
  return sql<SqlBool>`not exists (select 1 from posts as ${sql.ref(above)}
    where ${column('id')} = ${sql.ref(`${below}.parent_id`)} and not (${sql.join(readable, sql` or `)}))`
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
function searched(store: Store, eb: Builder, search: string, opens: PostQuery['opens']): Condition {
  const { wanted, unwanted } = parseSearch(search)
  const found: Condition[] = [
    ...wanted.map((text) => store.searchPosts(text)),
    ...unwanted.map((text) => eb.not(store.searchPosts(text))),
  ]
  // What nobody may read without its password must not be told word by word either.
  if (opens !== null) {
    const own = opens === undefined || opens.author === 0 ? [] : [eb('posts.author_id', '=', opens.author)]
    found.push(eb.or([eb('posts.password', '=', ''), ...own]))
  }
  return eb.and(found)
}

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

/**
 * The posts of the page of a list that has nothing to go by but one term, newest or oldest first: a stretch of the index
 * of relationships, however many posts the term has. Null for every other list.
 */
export function pageOfTerm(store: Store, query: PostQuery): Condition | null {
  const { types, statuses, terms = [], orderby = 'date', order = 'desc', ties = order } = query
  const { limit, offset = 0, reach = null, above = null, ...filters } = query
  const [clause] = terms
  const [type] = types
  const [status = ''] = statuses
  if (clause?.terms.length !== 1 || clause.operator === 'not in' || clause.includeChildren === true) return null
  if (terms.length > 1 || types.length !== 1 || statuses.length !== 1 || orderby !== 'date' || above !== null)
    return null
  if (reach !== null && !reach.statuses.includes(status)) return null
  for (const [name, value] of Object.entries(filters)) {
    if (!PAGE_KEYS.has(name) && value !== undefined && value !== '' && !isEmpty(value)) return null
  }
  const id = sql`select id from terms where ${isIn(store, 'terms.id', clause.terms)} and taxonomy = ${clause.taxonomy}`
  const [by, tie] = [DIRECTIONS[order], DIRECTIONS[ties]]
  return sql<SqlBool>`posts.id in (select post_id from term_relationships
    where term_id = (${id}) and post_type = ${type} and post_status = ${status}
    order by post_date ${by}, post_id ${tie} limit ${limit} offset ${offset})`
}

/** What a list of one term may say: who it is for, and in which order. */
const PAGE_KEYS: ReadonlySet<string> = new Set<keyof PostQuery>([
  'types', 'statuses', 'terms', 'termRelation', 'orderby', 'order', 'ties', 'opens',
]) // prettier-ignore
const DIRECTIONS = { asc: sql`asc`, desc: sql`desc` }

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

function onTerms(
  store: Store,
  eb: Builder,
  { terms, includeChildren = false, operator, taxonomy }: TermClause,
): Condition {
  const having = (ids: readonly number[]) => {
    const { db } = store
    const named = db
      .selectFrom('terms')
      .select('terms.id')
      .where('terms.taxonomy', '=', taxonomy)
      .where(isIn(store, 'terms.id', ids))
    const wanted = includeChildren
      ? db
          .withRecursive('below(id)', (cte) =>
            cte
              .selectFrom('terms')
              .select('terms.id')
              .where('terms.taxonomy', '=', taxonomy)
              .where(isIn(store, 'terms.id', ids))
              .union(cte.selectFrom('terms').innerJoin('below', 'below.id', 'terms.parent_id').select('terms.id')),
          )
          .selectFrom('below')
          .select('below.id')
      : named
    return eb('posts.id', 'in', db.selectFrom('term_relationships').select('post_id').where('term_id', 'in', wanted))
  }
  if (operator === 'and') return eb.and(terms.map((id) => having([id])))
  return operator === 'in' ? having(terms) : eb.not(having(terms))
}

/** Above so many values a list is bound as one, or each length would be a statement of its own. */
const MOST_PLACES = 20

/** Whether a column has one of the values. Its wording depends on how many they are, never on what they are. */
export function isIn(store: Store, column: string, values: readonly (string | number)[]): Condition {
  const listed = [...new Set(values)].filter((value) => typeof value === 'string' || Number.isSafeInteger(value))
  const ref = sql.ref(column)
  if (listed.length === 0) return sql<SqlBool>`1 = 0`
  if (listed.length === 1) return sql<SqlBool>`${ref} = ${listed[0]}`
  if (listed.length <= MOST_PLACES) return sql<SqlBool>`${ref} in (${sql.join(listed)})`
  // PostgreSQL's JSON knows neither NUL nor half a character.
  const json = JSON.stringify(
    listed.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value)),
  )
  if (store.dialect === 'sqlite') return sql<SqlBool>`${ref} in (select value from json_each(${json}))`
  return typeof listed[0] === 'string'
    ? sql<SqlBool>`${ref} in (select jsonb_array_elements_text(${json}::jsonb))`
    : sql<SqlBool>`${ref} in (select jsonb_array_elements_text(${json}::jsonb)::bigint)`
}
