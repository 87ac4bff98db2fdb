import type { Row } from '../../storage/store/index.ts'

/** Columns of a post that its URL depends on. */
export type LinkedPost = Pick<
  Row<'posts'>,
  'id' | 'type' | 'status' | 'slug' | 'title' | 'author_id' | 'parent_id' | 'date'
>
/** Columns of a term that its URL depends on. */
export type LinkedTerm = Pick<Row<'terms'>, 'id' | 'taxonomy' | 'slug' | 'parent_id'>
/** Columns of a user that the URL of their page depends on. */
export type LinkedUser = Pick<Row<'users'>, 'id' | 'slug'>
