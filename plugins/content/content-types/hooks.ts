import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'
import { isRoute } from '../rest-bases.ts'
import type { ContentTypeSpec } from './types/service.ts'

/** The hooks of content types. */
interface ContentTypeHooks {
  /**
   * Filter: the spec of a content type, with the changes of plugins and before defaults are added. Runs again whenever
   * plugins are added or removed, also for types that were registered before the tap. @since 0.1.0
   */
  register_post_type_args: SyncFilter<ContentTypeSpec, [name: string], 'type'>
  /** Filter: the REST API route that links to a post name; `''` for none. @since 0.1.0 */
  rest_route_for_post: SyncFilter<string, [post: { readonly id: number; readonly type: string }]>
  /** Filter: the REST API route that links to the items of a content type name. @since 0.1.0 */
  rest_route_for_post_type_items: SyncFilter<string, [type: string], 'type'>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends ContentTypeHooks {}
}

export const contentTypeHooks: HookSpecs<ContentTypeHooks> = {
  register_post_type_args: { ...syncFilter('spec', 'name'), about: { type: (_spec, name) => name }, lasting: true },
  rest_route_for_post: { ...syncFilter('route', 'post'), ...SKIPS_FAILING, accepts: isRoute },
  rest_route_for_post_type_items: {
    ...syncFilter('route', 'type'),
    about: { type: (_route, type) => type },
    accepts: isRoute,
  },
}
