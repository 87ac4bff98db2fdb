import { definePlugin } from '../../../kernel/index.ts'
import { PluginsController } from './controller.ts'

/** Tells administrators which plugins run. */
export default definePlugin({
  name: 'installed-plugins',
  since: '5.5',
  needs: ['roles'],
  apply(plugin) {
    plugin.hooks.rest_api_init.tap('installed-plugins', (server) => new PluginsController(plugin).register(server))
  },
})
