import { applySyncFilter, definePlugin } from '../../../kernel/index.ts'
import { TaxonomiesController } from './controller.ts'
import { registerDefaults } from './defaults.ts'
import { taxonomyHooks } from './hooks.ts'
import { createTaxonomies } from './service.ts'
import type { Taxonomies } from './taxonomy.ts'

export { FORMAT_TAXONOMY, formatOfSlug, POST_FORMATS, slugOfFormat } from './post-formats.ts'
export { seesTerms } from './service.ts'
export type { Taxonomies, Taxonomy, TaxonomyCapabilities, TaxonomySpec } from './taxonomy.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** The taxonomies of the site: categories, tags and others. */
    taxonomies: Taxonomies
  }
}

/** Taxonomies: their registry, those of every site, and the routes that list them. */
export default definePlugin({
  name: 'taxonomies',
  needs: ['roles'],
  hooks: taxonomyHooks,
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
