import { definePlugin, type PluginContext } from '../../../kernel/index.ts'
import type { PostTypes } from '../../content/posts/index.ts'
import type { TermTypes } from '../../content/terms/index.ts'
import { registerChangeReaders } from './change-readers.ts'
import { menuHooks } from './hooks.ts'
import { ITEM_POST_TYPE, MENU_TAXONOMY } from './item.ts'
import { MenuItemsController } from './items-controller.ts'
import { MenuLocationsController } from './locations-controller.ts'
import { registerReferences } from './references.ts'
import { MenusController } from './menus-controller.ts'
import { Menus } from './service.ts'

export { ITEM_POST_TYPE, MENU_TAXONOMY, metaOfItem } from './item.ts'
export type { MenuItem, MenuItemType, StoredItem } from './item.ts'
export { LOCATIONS_OPTION, MAIN_LOCATION } from './service.ts'
export type { MenuLocation, Menus, ItemPost } from './service.ts'
export type { MenuReading } from './hooks.ts'

export interface MenusOptions {
  /** Menus that visitors can read without a login: true for all menus, or names of locations whose menus are public. */
  public: boolean | readonly string[]
}

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    nav_menu_item: PostTypes
    nav_menu: TermTypes
  }
  interface Services {
    /**
     * Registers menu locations, and reads menus and their items.
     * @example
     * services.menus.registerLocation('primary', 'Primary')
     * const [primary] = await services.menus.locations()
     * const links = await services.menus.items(primary?.menu ?? 0)
     */
    menus: Menus
  }
}

/** Manages menus, their items, and the theme locations they are assigned to. */
export default definePlugin<MenusOptions>({
  name: 'menus',
  since: '5.9',
  needs: [
    'resources',
    'store',
    'settings',
    'roles',
    'content-types',
    'taxonomies',
    'meta',
    'terms',
    'posts',
    'permalinks',
    'content-rendering',
  ],
  after: ['changes'],
  // The active theme declares menu locations; pages show menus.
  uses: ['site-pages', 'themes'],
  provides: ['menus'],
  hooks: menuHooks,
  options: {
    public: {
      default: false,
      oneOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
    },
  },
  apply(plugin, options) {
    const { has, hooks, provide, services } = plugin
    const menus = new Menus(plugin, options.public)
    provide('menus', menus)
    registerReferences(plugin, menus)
    if (has('changes')) registerChangeReaders(plugin, menus)
    services.taxonomies.change(MENU_TAXONOMY, {
      show_in_rest: true,
      rest_controller_class: class extends MenusController {
        constructor(context: PluginContext, name: string) {
          super(context, name, menus)
        }
      },
    })
    services.contentTypes.change(ITEM_POST_TYPE, {
      show_in_rest: true,
      rest_controller_class: class extends MenuItemsController {
        constructor(context: PluginContext, name: string) {
          super(context, name, menus)
        }
      },
    })
    hooks.rest_api_init.tap('menus', (server) => new MenuLocationsController(plugin, menus).register(server))

    hooks.transition_post_status.tapPromise('menus', async (to, from, post) => {
      const isNewPage = post.type === 'page' && post.parent_id === 0 && to === 'publish' && from !== 'publish'
      if (isNewPage) await menus.addPage(post)
    })
    hooks.before_delete_term.tapPromise('menus', ({ id, taxonomy }) =>
      taxonomy === MENU_TAXONOMY ? menus.clear(id) : menus.forget('taxonomy', id),
    )
    hooks.before_delete_post.tapPromise('menus', async (post) => {
      if (post.type === ITEM_POST_TYPE) await menus.closeGap(post)
      else if (services.contentTypes.get(post.type)?.show_in_nav_menus === true)
        await menus.forget('post_type', post.id)
    })
  },
})
