import { definePlugin } from '../../../kernel/index.ts'
import { PluginsController } from './controller.ts'
import { compareRecords } from './records.ts'

export { ownVersion } from './own-version.ts'

/** Lists the running plugins for administrators, and logs changed plugins at the start. */
export default definePlugin({
  name: 'installed-plugins',
  since: '5.5',
  needs: ['resources', 'roles', 'settings'],
  apply(plugin) {
    const { hooks, log, worker } = plugin
    // Only one process compares, so that each change is logged once.
    hooks.server_listening.tapPromise('installed-plugins', async () => {
      if (worker.number !== 1) return
      await compareRecords(plugin).catch((err: unknown) =>
        log.warn({ err }, 'comparing the plugins with the last start failed'),
      )
    })
    plugin.hooks.rest_api_init.tap('installed-plugins', (server) => new PluginsController(plugin).register(server))
  },
})
