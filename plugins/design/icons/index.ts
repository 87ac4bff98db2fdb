import { definePlugin } from '../../../kernel/index.ts'
import { IconCollectionsController, IconsController } from './controller.ts'
import { registerCoreIcons } from './core-icons.ts'
import { Icons } from './service.ts'

export type { Icon, IconCollection, Icons, RegisteredIcon, RegisteredIconCollection } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Registers icons for blocks and editors.
     * @example
     * services.icons.registerCollection('garden', { label: 'Garden' })
     * services.icons.register('garden/pond', {
     *   label: 'Pond',
     *   content: '<svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="8" /></svg>',
     * })
     */
    icons: Icons
  }
}

/** Registers icons for blocks and editors, and lists them. */
export default definePlugin({
  name: 'icons',
  since: '7.0',
  needs: ['resources', 'content-types'],
  provides: ['icons'],
  apply(plugin) {
    const icons = new Icons()
    registerCoreIcons(icons)
    plugin.provide('icons', icons)
    plugin.hooks.rest_api_init.tap('icons', (server) => {
      new IconsController(plugin, icons).register(server)
      if (plugin.since('7.1')) new IconCollectionsController(plugin, icons).register(server)
    })
  },
})
