import type { Expression, SqlBool } from 'kysely'
import type { ListCursor } from '../../resources/index.ts'
import {
  expressionBuilder,
  sql,
  isBehind,
  type Database,
  type Row,
  type SortColumn,
  type Store,
} from '../../storage/store/index.ts'
import { meetsFields, sortColumnOf, type FieldOrder, type FieldQuery } from '../../storage/field-index/index.ts'
import { isVisible, NOTE, type Visibility } from './visibility.ts'

/** Values of `orderby`; `include` keeps the order of the list `include`. */
export const COMMENT_ORDERS = ['date', 'date_gmt', 'id', 'include', 'post', 'parent', 'type'] as const
export type CommentOrder = (typeof COMMENT_ORDERS)[number] | FieldOrder

/** Selects and orders comments. A property that is missing or an empty list does not limit the result. */
export interface CommentQuery extends FieldQuery<keyof Row<'comments'>> {
  /** Limits the list to comments that a user may see; null reads without permission checks. */
  visibility: Visibility | null
  /** Stored states: `1` approved, `0` held, `spam`, `trash`. */
  approved?: readonly string[]
  types?: readonly string[]
  posts?: readonly number[]
  parents?: readonly number[]
  parentsExcluded?: readonly number[]
  authors?: readonly number[]
  authorsExcluded?: readonly number[]
  authorEmail?: string
  include?: readonly number[]
  exclude?: readonly number[]
  /** A text that the content or the name or URL of the author contains. */
  search?: string
  /** Whether the search includes email and IP addresses. */
  searchPrivate?: boolean
  /** Limits of the stored date in the site's time zone, both exclusive. */
  after?: string
  before?: string
  /** `date_gmt` by default; `meta.rating` lists only comments with a rating. */
  orderby?: CommentOrder
  order?: 'asc' | 'desc'
  /**
   * Cursor paging: returns the comments after this cursor, or the first page for null, with the cursor of the next
   * page.
   */
  cursor?: ListCursor | null
  /** Maximum number of comments, after skipping `offset`. */
  limit: number
  offset?: number
}

export type Condition = Expression<SqlBool>

const ORDER_COLUMNS = {
  date: 'date',
  date_gmt: 'date_gmt',
  id: 'id',
  post: 'post_id',
  parent: 'parent_id',
  type: 'type',
} as const

/** The list property of the query that limits each column. */
const LISTS = {
  approved: 'approved',
  type: 'types',
  post_id: 'posts',
  parent_id: 'parents',
  author_id: 'authors',
  id: 'include',
} as const satisfies Partial<Record<keyof Row<'comments'>, keyof CommentQuery>>

export const of = expressionBuilder<Database, 'comments'>()

/**
 * Returns the conditions of a query without its visibility. Values are bound, so the SQL text depends only on which are
 * set and how many.
 */
export function conditionsOf(store: Store, query: CommentQuery): Condition[] {
  const { search = '' } = query
  const conditions: Condition[] = []
  const add = (condition: Condition) => void conditions.push(condition)
  const isIn = (column: keyof typeof LISTS) => {
    const values = query[LISTS[column]] ?? []
    if (values.length > 0) add(store.isIn(`comments.${column}`, values))
  }
  const isNotIn = (column: 'id' | 'parent_id' | 'author_id', values: readonly number[] = []) => {
    if (values.length > 0) add(of.not(store.isIn(`comments.${column}`, values)))
  }
  for (const column of Object.keys(LISTS)) isIn(column as keyof typeof LISTS)
  isNotIn('id', query.exclude)
  isNotIn('parent_id', query.parentsExcluded)
  isNotIn('author_id', query.authorsExcluded)
  if (query.authorEmail !== undefined) add(of('comments.author_email', '=', query.authorEmail))
  if (query.after !== undefined) add(of('comments.date', '>', query.after))
  if (query.before !== undefined) add(of('comments.date', '<', query.before))
  if (query.cursor) add(isBehind(sortColumns(query), query.cursor))
  for (const condition of meetsFields(store, query, 'comments.id', limitsOf(query))) add(condition)
  if (search !== '') {
    const columns = ['content', 'author_name', 'author_url']
    if (query.searchPrivate) columns.push('author_email', 'author_ip')
    add(of.or(columns.map((column) => store.contains(`comments.${column}`, search))))
  }
  return conditions
}

/** Returns the limits on type and status, which the field index stores too. */
function limitsOf({ types = [], approved = [] }: CommentQuery) {
  return { ...(types.length > 0 && { types }), ...(approved.length > 0 && { statuses: approved }) }
}

/** Returns the conditions of a query with its visibility. */
export function visible(query: CommentQuery, conditions: readonly Condition[]): Condition {
  const { visibility } = query
  return of.and(visibility === null ? conditions : [...conditions, isVisible(visibility, isOrdinaryQuery(query))])
}

/** Checks whether a query selects only approved comments that are not notes. */
export function isOrdinaryQuery({ approved = [], types = [] }: CommentQuery): boolean {
  return approved.join() === '1' && types.length > 0 && !types.includes(NOTE)
}

/**
 * Returns the order of a query. Ties are broken by ID so that pages never overlap, newest first unless a date decides.
 */
export function orderOf(query: CommentQuery): [by: Expression<unknown>, direction: 'asc' | 'desc'][] {
  const { ownSort, order = 'desc' } = query
  if (ownSort !== undefined)
    return [
      [ownSort.expression, order],
      [sql.ref('comments.id'), 'desc'],
    ]
  return sortColumns(query).map(({ by, direction }) => [by, direction])
}

/** Returns the sort columns that a cursor compares. A plugin's own SQL order has none. */
export function sortColumns({ orderby = 'date_gmt', order = 'desc', fields }: CommentQuery): SortColumn[] {
  const column = (name: keyof Row<'comments'>, direction: 'asc' | 'desc'): SortColumn => {
    return { name, by: sql.ref(`comments.${name}`), direction }
  }
  if (fields?.sort)
    return [sortColumnOf(fields.sort, 'comments.id', order), column('date_gmt', order), column('id', order)]
  const name = orderby === 'include' ? 'date_gmt' : ORDER_COLUMNS[orderby as keyof typeof ORDER_COLUMNS]
  if (name === 'id') return [column('id', order)]
  const dated = name === 'date' || name === 'date_gmt'
  return [column(name, order), column('id', dated ? order : 'desc')]
}
