import { definePlugin } from '../../../kernel/index.ts'
import { ThemesController } from './controller.ts'
import { completeTheme, type ThemeOption } from './service.ts'

/** Tells editors of the theme in use, kept in the option `theme`. Pages are made by front ends: there is one theme. */
export default definePlugin({
  name: 'themes',
  needs: ['settings', 'roles', 'content-types'],
  apply(plugin) {
    const { hooks, services, branding } = plugin
    const active = async () => completeTheme((await services.options.get<ThemeOption>('theme')) ?? {})
    let controller: ThemesController | null = null
    hooks.rest_api_init.tap('themes', (server) => {
      controller = new ThemesController(plugin, async () => [await active()])
      controller.register(server)
    })
    // Editors look here for what the site can show.
    hooks.rest_index.tapPromise('themes', async (response, request) => {
      if (controller?.maySeeActive(request) !== true) return response
      const { stylesheet } = await active()
      response.addLink(branding.relation('active-theme'), controller.href(stylesheet))
      return response
    })
  },
})
