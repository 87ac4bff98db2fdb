import type { SyncFilter } from '../../../kernel/index.ts'
import type { ContentTypeSpec } from './types/service.ts'

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /** Filter: what a content type is registered with, before defaults are added. @since 0.1.0 */
    register_post_type_args: SyncFilter<ContentTypeSpec, [name: string]>
  }
}
