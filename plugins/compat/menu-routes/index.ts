import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import { menuRouteHooks } from './hooks.ts'
import { MenuReader } from './menus.ts'
import { registerNumberedRoutes } from './numbered-routes.ts'
import { registerNamedRoutes } from './named-routes.ts'

/** Serves menus to all visitors under the routes of the two plugins that front ends read menus from. */
export default definePlugin({
  name: 'menu-routes',
  description: 'Routes menus/v1 and api-menus/v2 that serve menus to visitors.',
  needs: ['menus', 'posts', 'terms', 'content-types', 'taxonomies'],
  startsIf: switchedOn('menu-routes'),
  hooks: menuRouteHooks,
  apply(plugin) {
    const menus = new MenuReader(plugin)
    plugin.hooks.rest_api_init.tap('menu-routes', (server) => {
      registerNamedRoutes(plugin, server, menus)
      registerNumberedRoutes(plugin, server, menus)
    })
  },
})
