import type { Post } from '../../../content/posts/index.ts'

/** One page of the posts that a query lists. */
export interface QueryPage {
  readonly posts: readonly Post[]
  /** How many there are on all pages. */
  readonly total: number
  readonly perPage: number
  /** This page, from 1. */
  readonly page: number
  /** How many pages there are, as far as they are shown. */
  readonly pages: number
}
