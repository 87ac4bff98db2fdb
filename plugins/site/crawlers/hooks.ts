import { filter, type Filter, type HookSpecs, type RequestCache } from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'

/** A page of the site in a sitemap. */
export interface SitemapEntry {
  readonly url: string
  /** Last change in milliseconds since 1970; 0 if unknown. */
  readonly modified: number
  /** The object that the page shows; absent for pages of plugins. */
  readonly object?: { readonly kind: 'post' | 'term' | 'user'; readonly id: number }
  /** The same page in all its languages, with itself: language tags or `x-default`, and URLs. */
  readonly alternates?: readonly { readonly hreflang: string; readonly url: string }[]
}

/** The pages of one kind: the posts of a type, the terms of a taxonomy, authors, or pages of a plugin. */
export interface SitemapSource {
  /** Name in the URL of its sitemaps, in lower-case letters, digits, `_` and `-`: `post-page`, `term-category`. */
  readonly name: string
  /** Returns a part of the pages, and their total number. */
  read(
    range: { readonly limit: number; readonly offset: number },
    scope: RequestCache,
  ): Promise<{ entries: SitemapEntry[]; total: number }>
}

/** The hooks of sitemaps. */
interface CrawlersHooks {
  /** Filter: the kinds of pages that have sitemaps; taps can add and remove sources. @since 0.1.0 */
  sitemap_sources: Filter<readonly SitemapSource[]>
  /** Filter: the entries of a sitemap; taps can leave pages out, and name their translations. @since 0.1.0 */
  sitemap_entries: Filter<readonly SitemapEntry[], [source: string, scope: RequestCache]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends CrawlersHooks {}
}

export const crawlersHooks: HookSpecs<CrawlersHooks> = {
  sitemap_sources: { ...filter('sources'), ...SKIPS_FAILING, accepts: (sources) => Array.isArray(sources) },
  sitemap_entries: { ...filter('entries', 'source', 'scope'), accepts: (entries) => Array.isArray(entries) },
}
