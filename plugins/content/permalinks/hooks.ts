import {
  filter,
  syncFilter,
  type CurrentUser,
  type Filter,
  type HookSpecs,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'
import type { LinkedPost, LinkedTerm, LinkedUser } from './linked.ts'

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
}
