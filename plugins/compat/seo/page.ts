import type { ContentType, FoundPage, FoundPost, FoundTerm, FoundUser, RequestCache } from '../../public.ts'

/** A page of the site, as far as its head depends on it. */
export type SeoPage = PageSubject & {
  /** URL of this page of the list; null without one. */
  readonly url: string | null
  /** Page number of the list, or part of the content, from 1. */
  readonly page: number
  readonly pages: number
  /** Whether this is the front page of the site. */
  readonly isFront: boolean
  readonly scope: RequestCache
}

/** The content that a page shows. */
export type PageSubject =
  | { readonly kind: 'home' }
  | { readonly kind: 'post'; readonly post: FoundPost }
  | { readonly kind: 'term'; readonly term: FoundTerm }
  | { readonly kind: 'author'; readonly user: FoundUser }
  /** `2024`, `2024-05`, `2024-05-31` */
  | { readonly kind: 'date'; readonly period: string }
  | { readonly kind: 'type'; readonly type: ContentType }
  | { readonly kind: 'search'; readonly search: string }
  /** A URL that does not exist. */
  | { readonly kind: 'missing' }
  /** A URL that is not a page of its own, such as a feed. */
  | { readonly kind: 'other' }

/** The found page, with its place among the pages of its list. */
export function pageOf(
  found: FoundPage | null,
  place: Pick<SeoPage, 'url' | 'page' | 'pages' | 'isFront' | 'scope'>,
): SeoPage {
  if (found === null) return { ...place, kind: 'missing', url: null }
  const { page: _, url: __, ...subject } = found
  return { ...place, ...(subject as PageSubject) }
}

/** An image in a head. */
export interface HeadImage {
  readonly url: string
  readonly width: number
  readonly height: number
  readonly type: string
  readonly alt: string
}

/** A part of the structured data of a page. */
export type Piece = Readonly<Record<string, unknown>>

/** The contents of a head, which both dialects write in their own form. Empty texts are left out. */
export interface Head {
  readonly title: string
  readonly description: string
  /** Values of the element `robots` by name: `{ index: 'index', follow: 'follow' }`. */
  readonly robots: Readonly<Record<string, string>>
  readonly canonical: string
  readonly prev: string
  readonly next: string
  readonly og: {
    readonly locale: string
    readonly type: string
    readonly title: string
    readonly description: string
    readonly url: string
    readonly siteName: string
    readonly images: readonly HeadImage[]
  }
  readonly article: {
    readonly publisher: string
    readonly author: string
    readonly tags: readonly string[]
    readonly section: string
    /** ISO 8601 with offset. */
    readonly published: string
    readonly modified: string
  }
  /** Name of the author of a post. */
  readonly author: string
  readonly twitter: {
    readonly card: string
    readonly title: string
    readonly description: string
    readonly image: string
    readonly site: string
    readonly creator: string
    /** Labelled facts such as the reading time. */
    readonly facts: readonly (readonly [label: string, value: string])[]
  }
  readonly graph: readonly Piece[]
}

/** Returns an object without its empty texts, empty lists and undefined values. */
export function withoutEmpty(piece: Piece): Piece {
  return Object.fromEntries(
    Object.entries(piece).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
