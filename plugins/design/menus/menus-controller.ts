import { forbidden, RestError, type Links, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { valuesOf, type ItemSchema, type ResourceWriter, type Selection } from '../../resources/index.ts'
import { TermInput, TermPermissions, TermsController, type Term, type TermChange } from '../../content/terms/index.ts'
import { errors } from './errors.ts'
import { MENU_TAXONOMY } from './item.ts'
import type { Menus } from './service.ts'

const SHOWN = ['view', 'edit'] as const

/** Changes of a menu in a request. */
interface MenuChange extends TermChange {
  locations?: readonly string[]
  auto_add?: boolean
}

/** Permissions on menus: users who can edit posts can read them, users who can edit the theme can change them. */
class MenuPermissions extends TermPermissions {
  readonly #menus: Menus
  readonly #context: PluginContext

  constructor(context: PluginContext, menus: Menus) {
    super(context, context.services.taxonomies.get(MENU_TAXONOMY)!)
    this.#context = context
    this.#menus = menus
  }

  override async list(request: RestRequest): Promise<true | RestError> {
    const may = await super.list(request)
    if (may !== true) return may
    // Check the menus in `include`, which the base class does not check.
    const menus = valuesOf<number | string>(request, 'include').map(Number)
    return (await this.#mayRead(menus, request)) || forbidden(request, errors.rest_cannot_view)
  }

  override async read(menu: Term, request: RestRequest): Promise<true | RestError> {
    const may = await super.read(menu, request)
    if (may !== true) return may
    return (await this.#mayRead([menu.id], request)) || forbidden(request, errors.rest_cannot_view)
  }

  /** Visibility is decided by `list` and `read`. */
  override hidden(): null {
    return null
  }

  /** Menu items are as visible as their menus, which `list` checks. */
  protected override readsPost(): boolean {
    return true
  }

  #mayRead(menus: readonly number[], request: RestRequest): Promise<boolean> {
    const isWriter = this.#context.services.contentTypes.isWriter(request.user)
    return this.#menus.mayRead({ menus }, isWriter, request)
  }
}

/** Converts request parameters to changes of a menu. The slug follows the name, and a missing description clears it. */
class MenuInput extends TermInput {
  override changeOf(request: RestRequest, before: Term | null = null): MenuChange {
    const input = super.changeOf(request) as TermChange
    const name = input.name ?? before?.name
    const change: MenuChange = { ...input, description: input.description ?? '' }
    delete change.slug
    if (before !== null && name !== before.name) change.slug = ''
    const [locations, autoAdd] = [request.get('locations'), request.get('auto_add')]
    if (Array.isArray(locations)) change.locations = locations as string[]
    if (typeof autoAdd === 'boolean') change.auto_add = autoAdd
    return change
  }
}

/** Routes of menus. */
export class MenusController extends TermsController {
  protected override readonly permissions: MenuPermissions
  protected override readonly input: MenuInput
  protected override readonly writer: ResourceWriter<Term, MenuChange>
  readonly #menus: Menus

  /** @param context context of the terms routes */
  constructor(context: PluginContext, name: string, menus: Menus) {
    super(context, name)
    this.#menus = menus
    this.permissions = new MenuPermissions(context, menus)
    this.input = new MenuInput(context, context.services.taxonomies.get(name)!)
    const { terms } = context.services
    this.writer = {
      create: async ({ locations, auto_add: autoAdd, ...fields }) => {
        const menu = await asMenu(() => terms.create({ ...fields, name: fields.name ?? '', taxonomy: name }))
        return this.#place(menu, { locations, auto_add: autoAdd })
      },
      update: async ({ id }, { locations, auto_add: autoAdd, ...fields }) =>
        this.#place(await terms.update(id, fields), { locations, auto_add: autoAdd }),
      delete: ({ id }) => terms.delete(id),
    }
  }

  protected override itemSchema(): ItemSchema {
    const schema = super.itemSchema()
    const { count: _, link: __, taxonomy: ___, ...properties } = schema.properties
    return {
      ...schema,
      properties: {
        ...properties,
        locations: {
          description: 'Names of the locations of the menu.',
          type: 'array',
          items: { type: 'string' },
          context: SHOWN,
          references: 'menu_location',
        },
        auto_add: {
          description: 'Whether new pages without a parent are added to the menu when they are published.',
          type: 'boolean',
          context: SHOWN,
        },
      },
    }
  }

  protected override async toData(menu: Term, selection: Selection, request: RestRequest) {
    const data = super.toData(menu, selection, request)
    if (!selection.has('locations') && !selection.has('auto_add')) return data
    const [shown, locations, adding] = await Promise.all([data, this.#locationsOf(menu.id), this.#menus.autoAdd()])
    if (selection.has('locations')) shown['locations'] = locations
    if (selection.has('auto_add')) shown['auto_add'] = adding.includes(menu.id)
    return shown
  }

  protected override async toLinks(menu: Term, request: RestRequest): Promise<Links> {
    const { branding, urls } = this.plugin
    const links = { ...(await super.toLinks(menu, request)) }
    const locations = await this.#locationsOf(menu.id)
    if (locations.length > 0) {
      links[branding.relation('menu-location')] = locations.map((name) => ({
        embeddable: true,
        href: urls.rest(`/${branding.namespace('v2')}/menu-locations/${name}`),
      }))
    }
    return links
  }

  async #locationsOf(id: number): Promise<string[]> {
    return (await this.#menus.locations()).filter(({ menu }) => menu === id).map(({ name }) => name)
  }

  async #place(menu: Term, { locations, auto_add: autoAdd }: { [N in keyof MenuChange]: MenuChange[N] | undefined }) {
    if (locations !== undefined) await this.#menus.setLocations(menu.id, locations)
    if (autoAdd !== undefined) await this.#menus.setAutoAdd(menu.id, autoAdd)
    return menu
  }
}

/** Creates a menu, and reports an existing term as an existing menu. */
async function asMenu(create: () => Promise<Term>): Promise<Term> {
  try {
    return await create()
  } catch (error) {
    if (!(error instanceof RestError) || error.code !== 'term_exists') throw error
    const { term_id: id } = error.data as { term_id?: unknown }
    throw errors.menu_exists({ data: { status: 400, term_id: id } })
  }
}
