import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { TaxonomySpec } from './service.ts'

/** The hooks of taxonomies. */
interface TaxonomyHooks {
  /**
   * Filter: what a taxonomy is registered with, changes of plugins included, before defaults are added. Runs anew whenever
   * plugins come or go, also for taxonomies that were registered before the tap. @since 0.1.0
   */
  register_taxonomy_args: SyncFilter<TaxonomySpec, [name: string, objectTypes: readonly string[]], 'type'>
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
}
