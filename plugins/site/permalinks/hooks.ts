import type { SyncFilter } from '../../../kernel/index.ts'
import type { LinkedPost, LinkedTerm, LinkedUser } from './linked.ts'

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /** Filter: the URL of a post. @since 0.1.0 */
    post_link: SyncFilter<string, [post: LinkedPost]>
    /** Filter: the URL of a page. @since 0.1.0 */
    page_link: SyncFilter<string, [post: LinkedPost]>
    /** Filter: the URL of an item of a type that a plugin brings. @since 0.1.0 */
    post_type_link: SyncFilter<string, [post: LinkedPost]>
    /** Filter: the URL of an attachment's page. @since 0.1.0 */
    attachment_link: SyncFilter<string, [post: LinkedPost]>
    /** Filter: the URL at which a user previews a post; what proves that they may is added here. @since 0.1.0 */
    preview_post_link: SyncFilter<string, [post: LinkedPost, user: CurrentUser]>
    /** Filter: the URL of a term's page. @since 0.1.0 */
    term_link: SyncFilter<string, [term: LinkedTerm]>
    /** Filter: the URL of the page of a user. @since 0.1.0 */
    author_link: SyncFilter<string, [user: LinkedUser]>
  }
}
