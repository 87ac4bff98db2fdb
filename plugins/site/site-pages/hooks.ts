import {
  filter,
  syncFilter,
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
 * An element of the head of a page: `{ element: 'link', attributes: { rel: 'icon', href } }`, with values that are escaped
 * for you, or `{ element: 'style', css: '.garden { color: green }' }`, which the page's Content-Security-Policy permits.
 */
export type HeadElement =
  | { readonly element: 'link' | 'meta'; readonly attributes: Readonly<Record<string, string>> }
  | { readonly element: 'style'; readonly css: string }

/** A page of the site that is about to be sent. */
export interface ShownPage {
  /** What it shows: a post, an archive, a search …; null for a URL where nothing is. */
  readonly found: FoundPage | null
  /** Its own URL, the number of its page included; null where it has none. */
  readonly url: string | null
  /** Its title as plain text, without that of the site. */
  readonly title: string
  /** Which page of its list, or part of its content, it is, from 1. */
  readonly page: number
  /** How many of those there are. */
  readonly pages: number
  /** Whether only who asks may see it: nothing of it is kept. */
  readonly isPrivate: boolean
  /** Who reads. */
  readonly user: CurrentUser
  /** What the request has read. */
  readonly scope: RequestCache
}

/** The hooks of pages of the site. */
interface SitePagesHooks {
  /** Filter: the links, meta elements and styles in the head of a page. @since 0.1.0 */
  site_head: Filter<readonly HeadElement[], [page: ShownPage]>
  /** Filter: the classes of the body of a page, by which styles tell pages apart. @since 0.1.0 */
  site_body_class: SyncFilter<readonly string[], [page: ShownPage]>
  /**
   * Filter: what stands at the start of the body, above the theme. Make it with the template `html`, which escapes. What is
   * for one user belongs on pages with `isPrivate` alone: others are kept for everybody. @since 0.1.0
   */
  site_body_start: Filter<readonly PageHtml[], [page: ShownPage]>
  /** Filter: the same for the end of the body. @since 0.1.0 */
  site_body_end: Filter<readonly PageHtml[], [page: ShownPage]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends SitePagesHooks {}
}

const areHtml = (pieces: unknown) => Array.isArray(pieces) && pieces.every((piece) => piece instanceof PageHtml)

export const sitePagesHooks: HookSpecs<SitePagesHooks> = {
  site_head: { ...filter('elements', 'page'), ...SKIPS_FAILING, accepts: (elements) => Array.isArray(elements) },
  site_body_class: { ...syncFilter('classes', 'page'), ...SKIPS_FAILING, accepts: (classes) => Array.isArray(classes) },
  site_body_start: { ...filter('pieces', 'page'), ...SKIPS_FAILING, accepts: areHtml },
  site_body_end: { ...filter('pieces', 'page'), ...SKIPS_FAILING, accepts: areHtml },
}
