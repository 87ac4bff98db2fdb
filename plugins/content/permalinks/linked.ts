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

/** A page that a URL leads to. */
export type LinkedSubject =
  | { readonly kind: 'home' }
  | { readonly kind: 'post'; readonly post: LinkedPost }
  | { readonly kind: 'term'; readonly term: LinkedTerm }
  | { readonly kind: 'author'; readonly user: LinkedUser }
  /** Posts of a period: `2024`, `2024-05`, `2024-05-31`. */
  | { readonly kind: 'date'; readonly period: string }
  /** The archive of a content type, by its name. */
  | { readonly kind: 'type'; readonly name: string }
