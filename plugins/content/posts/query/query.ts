import type { ListCursor } from '../../../resources/index.ts'
import type { Row } from '../../../storage/store/index.ts'
import type { FieldOrder, FieldQuery } from '../../../storage/field-index/index.ts'

/** Orders of a post list; `include` and `include_slugs` preserve the order of the lists `include` and `slug`. */
export const POST_ORDERS = [
  'author',
  'date',
  'id',
  'include',
  'modified',
  'parent',
  'relevance',
  'slug',
  'include_slugs',
  'title',
  'menu_order',
] as const
export type PostOrder = (typeof POST_ORDERS)[number] | FieldOrder

/** The texts of a post that searches cover. */
export const SEARCH_COLUMNS = ['title', 'content', 'excerpt'] as const
export type SearchColumn = (typeof SEARCH_COLUMNS)[number]

/** A condition on the terms of posts. */
export interface TermClause {
  taxonomy: string
  terms: readonly number[]
  /** Whether descendants of the terms count too. With `and`, a post must have all descendants as well. */
  includeChildren?: boolean
  /** `in`: any of the terms; `and`: all of them; `not in`: none of them. */
  operator: 'in' | 'and' | 'not in'
}

/** A set of posts by status. */
export interface StatusSet {
  statuses: readonly string[]
  /** Former statuses of the trashed posts that the set includes, if `statuses` does not contain `trash`. */
  trashed: readonly string[]
}

/** The posts of some types that a user has a right to. */
export interface ReadScope {
  types: readonly string[]
  /** Posts by any author. */
  any: StatusSet
  /** Additional posts by the user. */
  own: StatusSet
  /** Additional posts by other authors. */
  others: StatusSet
  /** ID of the user; 0 for a visitor. */
  user: number
}

/** Selects and orders posts. An omitted condition does not limit the list. */
export interface PostQuery extends FieldQuery<keyof Row<'posts'>> {
  types: readonly string[]
  statuses: readonly string[]
  /** Words, "phrases" and -words to search for in title, excerpt and content. */
  search?: string
  /** Limits the search to these texts. */
  searchColumns?: readonly SearchColumn[]
  /** Whether file names of attachments are searched too. */
  searchFiles?: boolean
  /** Whether a text must equal the search text rather than contain it. */
  searchExact?: boolean
  /** Limits the list to these posts. `forUser` sets it for a user; null is for reads by the site itself. */
  readScope?: readonly ReadScope[] | null
  /**
   * Whether the list also includes posts outside of `readScope`, as long as it does not search, filter or sort by
   * properties that only readers of a post may know. The caller must hide them from the user; the total counts them.
   */
  listsHidden?: boolean
  /**
   * Excludes items with the status `inherit` whose parent is outside of these scopes, except for items of an author (0
   * for no author). Null excludes nothing.
   */
  above?: { readScopes: readonly ReadScope[]; author: number } | null
  /** Scopes of the protected posts that a search may find; null for all. */
  opens?: readonly ReadScope[] | null
  /** Stored dates, in the time zone of the site. */
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
  /** How term conditions are combined; `and` by default. */
  termRelation?: 'and' | 'or'
  /** A separate term condition that always applies, regardless of `termRelation`. */
  format?: TermClause
  /** Limits the list to posts that the user may edit. `forUser` applies it. */
  editable?: boolean
  /** `date` by default; `meta.price` lists only posts with a price. */
  orderby?: PostOrder
  order?: 'asc' | 'desc'
  /** Direction of the IDs of posts that are equal in the order; same as `order` by default. */
  tieOrder?: 'asc' | 'desc'
  /** Limits a search to posts of one rank, starting with 1 for the best. */
  rank?: number
  /**
   * Pages by cursor: the list starts after it, or at the first post if null, and returns the next cursor. Cannot be
   * combined with `offset`, nor with the orders `relevance`, `include` and `include_slugs`.
   */
  cursor?: ListCursor | null
  /** Maximum number of posts, after skipping `offset` posts. */
  limit: number
  offset?: number
}

/**
 * A query with a decision about whose rights apply: `services.posts.forUser(query, user)` limits it to a user;
 * `readScope: null` is for reads by the site itself and limits nothing.
 */
export interface ScopedPostQuery extends PostQuery {
  readScope: readonly ReadScope[] | null
}

/** Columns of the index of each order, after type and status and before the ID. */
export const ORDER_COLUMNS = {
  author: ['posts.author_id', 'posts.date'],
  date: ['posts.date'],
  modified: ['posts.modified'],
  parent: ['posts.parent_id'],
  slug: ['posts.slug'],
  menu_order: ['posts.menu_order'],
  id: [],
} as const

/** Whether a query is ordered by a list that it contains. */
export function isInListOrder({ orderby, ownSort }: PostQuery): boolean {
  if (ownSort !== undefined) return false
  return orderby === 'include' || orderby === 'include_slugs'
}
