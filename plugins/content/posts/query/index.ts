import type { Store } from '../../../storage/store/index.ts'
import { effectiveQuery } from './effective-query.ts'
import { tagsOfList } from './list-tags.ts'
import { PostLists } from './lists.ts'

export {
  POST_ORDERS,
  SEARCH_COLUMNS,
  type PostOrder,
  type PostQuery,
  type ReadScope,
  type ScopedPostQuery,
  type SearchColumn,
  type StatusSet,
  type TermClause,
} from './query.ts'
export type { PostSelect } from './select-posts.ts'

/** Finds posts by queries. */
export interface PostQueries {
  /** Drops limits that cannot change the result of a query; `lists` reads only such queries. */
  readonly effectiveQuery: typeof effectiveQuery
  readonly lists: PostLists
  /** Returns the tags of the lists that a query reads. */
  readonly tagsOfList: typeof tagsOfList
}

/** Creates the queries for a store. This is the entry point of the folder for other files of posts. */
export function createPostQueries(store: Store): PostQueries {
  return { effectiveQuery, lists: new PostLists(store), tagsOfList }
}
