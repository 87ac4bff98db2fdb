import { definePlugin } from '../../../kernel/index.ts'
import { ViewConfigController } from './controller.ts'
import { registerCoreViews } from './core-views.ts'
import { ViewConfigs } from './service.ts'

export type { NamedView, View, ViewConfig, ViewConfigs, ViewFilter } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Registers how editors list items, and the forms to edit one.
     * @example
     * services.viewConfig.register('postType', 'book', { view_list: [{ title: 'All books', slug: 'all' }] })
     */
    viewConfig: ViewConfigs
  }
}

/** Serves view configurations: how editors list items of a kind, and the form to edit one. */
export default definePlugin({
  name: 'view-config',
  since: '7.1',
  needs: ['resources', 'content-types', 'roles', 'translations'],
  formerServices: { viewConfigs: 'viewConfig' },
  provides: ['viewConfig'],
  apply(plugin) {
    const views = new ViewConfigs()
    registerCoreViews(views, plugin.branding)
    plugin.provide('viewConfig', views)
    plugin.hooks.rest_api_init.tap('view-config', (server) => new ViewConfigController(plugin, views).register(server))
  },
})
