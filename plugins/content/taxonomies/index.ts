import { applySyncFilter, definePlugin, syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import { TaxonomiesController } from './controller.ts'
import { registerDefaults } from './defaults.ts'
import { createTaxonomies, type Taxonomies, type TaxonomySpec } from './taxonomies.ts'

export { FORMAT_TAXONOMY, formatOfSlug, POST_FORMATS, slugOfFormat } from './post-formats.ts'
export { seesTerms } from './taxonomies.ts'
export type { Taxonomies, Taxonomy, TaxonomyCapabilities, TaxonomySpec } from './taxonomies.ts'

/** The hooks of taxonomies. */
interface TaxonomyHooks {
  /** Filter: what a taxonomy is registered with, before defaults are put in place. @since 0.1.0 */
  register_taxonomy_args: SyncFilter<TaxonomySpec, [name: string, objectTypes: readonly string[]]>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /** The ways in which content is ordered: categories, tags and others. */
    taxonomies: Taxonomies
  }
  interface Hooks extends TaxonomyHooks {}
}

/** Taxonomies: their registry, those of every site, and the routes that list them. */
export default definePlugin({
  name: 'taxonomies',
  needs: ['roles'],
  hooks: { register_taxonomy_args: syncFilter('spec', 'name', 'objectTypes') } satisfies HookSpecs<TaxonomyHooks>,
  apply(plugin) {
    const { hooks, provide, services, branding } = plugin
    const taxonomies = createTaxonomies(branding.namespace('v2'), (spec, name, objectTypes) =>
      applySyncFilter(hooks.register_taxonomy_args, spec, name, objectTypes),
    )
    registerDefaults(taxonomies)
    provide('taxonomies', taxonomies)
    services.capabilities.know({ taxonomies })

    hooks.rest_api_init.tap('taxonomies', (server) => new TaxonomiesController(plugin, taxonomies).register(server))
  },
})
