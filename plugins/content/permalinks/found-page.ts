import type { Services } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'

// Derived from the services, because the plugins that provide them depend on this one.
export type FoundPost = NonNullable<Awaited<ReturnType<Services['posts']['getAttached']>>>
export type FoundTerm = NonNullable<Awaited<ReturnType<Services['terms']['get']>>>
export type FoundUser = Awaited<ReturnType<Services['users']['query']>>['items'][number]

/** The page a URL leads to, without regard to permissions. */
export type FoundPage = FoundSubject & {
  /** Canonical URL of the first page; null if the page has no URL, as for a search. */
  readonly url: string | null
  /** Requested page of the list, or part of the content, from 1. */
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

type Distribute<T> = T extends unknown ? Omit<T, 'page'> & { page?: number } : never
/** A page whose number in its list is not known yet. */
export type FoundTarget = Distribute<FoundPage>
