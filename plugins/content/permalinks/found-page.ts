import type { Services } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'

// As their services give them: the plugins behind these need this one.
export type FoundPost = NonNullable<Awaited<ReturnType<Services['posts']['getAttached']>>>
export type FoundTerm = NonNullable<Awaited<ReturnType<Services['terms']['get']>>>
export type FoundUser = Awaited<ReturnType<Services['users']['query']>>['items'][number]

/** What a URL of the site names, rights aside. */
export type FoundPage = FoundSubject & {
  /** The URL that names it, of its first page; null where it has none of its own. */
  readonly url: string | null
  /** Which page of its list, or part of its content, is asked for, from 1. */
  readonly page: number
}

export type FoundSubject =
  | { readonly kind: 'home' }
  | { readonly kind: 'post'; readonly post: FoundPost; readonly commentPage: number }
  | { readonly kind: 'term'; readonly term: FoundTerm }
  | { readonly kind: 'author'; readonly user: FoundUser }
  /** Posts of a period: `2024`, `2024-05`, `2024-05-31`. */
  | { readonly kind: 'date'; readonly period: string }
  | { readonly kind: 'type'; readonly type: ContentType }
  | { readonly kind: 'search'; readonly search: string }
