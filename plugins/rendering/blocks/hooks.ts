import type { SyncFilter } from '../../../kernel/index.ts'

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /** Filter: block types whose text an excerpt may be made of. @since 0.1.0 */
    excerpt_allowed_blocks: SyncFilter<readonly string[]>
    /** Filter: block types in which an excerpt looks for those. @since 0.1.0 */
    excerpt_allowed_wrapper_blocks: SyncFilter<readonly string[]>
  }
}
