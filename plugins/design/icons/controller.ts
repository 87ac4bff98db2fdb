import { Controller, SCHEMA_DRAFT, shownField, type ItemSchema, type Selection } from '../../resources/index.ts'
import {
  forbidden,
  RestResponse,
  type Arguments,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Icons, RegisteredIconCollection, RegisteredIcon } from './service.ts'

const CONTEXTS = ['view', 'edit', 'embed']

/** Pattern of the slug of a collection. */
const SLUG = '[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?'

/** Common base of the routes of icons and icon collections, for users who can edit posts. */
abstract class RegisteredController<T> extends Controller<T> {
  protected readonly icons: Icons

  constructor(plugin: PluginContext, base: string, type: string, icons: Icons) {
    super(plugin, plugin.branding.namespace('v2'), base, type)
    this.icons = icons
  }

  protected mayRead({ user }: RestRequest): true | RestError {
    return this.plugin.services.contentTypes.isWriter(user) || forbidden({ user }, errors.rest_cannot_view)
  }

  /** Registers a read-only route. */
  protected route(
    server: RestServer,
    path: string,
    args: Arguments,
    respond: (request: RestRequest) => Promise<RestResponse>,
  ) {
    server.registerRoute(this.namespace, `/${this.restBase}${path}`, {
      0: {
        methods: 'GET',
        callback: respond,
        permission_callback: (request) => this.mayRead(request),
        args: { context: this.contextParam('view'), ...args },
        cache: true,
      },
      schema: () => this.publicSchema(),
    })
  }

  /** Clients can send these parameters; the list is not paginated. */
  protected pageParams(): Arguments {
    const { page, per_page: size } = this.collectionParams()
    return { page: page!, per_page: size! }
  }

  protected async respond(items: readonly T[], request: RestRequest): Promise<RestResponse> {
    return new RestResponse(await this.prepareList(items, request))
  }

  protected override toLinks(): Links {
    return {}
  }
}

/** Routes of icons. */
export class IconsController extends RegisteredController<RegisteredIcon> {
  constructor(plugin: PluginContext, icons: Icons) {
    super(plugin, 'icons', 'icon', icons)
  }

  override register(server: RestServer): void {
    const { search } = this.collectionParams()
    const collection = {
      description: 'Slug of the collection.',
      type: 'string',
      pattern: '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$',
    } as const
    const hasCollections = this.plugin.since('7.1')
    const filters = {
      ...this.pageParams(),
      search: search!,
      ...(hasCollections && { collection }),
    }
    this.route(server, '', filters, (request) => this.#list(request))
    if (hasCollections) {
      this.route(
        server,
        `/(?P<collection>${SLUG})`,
        { ...this.pageParams(), collection, search: search! },
        (request) => {
          const slug = String(request.get('collection'))
          if (this.icons.collection(slug) === undefined) throw errors.rest_icon_collection_not_found()
          return this.#list(request)
        },
      )
    }
    const name = { description: 'Full name of the icon, with its collection.', type: 'string' } as const
    this.route(server, '/(?P<name>[a-z0-9_-]+/[a-z0-9_-]+)', { name }, async (request) => {
      const icon = this.icons.get(String(request.get('name')))
      if (icon === undefined) throw errors.rest_icon_not_found()
      return this.prepare(icon, request)
    })
  }

  #list(request: RestRequest): Promise<RestResponse> {
    const slug = request.get('collection')
    const found = this.icons
      .all()
      .filter(({ collection }) => slug === undefined || collection === slug)
      .filter(({ name, label }) => matchesSearch(`${name} ${label}`, request))
    return this.respond(found, request)
  }

  protected override itemSchema(): ItemSchema {
    const properties = {
      name: shownField('Full name of the icon, with its collection.', 'string', CONTEXTS),
      label: shownField('Label of the icon.', 'string', CONTEXTS),
      content: shownField('The icon as an <svg> element.', 'string', CONTEXTS),
      ...(this.plugin.since('7.1') && { collection: shownField('Slug of its collection.', 'string', CONTEXTS) }),
    }
    return { $schema: SCHEMA_DRAFT, title: 'icon', type: 'object', properties }
  }

  protected override toData(icon: RegisteredIcon, selection: Selection): Record<string, unknown> {
    return selection.pick({ ...icon })
  }
}

/** Routes of icon collections. */
export class IconCollectionsController extends RegisteredController<RegisteredIconCollection> {
  constructor(plugin: PluginContext, icons: Icons) {
    super(plugin, 'icon-collections', 'icon-collection', icons)
  }

  override register(server: RestServer): void {
    const { search } = this.collectionParams()
    this.route(server, '', { ...this.pageParams(), search: search! }, (request) => {
      const found = this.icons.collections().filter(({ slug, label }) => matchesSearch(`${slug} ${label}`, request))
      return this.respond(found, request)
    })
    const slug = { description: 'Slug of the collection.', type: 'string' } as const
    this.route(server, `/(?P<slug>${SLUG})`, { slug }, async (request) => {
      const collection = this.icons.collection(String(request.get('slug')))
      if (collection === undefined) throw errors.rest_icon_collection_not_found()
      return this.prepare(collection, request)
    })
  }

  protected override itemSchema(): ItemSchema {
    const properties = {
      slug: shownField('Slug of the collection.', 'string', CONTEXTS),
      label: shownField('Name of the collection.', 'string', CONTEXTS),
      description: shownField('Description of the collection.', 'string', CONTEXTS),
    }
    return { $schema: SCHEMA_DRAFT, title: 'icon-collection', type: 'object', properties }
  }

  protected override toData({ slug, label, description }: RegisteredIconCollection, selection: Selection) {
    return selection.pick({ slug, label, description })
  }
}

/** Whether a text contains the search text of the request, if it has one. */
function matchesSearch(text: string, request: RestRequest): boolean {
  const search = ((request.get('search') as string | undefined) ?? '').toLowerCase()
  return text.toLowerCase().includes(search)
}
