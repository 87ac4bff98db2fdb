import {
  type Awaitable,
  filter,
  syncFilter,
  type CurrentUser,
  type Filter,
  type HookSpecs,
  type RequestCache,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'
import type { FoundPost, FoundTerm } from './found-page.ts'
import type { LinkedPost, LinkedSubject, LinkedTerm, LinkedUser } from './linked.ts'
import type { SiteUrl } from './site-url.ts'

/** A URL of the site that is about to be resolved. */
export interface UrlResolution {
  /** The path and the parameters to find a page for; a tap removes parts that it has added to links. */
  readonly url: SiteUrl
  /**
   * Whether the URL leads to a post in preference to other posts with the same URL; null without a preference. If no such
   * post has the URL, the others are found.
   */
  readonly isPreferred: ((post: FoundPost) => Awaitable<boolean>) | null
  /** The same for terms with one slug; missing without a preference. */
  readonly isTermPreferred?: ((term: FoundTerm) => Awaitable<boolean>) | undefined
}

/** The pages that the owner has chosen. */
export interface FrontPages {
  /** ID of the static front page. */
  readonly front: number
  /** ID of the page that lists the newest posts. */
  readonly posts: number
}

/** Filters of the site's URLs. */
interface PermalinkHooks {
  /** Filter: the URL of a post. @since 0.1.0 */
  post_link: SyncFilter<string, [post: LinkedPost]>
  /** Filter: the URL of a page. @since 0.1.0 */
  page_link: SyncFilter<string, [post: LinkedPost]>
  /** Filter: the URL of an item of a custom content type. @since 0.1.0 */
  post_type_link: SyncFilter<string, [post: LinkedPost], 'type'>
  /** Filter: the URL of an attachment's page. @since 0.1.0 */
  attachment_link: SyncFilter<string, [post: LinkedPost]>
  /**
   * Filter: the URL at which a user previews a post. Taps add a proof of the user's permission. `autosave` is the ID of
   * the autosave to show, null for the post itself. @since 0.1.0
   */
  preview_post_link: Filter<string, [post: LinkedPost, user: CurrentUser, autosave: number | null], 'type'>
  /** Filter: the URL of a term's page. @since 0.1.0 */
  term_link: SyncFilter<string, [term: LinkedTerm], 'type'>
  /** Filter: the URL of a user's page. @since 0.1.0 */
  author_link: SyncFilter<string, [user: LinkedUser]>
  /**
   * Filter: the URL of any page of the site, after the filters for its kind. Taps can read data: loaders of the cache
   * `scope` read the data of a whole list in one statement. A tap that adds a part to the path removes it again in
   * `site_url_resolution`. @since 0.1.0
   */
  site_link: Filter<string, [subject: LinkedSubject, scope: RequestCache]>
  /** Filter: a URL of the site, before its page is searched for. @since 0.1.0 */
  site_url_resolution: Filter<UrlResolution, [scope: RequestCache]>
  /**
   * Filter: the names of the query parameters that identify pages. Pages are cached separately for each value, and a
   * parameter that the URL of the found page lacks is redirected. @since 0.1.0
   */
  site_url_parameters: SyncFilter<readonly string[]>
  /** Filter: the IDs of the static front page and of the page of the newest posts; 0 for none. @since 0.1.0 */
  site_front_pages: Filter<FrontPages, [scope: RequestCache]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends PermalinkHooks {}
}

export const permalinkHooks: HookSpecs<PermalinkHooks> = {
  post_link: { ...syncFilter('link', 'post'), ...SKIPS_FAILING },
  page_link: { ...syncFilter('link', 'post'), ...SKIPS_FAILING },
  post_type_link: { ...syncFilter('link', 'post'), ...SKIPS_FAILING, about: { type: (_link, { type }) => type } },
  attachment_link: { ...syncFilter('link', 'post'), ...SKIPS_FAILING },
  preview_post_link: {
    ...filter('link', 'post', 'user', 'autosave'),
    ...SKIPS_FAILING,
    about: { type: (_link, { type }) => type },
  },
  term_link: { ...syncFilter('link', 'term'), ...SKIPS_FAILING, about: { type: (_link, { taxonomy }) => taxonomy } },
  author_link: { ...syncFilter('link', 'user'), ...SKIPS_FAILING },
  site_link: { ...filter('link', 'subject', 'scope'), ...SKIPS_FAILING },
  site_url_resolution: { ...filter('resolution', 'scope'), ...SKIPS_FAILING },
  site_url_parameters: { ...syncFilter('names'), accepts: Array.isArray },
  site_front_pages: { ...filter('pages', 'scope'), ...SKIPS_FAILING },
}
