import type { SyncFilter } from '../../../kernel/index.ts'
import type { TaxonomySpec } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /** Filter: what a taxonomy is registered with, before defaults are added. @since 0.1.0 */
    register_taxonomy_args: SyncFilter<TaxonomySpec, [name: string, objectTypes: readonly string[]]>
  }
}
