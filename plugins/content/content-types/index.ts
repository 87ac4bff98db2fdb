import { applySyncFilter, definePlugin } from '../../../kernel/index.ts'
import type { ContentTypes } from './types/content-type.ts'
import { createContentTypes } from './types/service.ts'
import { registerDefaults } from './defaults.ts'
import { contentTypeHooks } from './hooks.ts'
import { createStatuses, type Statuses } from './statuses/service.ts'
import { StatusesController } from './statuses/controller.ts'
import { TypesController } from './types/controller.ts'

export type {
  ContentType,
  ContentTypes,
  ContentTypeSpec,
  ControllerClass,
  TypeCapabilities,
} from './types/content-type.ts'
export type { Status, Statuses, StatusSpec } from './statuses/service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** The content types of the site. */
    contentTypes: ContentTypes
    /** The statuses of posts. */
    statuses: Statuses
  }
}

/** Content types and statuses: their registries, those of every site, and the routes that list them. */
export default definePlugin({
  name: 'content-types',
  needs: ['roles'],
  after: ['taxonomies'],
  hooks: contentTypeHooks,
  apply(plugin) {
    const { hooks, provide, services, branding } = plugin
    const taxonomies = plugin.has('taxonomies') ? services.taxonomies : null
    const statuses = createStatuses()
    const contentTypes = createContentTypes({
      namespace: branding.namespace('v2'),
      filter: (spec, name) => applySyncFilter(hooks.register_post_type_args, spec, name),
      taxonomies,
    })
    registerDefaults(contentTypes, statuses, branding)
    provide('contentTypes', contentTypes)
    provide('statuses', statuses)
    services.capabilities.know({ contentTypes, statuses })

    hooks.rest_api_init.tap('content-types', (server) => {
      new TypesController(plugin, contentTypes, taxonomies).register(server)
      new StatusesController(plugin, statuses, contentTypes).register(server)
    })
  },
})
