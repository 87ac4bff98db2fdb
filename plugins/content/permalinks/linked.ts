import type { Row } from '../../storage/store/index.ts'

/** What the URL of a post depends on. */
export type LinkedPost = Pick<
  Row<'posts'>,
  'id' | 'type' | 'status' | 'slug' | 'title' | 'author_id' | 'parent_id' | 'date'
>
/** What the URL of a term depends on. */
export type LinkedTerm = Pick<Row<'terms'>, 'id' | 'taxonomy' | 'slug' | 'parent_id'>
/** What the URL of a user's page depends on. */
export type LinkedUser = Pick<Row<'users'>, 'id' | 'slug'>
