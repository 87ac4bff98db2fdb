import { definePlugin } from '../../../kernel/index.ts'
import { TaxonomiesController } from './controller.ts'
import { registerDefaults } from './defaults.ts'
import { taxonomyHooks } from './hooks.ts'
import { Taxonomies } from './service.ts'

export { FORMAT_TAXONOMY, formatLabels, formatOfSlug, POST_FORMATS, slugOfFormat } from './post-formats.ts'
export { seesTerms } from './service.ts'
export type { RoutesOwner } from '../rest-bases.ts'
export type {
  Completed as CompletedTaxonomy,
  Taxonomies,
  Taxonomy,
  TaxonomyCapabilities,
  TaxonomySpec,
} from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The taxonomies of the site: categories, tags and others.
     * @example
     * services.taxonomies.register('bed', 'plant', { label: 'Beds', hierarchical: true, show_in_rest: true })
     */
    taxonomies: Taxonomies
  }
}

/** Registry of taxonomies, the built-in ones, and the routes that list them. */
export default definePlugin({
  name: 'taxonomies',
  needs: ['resources', 'roles'],
  provides: ['taxonomies'],
  hooks: taxonomyHooks,
  apply(plugin) {
    const { hooks, provide, services } = plugin
    const taxonomies = new Taxonomies(plugin)
    registerDefaults(taxonomies)
    provide('taxonomies', taxonomies)
    services.capabilities.setRegistries({ taxonomies })

    hooks.rest_api_init.tap('taxonomies', (server) => new TaxonomiesController(plugin, taxonomies).register(server))
  },
})
