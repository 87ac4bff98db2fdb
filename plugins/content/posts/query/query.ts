import type { ListCursor } from '../../../resources/index.ts'
import type { Row } from '../../../storage/store/index.ts'
import type { FieldOrder, FieldQuery } from '../../../storage/field-index/index.ts'

/** What posts can be ordered by; `include` and `include_slugs` keep the order of the lists `include` and `slug`. */
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

/** The texts of a post that a search looks at. */
export const SEARCH_COLUMNS = ['title', 'content', 'excerpt'] as const
export type SearchColumn = (typeof SEARCH_COLUMNS)[number]

/** A condition on the terms of posts. */
export interface TermClause {
  taxonomy: string
  terms: readonly number[]
  /** Whether terms below those named count too; of `and` a post must have them all. */
  includeChildren?: boolean
  /** `in`: one of the terms; `and`: all of them; `not in`: none. */
  operator: 'in' | 'and' | 'not in'
}

/** Posts by their status. */
export interface StatusSet {
  statuses: readonly string[]
  /** Without `trash` among the statuses: what those posts in the trash were before that are meant all the same. */
  trashed: readonly string[]
}

/** Which posts of some types a user has a right to. */
export interface ReadScope {
  types: readonly string[]
  /** Whoever wrote them. */
  any: StatusSet
  /** Further ones of their own. */
  own: StatusSet
  /** Further ones of others. */
  others: StatusSet
  /** ID of the user; 0 for a visitor, who has none of their own. */
  user: number
}

/** Which posts, in which order. What is left out does not limit the list. */
export interface PostQuery extends FieldQuery<keyof Row<'posts'>> {
  types: readonly string[]
  statuses: readonly string[]
  /** Words, "phrases" and -words, looked for in title, excerpt and content. */
  search?: string
  /** Limits the search to some of these texts. */
  searchColumns?: readonly SearchColumn[]
  /** Whether names of the files of attachments are searched too. */
  searchFiles?: boolean
  /** Whether a text must be what is looked for, rather than contain it. */
  searchExact?: boolean
  /** Limits the list to these posts. `forUser` sets it for a user; null is for what the site itself looks for. */
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
  /** A further condition on terms, which holds whatever `termRelation` is. */
  format?: TermClause
  /** Limits the list to posts that the user may change, as far as `forUser` limits it. */
  editable?: boolean
  /** By date unless it says otherwise; `meta.price` lists what has a price. */
  orderby?: PostOrder
  order?: 'asc' | 'desc'
  /** Direction of the IDs of posts that are equal in the order; that of the order unless it says otherwise. */
  tieOrder?: 'asc' | 'desc'
  /** Of a search the posts of one rank alone, from 1, the best, on. */
  rank?: number
  /**
   * Pages by place: the list begins behind it, or at its first post for null, and says where it goes on. Leaves no room for
   * an `offset`, and is not for what a list or a search gives the order of.
   */
  cursor?: ListCursor | null
  /** How many at most, after `offset` of them. */
  limit: number
  offset?: number
}

/**
 * A query of which it is said for whom: `services.posts.forUser(query, user)` makes one of any query; `readScope: null` is
 * for what the site itself looks for, and limits nothing.
 */
export interface ScopedPostQuery extends PostQuery {
  readScope: readonly ReadScope[] | null
}

/** What the indexes of the orders hold after type and status, and before the ID. */
export const ORDER_COLUMNS = {
  author: ['posts.author_id', 'posts.date'],
  date: ['posts.date'],
  modified: ['posts.modified'],
  parent: ['posts.parent_id'],
  slug: ['posts.slug'],
  menu_order: ['posts.menu_order'],
  id: [],
} as const

/** Whether the order of a query is that of a list which it gives. */
export function isAsGiven({ orderby, ownSort }: PostQuery): boolean {
  if (ownSort !== undefined) return false
  return orderby === 'include' || orderby === 'include_slugs'
}
