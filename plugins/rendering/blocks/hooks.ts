import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'

/** Hooks of the plugin `blocks`. */
interface BlockHooks {
  /** Filter: the block types whose text can become part of an excerpt. @since 0.1.0 */
  excerpt_allowed_blocks: SyncFilter<readonly string[]>
  /** Filter: the block types that are searched for excerpt blocks inside them. @since 0.1.0 */
  excerpt_allowed_wrapper_blocks: SyncFilter<readonly string[]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends BlockHooks {}
}

export const blockHooks: HookSpecs<BlockHooks> = {
  excerpt_allowed_blocks: syncFilter('names'),
  excerpt_allowed_wrapper_blocks: syncFilter('names'),
}
