import { forbidden, type Links, type PluginContext, type RestError, type RestRequest } from '../../../kernel/index.ts'
import { RegistryController, shownField, SCHEMA_DRAFT, type ItemSchema, type Selection } from '../../resources/index.ts'
import { errors } from './errors.ts'
import type { MenuLocation, Menus } from './service.ts'

const EVERYWHERE = ['embed', 'view', 'edit'] as const

/** Routes of menu locations, for users who can edit the theme. */
export class MenuLocationsController extends RegistryController<MenuLocation> {
  protected readonly key = { name: 'location', description: 'Name of the location.' }
  readonly #menus: Menus

  constructor(plugin: PluginContext, menus: Menus) {
    super(plugin, plugin.branding.namespace('v2'), 'menu-locations', 'menu-location')
    this.#menus = menus
  }

  protected listed(): Promise<MenuLocation[]> {
    return this.#menus.locations()
  }

  protected mayList(request: RestRequest): Promise<true | RestError> {
    return this.#may([], request)
  }

  protected mayRead(request: RestRequest): Promise<true | RestError> {
    return this.#may([String(request.get('location'))], request)
  }

  protected async find(request: RestRequest): Promise<MenuLocation> {
    const found = (await this.#menus.locations()).find(({ name }) => name === request.get('location'))
    if (found === undefined) throw errors.rest_menu_location_invalid()
    return found
  }

  protected toData({ name, description, menu }: MenuLocation, selection: Selection): Record<string, unknown> {
    return selection.read({ name: () => name, description: () => description, menu: () => menu })
  }

  protected toLinks({ name, menu }: MenuLocation): Links {
    const { branding, urls } = this.plugin
    const links: Links = { self: { href: this.href(name) }, collection: { href: this.href() } }
    if (menu !== 0) {
      const href = urls.rest(`/${branding.namespace('v2')}/menus/${menu}`)
      links[branding.relation('menu')] = [{ embeddable: true, href }]
    }
    return links
  }

  protected itemSchema(): ItemSchema {
    return {
      $schema: SCHEMA_DRAFT,
      title: 'menu-location',
      type: 'object',
      properties: {
        name: shownField('Name of the location.', 'string', EVERYWHERE),
        description: shownField('Display name of the location.', 'string', EVERYWHERE),
        menu: shownField('ID of the menu at the location; 0 for none.', 'integer', EVERYWHERE),
      },
    }
  }

  async #may(locations: readonly string[], request: RestRequest): Promise<true | RestError> {
    const permitted = this.plugin.services.capabilities.can(request.user, 'edit_theme_options')
    const may = await this.#menus.mayRead({ locations }, permitted, request)
    return may || forbidden(request, errors.rest_cannot_view)
  }
}
