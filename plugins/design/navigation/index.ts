import { definePlugin, forbidden, RestResponse, type RestRequest } from '../../../kernel/index.ts'
import { SCHEMA_DRAFT, withTargetHints, type ItemSchema } from '../../resources/index.ts'
import { NavigationController } from './controller.ts'
import { errors } from './errors.ts'
import { createNavigation, type Navigation } from './fallback.ts'

export type { Navigation, ShownNavigation } from './fallback.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Finds the navigation for blocks that reference none.
     * @example
     * const id = await services.navigation.fallback({ create: false })
     */
    navigation: Navigation
  }
}

const SCHEMA: ItemSchema = {
  $schema: SCHEMA_DRAFT,
  title: 'navigation-fallback',
  type: 'object',
  properties: {
    id: {
      description: 'ID of the fallback navigation menu.',
      type: 'integer',
      context: ['view', 'edit', 'embed'],
      readonly: true,
    },
  },
}

/** Serves navigation menus made of blocks, and the fallback for blocks that reference none. */
export default definePlugin({
  name: 'navigation',
  since: '5.9',
  needs: ['resources', 'store', 'roles', 'content-types', 'terms', 'posts'],
  provides: ['navigation'],
  after: ['menus'],
  apply(plugin) {
    const { branding, hooks, provide, services, since, urls } = plugin
    const type = branding.typeName('navigation')
    const navigation = createNavigation(plugin)
    provide('navigation', navigation)
    services.contentTypes.change(type, { show_in_rest: true, rest_controller_class: NavigationController })
    if (!since('6.3')) return

    // A GET request creates the fallback: editors send it when they open a navigation block.
    const mayCreate = (request: RestRequest) => {
      const { create_posts: create, publish_posts: publish } = services.contentTypes.get(type)!.capabilities
      const may = [create, publish].every((name) => services.capabilities.can(request.user, name))
      return may || forbidden(request, errors.rest_cannot_create)
    }
    hooks.rest_api_init.tap('navigation', (server) =>
      server.registerRoute(branding.namespace('v1', 'block-editor'), 'navigation-fallback', {
        0: {
          methods: 'GET',
          cache: false,
          permission_callback: mayCreate,
          callback: async (request) => {
            const id = await navigation.fallback({ create: true })
            if (id === null) return errors.no_fallback_menu()
            const response = new RestResponse({ id })
            if (!request.wants('_links')) return response
            const self = { href: urls.rest(services.contentTypes.itemRoute({ id, type })), embeddable: true }
            response.addLinks(
              since('6.7') ? await withTargetHints(plugin.server, { self }, undefined, request) : { self },
            )
            return response
          },
        },
        schema: () => SCHEMA,
      }),
    )
  },
})
