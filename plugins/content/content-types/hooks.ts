import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { ContentTypeSpec } from './types/service.ts'

/** The hooks of content types. */
interface ContentTypeHooks {
  /**
   * Filter: what a content type is registered with, changes of plugins included, before defaults are added. Runs anew
   * whenever plugins come or go, also for types that were registered before the tap. @since 0.1.0
   */
  register_post_type_args: SyncFilter<ContentTypeSpec, [name: string], 'type'>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends ContentTypeHooks {}
}

export const contentTypeHooks: HookSpecs<ContentTypeHooks> = {
  register_post_type_args: { ...syncFilter('spec', 'name'), about: { type: (_spec, name) => name }, lasting: true },
}
