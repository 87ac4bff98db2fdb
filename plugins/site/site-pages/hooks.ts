import {
  action,
  filter,
  syncFilter,
  type Action,
  type CurrentUser,
  type Filter,
  type HookSpecs,
  type RequestCache,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'
import { PageHtml } from '../../library/markup/index.ts'
import type { FoundPage } from '../../content/permalinks/index.ts'

/**
 * An element in the head of a page: `{ element: 'link', attributes: { rel: 'icon', href } }`, whose values are escaped;
 * `{ element: 'style', css: '.garden { color: green }' }`, which the page's Content-Security-Policy permits; or
 * `{ element: 'json-ld', data: { '@type': 'Recipe' } }`, structured data for search engines.
 */
export type HeadElement =
  | { readonly element: 'link' | 'meta'; readonly attributes: Readonly<Record<string, string>> }
  | { readonly element: 'style'; readonly css: string }
  | { readonly element: 'json-ld'; readonly data: object }

/** A page of the site that is about to be sent. */
export interface ShownPage {
  /** The post, archive, search … at the URL; null if the URL does not exist. */
  readonly found: FoundPage | null
  /** Canonical URL including the page number; null if the page has no URL. */
  readonly url: string | null
  /** Title of the page as plain text, without the title of the site. */
  readonly title: string
  /** Number of the page in its list, or of the part of its content, from 1. */
  readonly page: number
  /** Number of pages of the list, or of parts of the content. */
  readonly pages: number
  /** Whether the page is rendered for one user only; private pages are not cached. */
  readonly isPrivate: boolean
  /** The requesting user. */
  readonly user: CurrentUser
  /** Cache of this request. */
  readonly scope: RequestCache
}

/** The hooks of pages of the site. */
interface SitePagesHooks {
  /** Action: the content at the URL of a page has been found, and is about to be rendered; null for a 404 page. @since 0.1.0 */
  site_page_found: Action<[found: FoundPage | null, scope: RequestCache]>
  /** Filter: the text of the element `title`: title of the page and title of the site. @since 0.1.0 */
  site_document_title: Filter<string, [page: ShownPage]>
  /** Filter: the links, meta elements, styles and structured data in the head of a page. @since 0.1.0 */
  site_head: Filter<readonly HeadElement[], [page: ShownPage]>
  /** Filter: the locale of a page (`en_US`), for its `lang` attribute and for social networks. @since 0.1.0 */
  site_language: Filter<string, [scope: RequestCache]>
  /** Filter: the classes of the body element, with which styles select kinds of pages. @since 0.1.0 */
  site_body_class: SyncFilter<readonly string[], [page: ShownPage]>
  /**
   * Filter: HTML at the start of the body, above the theme. Create it with the template tag `html`, which escapes
   * values. Add content for a single user only to pages with `isPrivate`: all other pages are cached for all visitors.
   * @since 0.1.0
   */
  site_body_start: Filter<readonly PageHtml[], [page: ShownPage]>
  /** Filter: HTML at the end of the body, below the theme; like `site_body_start`. @since 0.1.0 */
  site_body_end: Filter<readonly PageHtml[], [page: ShownPage]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends SitePagesHooks {}
}

const areHtml = (pieces: unknown) => Array.isArray(pieces) && pieces.every((piece) => piece instanceof PageHtml)

export const sitePagesHooks: HookSpecs<SitePagesHooks> = {
  site_page_found: action('found', 'scope'),
  site_document_title: { ...filter('title', 'page'), ...SKIPS_FAILING, accepts: (title) => typeof title === 'string' },
  site_head: { ...filter('elements', 'page'), ...SKIPS_FAILING, accepts: (elements) => Array.isArray(elements) },
  site_language: { ...filter('locale', 'scope'), ...SKIPS_FAILING, accepts: (locale) => typeof locale === 'string' },
  site_body_class: { ...syncFilter('classes', 'page'), ...SKIPS_FAILING, accepts: (classes) => Array.isArray(classes) },
  site_body_start: { ...filter('pieces', 'page'), ...SKIPS_FAILING, accepts: areHtml },
  site_body_end: { ...filter('pieces', 'page'), ...SKIPS_FAILING, accepts: areHtml },
}
