import { definePlugin } from '../../../kernel/index.ts'
import { ThemesController } from './controller.ts'
import { completeTheme, type ThemeOption } from './service.ts'

/** Shows editors the active theme, which is stored in the option `theme`. Front ends make the pages, so there is only one. */
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
    // Editors look here for the features of the site.
    hooks.rest_index.tapPromise('themes', async (response, request) => {
      if (controller?.maySeeActive(request) !== true) return response
      const { stylesheet } = await active()
      response.addLink(branding.relation('active-theme'), controller.href(stylesheet))
      return response
    })
  },
})
