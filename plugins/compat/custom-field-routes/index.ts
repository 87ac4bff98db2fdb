import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'

/**
 * Serves custom fields under the routes of ACF to REST API, and in the form of this plugin in the field `acf` of other
 * routes.
 */
export default definePlugin({
  name: 'custom-field-routes',
  description: 'Routes acf/v3 of ACF to REST API, for front ends that read custom fields there.',
  needs: [
    'comments',
    'content-types',
    'custom-fields',
    'extra-fields',
    'posts',
    'roles',
    'settings',
    'store',
    'taxonomies',
    'terms',
    'users',
  ],
  startsIf: switchedOn('custom-field-routes'),
  apply(plugin) {
    // After custom-fields, whose field it replaces.
    plugin.hooks.rest_api_init.tapPromise({ name: 'custom-field-routes', stage: 60 }, async (server) => {
      const { addFieldRoutes } = await import('./routes.ts')
      addFieldRoutes(plugin, server)
    })
  },
})
