import { applySyncFilter, definePlugin, syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import { createContentTypes, type ContentTypes, type ContentTypeSpec } from './content-types.ts'
import { registerDefaults } from './defaults.ts'
import { createStatuses, type Statuses } from './statuses.ts'
import { StatusesController } from './statuses-controller.ts'
import { TypesController } from './types-controller.ts'

export type { ContentType, ContentTypes, ContentTypeSpec, ControllerClass, TypeCapabilities } from './content-types.ts'
export type { Status, Statuses, StatusSpec } from './statuses.ts'

/** The hooks of content types. */
interface ContentTypeHooks {
  /** Filter: what a content type is registered with, before defaults are put in place. @since 0.1.0 */
  register_post_type_args: SyncFilter<ContentTypeSpec, [name: string]>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /** The kinds of content that the site has. */
    contentTypes: ContentTypes
    /** The states content can be in. */
    statuses: Statuses
  }
  interface Hooks extends ContentTypeHooks {}
}

/** Content types and statuses: their registries, those of every site, and the routes that list them. */
export default definePlugin({
  name: 'content-types',
  needs: ['roles'],
  after: ['taxonomies'],
  hooks: { register_post_type_args: syncFilter('spec', 'name') } satisfies HookSpecs<ContentTypeHooks>,
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
