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

/** What comments can be ordered by; `include` keeps the order of the list of the same name. */
export const COMMENT_ORDERS = ['date', 'date_gmt', 'id', 'include', 'post', 'parent', 'type'] as const
export type CommentOrder = (typeof COMMENT_ORDERS)[number] | FieldOrder

/** Which comments, in which order. What is left out, and an empty list, does not limit the list. */
export interface CommentQuery extends FieldQuery<keyof Row<'comments'>> {
  /** Limits the list to what a user may see; null asks for no rights. */
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
  /** A text that the content, or the name or URL of the author, contains. */
  search?: string
  /** Whether the search looks into email and IP addresses too. */
  searchPrivate?: boolean
  /** Dates as they are stored, in the site's time zone; neither is included. */
  after?: string
  before?: string
  /** By `date_gmt` unless it says otherwise; `meta.rating` lists what has a rating. */
  orderby?: CommentOrder
  order?: 'asc' | 'desc'
  /** Pages by place: the list begins behind it, or at its first comment for null, and says where it goes on. */
  cursor?: ListCursor | null
  /** How many at most, after `offset` of them. */
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

/** The lists that a column has to be in. */
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
 * The conditions of a query, visibility aside. Values are bound; the wording depends on which of them are there, and on
 * how many.
 */
export function conditionsOf(store: Store, query: CommentQuery): Condition[] {
  const { search = '' } = query
  const found: Condition[] = []
  const add = (condition: Condition) => void found.push(condition)
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
  return found
}

/** What a list is limited to of what the values of fields repeat. */
function limitsOf({ types = [], approved = [] }: CommentQuery) {
  return { ...(types.length > 0 && { types }), ...(approved.length > 0 && { statuses: approved }) }
}

/** The conditions of a query, visibility among them. */
export function visible(query: CommentQuery, conditions: readonly Condition[]): Condition {
  const { visibility } = query
  return of.and(visibility === null ? conditions : [...conditions, isVisible(visibility, isOrdinaryQuery(query))])
}

/** Whether a query holds nothing but approved comments that are no notes. */
export function isOrdinaryQuery({ approved = [], types = [] }: CommentQuery): boolean {
  return approved.join() === '1' && types.length > 0 && !types.includes(NOTE)
}

/** What a list is ordered by. Equals go by ID, so that pages never overlap: the newest first unless dates decide. */
export function orderOf(query: CommentQuery): [by: Expression<unknown>, direction: 'asc' | 'desc'][] {
  const { ownSort, order = 'desc' } = query
  if (ownSort !== undefined)
    return [
      [ownSort.expression, order],
      [sql.ref('comments.id'), 'desc'],
    ]
  return sortColumns(query).map(({ by, direction }) => [by, direction])
}

/** The columns of an order that is not of a plugin's own, as a cursor goes by them. */
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
