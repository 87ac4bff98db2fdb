import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'
import { isRoute } from '../rest-bases.ts'
import type { TaxonomySpec } from './service.ts'

/** The hooks of taxonomies. */
interface TaxonomyHooks {
  /**
   * Filter: the spec of a taxonomy, with the changes of plugins and before defaults are added. Runs again whenever
   * plugins are added or removed, also for taxonomies that were registered before the tap. @since 0.1.0
   */
  register_taxonomy_args: SyncFilter<TaxonomySpec, [name: string, objectTypes: readonly string[]], 'type'>
  /** Filter: the REST API route that links to a term name; `''` for none. @since 0.1.0 */
  rest_route_for_term: SyncFilter<string, [term: { readonly id: number; readonly taxonomy: string }]>
  /** Filter: the REST API route that links to the terms of a taxonomy name. @since 0.1.0 */
  rest_route_for_taxonomy_items: SyncFilter<string, [taxonomy: string], 'type'>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends TaxonomyHooks {}
}

export const taxonomyHooks: HookSpecs<TaxonomyHooks> = {
  register_taxonomy_args: {
    ...syncFilter('spec', 'name', 'objectTypes'),
    about: { type: (_spec, name) => name },
    lasting: true,
  },
  rest_route_for_term: { ...syncFilter('route', 'term'), ...SKIPS_FAILING, accepts: isRoute },
  rest_route_for_taxonomy_items: {
    ...syncFilter('route', 'taxonomy'),
    about: { type: (_route, taxonomy) => taxonomy },
    accepts: isRoute,
  },
}
