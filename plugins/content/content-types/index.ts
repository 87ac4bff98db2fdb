import { definePlugin } from '../../../kernel/index.ts'
import { warnAboutSharedRoutes } from '../rest-bases.ts'
import { ContentTypes } from './types/service.ts'
import { registerDefaults } from './defaults.ts'
import { contentTypeHooks } from './hooks.ts'
import { Statuses } from './statuses/service.ts'
import { StatusesController } from './statuses/controller.ts'
import { TypesController } from './types/controller.ts'

export type {
  Completed as CompletedContentType,
  ContentType,
  ContentTypes,
  ContentTypeSpec,
  TypeCapabilities,
} from './types/service.ts'
export { RightsMemory } from './rights-memory.ts'
export type { Status, Statuses, StatusSpec } from './statuses/service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The content types of the site.
     * @example
     * services.contentTypes.register('plant', { label: 'Plants', public: true, show_in_rest: true, rest_base: 'plants' })
     */
    contentTypes: ContentTypes
    /**
     * The statuses of posts.
     * @example
     * services.statuses.register('sold', { label: 'Sold', public: true })
     */
    statuses: Statuses
  }
}

/** Registries of content types and statuses, the built-in ones, and the routes that list them. */
export default definePlugin({
  name: 'content-types',
  needs: ['resources', 'roles'],
  after: ['taxonomies'],
  provides: ['contentTypes', 'statuses'],
  hooks: contentTypeHooks,
  apply(plugin) {
    const { hooks, provide, services } = plugin
    const taxonomies = plugin.has('taxonomies') ? services.taxonomies : null
    const statuses = new Statuses()
    const contentTypes = new ContentTypes(plugin, taxonomies)
    registerDefaults(contentTypes, statuses, plugin)
    provide('contentTypes', contentTypes)
    provide('statuses', statuses)
    services.capabilities.setRegistries({ contentTypes, statuses })

    hooks.registrations_checked.tap('content-types', (check) => {
      const names = new Set(contentTypes.all().map(({ name }) => name))
      check.declare(names)
      taxonomies?.check(check, names)
      warnAboutSharedRoutes(check, [...contentTypes.routeOwners(), ...(taxonomies?.routeOwners() ?? [])])
    })
    hooks.rest_api_init.tap('content-types', (server) => {
      new TypesController(plugin, contentTypes, taxonomies).register(server)
      new StatusesController(plugin, statuses, contentTypes).register(server)
    })
  },
})
