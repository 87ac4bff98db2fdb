import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'

/** The hooks of blocks. */
interface BlockHooks {
  /** Filter: block types whose text an excerpt may be made of. @since 0.1.0 */
  excerpt_allowed_blocks: SyncFilter<readonly string[]>
  /** Filter: block types in which an excerpt looks for those. @since 0.1.0 */
  excerpt_allowed_wrapper_blocks: SyncFilter<readonly string[]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends BlockHooks {}
}

export const blockHooks: HookSpecs<BlockHooks> = {
  excerpt_allowed_blocks: syncFilter('names'),
  excerpt_allowed_wrapper_blocks: syncFilter('names'),
}
