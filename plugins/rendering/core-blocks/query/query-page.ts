import type { Post } from '../../../content/posts/index.ts'

/** One page of the posts in a query. */
export interface QueryPage {
  readonly posts: readonly Post[]
  /** Number of posts on all pages. */
  readonly total: number
  readonly perPage: number
  /** Page number, starting at 1. */
  readonly page: number
  /** Number of pages, within the limit of the query. */
  readonly pages: number
}
