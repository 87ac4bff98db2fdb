import {
  errors as kernelErrors,
  forbidden,
  type Arguments,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestResponse,
} from '../../../kernel/index.ts'
import { sanitizeValue } from '../../requests/arguments/index.ts'
import {
  SCHEMA_DRAFT,
  type ItemSchema,
  type PropertySchema,
  type ResourceReader,
  type ResourceWriter,
  type Selection,
} from '../../resources/index.ts'
import {
  PostInput,
  PostPermissions,
  PostsController,
  ServedType,
  type GivenPost,
  type ListedPost,
  type Post,
  type PostQuery,
} from '../../content/posts/index.ts'
import type { Taxonomy } from '../../content/taxonomies/index.ts'
import { errors } from './errors.ts'
import { ITEM_TYPES, MENU_TAXONOMY, metaOfItem, ORPHANED_KEY, type MenuItem, type StoredItem } from './item.ts'
import type { Menus } from './service.ts'

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const

/** Changes of a menu item in a request. */
interface ItemChange extends GivenPost {
  link?: StoredItem
}

/** Permissions on menu items: users who can edit posts can read them, users who can edit the theme can change them. */
class MenuItemPermissions extends PostPermissions {
  readonly #menus: Menus
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services'], served: ServedType, menus: Menus) {
    super(services, served)
    this.#services = services
    this.#menus = menus
  }

  override async list(request: RestRequest): Promise<true | RestError> {
    const parameter = request.get('menus')
    const ids = Array.isArray(parameter)
      ? parameter.map(Number)
      : ((parameter as { terms?: number[] } | undefined)?.terms ?? [])
    const may = await super.list(request)
    return may === true ? ((await this.#refuse(ids, request)) ?? true) : may
  }

  override async read(item: Post, request: RestRequest): Promise<boolean | RestError> {
    const { capabilities, terms } = this.#services
    const edits = capabilities.can(request.user, 'edit_theme_options')
    if (request.get('context') === 'edit' && !edits) return forbidden(request, errors.rest_forbidden_context)
    const menus = (await terms.ofPosts(request.scope).load(item.id)).get(MENU_TAXONOMY) ?? []
    const refused = await this.#refuse(
      menus.map(({ id }) => id),
      request,
    )
    if (refused !== null) return refused
    return edits || item.status === 'publish'
  }

  async #refuse(menus: readonly number[], request: RestRequest): Promise<RestError | null> {
    const isWriter = this.#services.contentTypes.isWriter(request.user)
    const may = await this.#menus.mayRead({ menus }, isWriter, request)
    return may ? null : forbidden(request, errors.rest_cannot_view)
  }
}

/** Menu items, whose menus are visible to all readers of the item. */
class MenuItemsType extends ServedType {
  override taxonomiesFor(): readonly Taxonomy[] {
    return this.taxonomies
  }
}

/** Converts request parameters to changes of menu items. */
class MenuItemInput extends PostInput {
  readonly #menus: Menus
  readonly #permissions: PostPermissions
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services'], served: ServedType, permissions: PostPermissions, menus: Menus) {
    super(services, served, permissions)
    this.#menus = menus
    this.#permissions = permissions
    this.#services = services
  }

  /**
   * @throws rest_title_required, rest_url_required, rest_cannot_publish, rest_post_invalid_type, rest_post_invalid_id,
   * rest_term_invalid_id
   */
  override async changeOf(request: RestRequest, before: Post | null): Promise<ItemChange> {
    const { scope, user } = request
    const stored = before === null ? null : await this.#menus.storedItem(before, scope)
    const given = linkOf(request, stored)
    const isSent = stored === null || ['type', 'object', 'object_id'].some((name) => isGiven(request.get(name)))
    const link = isSent && given.object === '' ? { ...given, object: await this.#objectOf(given, request) } : given
    const change: ItemChange = { link }
    const title = await this.textOf(request, 'title')
    // Do not store a title that equals the title of the target, so that it follows changes of the target.
    if (title !== undefined) change.title = title === (await this.#menus.titleOf(link, user, scope)) ? '' : title
    if (link.type === 'custom') refuseIncomplete(change.title ?? before?.title ?? '', link.url)
    const plain = { attr_title: 'excerpt', description: 'content' } as const
    for (const [field, column] of Object.entries(plain) as [keyof typeof plain, 'excerpt' | 'content'][]) {
      const value = request.get(field)
      const text = typeof value === 'string' ? value : (value as { raw?: unknown } | null | undefined)?.raw
      if (typeof text === 'string')
        change[column] = sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
    }
    const status = request.get('status')
    if (typeof status === 'string') change.status = status
    const refused = this.#permissions.refuseStatus(change.status, before, request)
    if (refused !== null) throw refused
    const order = request.get('menu_order')
    if (typeof order === 'number') change.menu_order = order
    const menu = request.get('menus')
    if (typeof menu === 'number') change.terms = new Map([[MENU_TAXONOMY, menu === 0 ? [] : [menu]]])
    return change
  }

  /** Returns the content type or taxonomy of the target of an item that names none. */
  async #objectOf({ type, object_id: id }: StoredItem, { scope, user }: RestRequest): Promise<string> {
    const { posts, terms } = this.#services
    if (type === 'post_type_archive') throw errors.rest_post_invalid_type('')
    if (type === 'taxonomy') {
      const term = id > 0 ? await terms.get(id, scope) : undefined
      if (term === undefined) throw errors.rest_term_invalid_id()
      return term.taxonomy
    }
    const post = id > 0 ? await posts.get(id, scope) : undefined
    // The same error as for a missing post, so that the response does not reveal that it exists.
    if (post === undefined || !(await posts.isReadable(post, user, scope))) throw errors.rest_post_invalid_id()
    return post.type
  }
}

/** Returns the target of an item; parameters missing in the request keep their stored values. */
function linkOf(request: RestRequest, stored: StoredItem | null): StoredItem {
  const parameter = <T>(name: string, or: T): T => (request.get(name) as T | null | undefined) ?? or
  const type = parameter('type', stored?.type ?? 'custom')
  return {
    type,
    object: type === 'custom' ? 'custom' : parameter('object', stored?.object ?? ''),
    object_id: parameter('object_id', stored?.object_id ?? 0),
    parent: parameter('parent', stored?.parent ?? 0),
    target: parameter('target', stored?.target ?? ''),
    classes: parameter<readonly string[]>('classes', stored?.classes ?? []).map(classOf),
    xfn: parameter<readonly string[]>('xfn', stored?.xfn ?? []).map(classOf),
    url: parameter('url', stored?.url ?? ''),
  }
}

const isGiven = (value: unknown) => value !== undefined && value !== null

function classOf(text: string): string {
  return text.replace(/%[a-fA-F0-9]{2}|[^\w-]/g, '')
}

/** @throws rest_title_required, rest_url_required */
function refuseIncomplete(title: string, url: string): void {
  const missing = [
    ...(title === '' ? [errors.rest_title_required()] : []),
    ...(url === '' ? [errors.rest_url_required()] : []),
  ]
  const [first, ...others] = missing
  if (first === undefined) return
  first.additional.push(...others)
  throw first
}

/** Routes of menu items. */
export class MenuItemsController extends PostsController {
  override readonly permissions: MenuItemPermissions
  override readonly input: MenuItemInput
  protected override readonly reader: ResourceReader<PostQuery, ListedPost>
  declare protected readonly writer: ResourceWriter<Post, ItemChange>
  readonly #menus: Menus

  /** @param context from `services.posts.context` */
  constructor(context: PluginContext, name: string, menus: Menus) {
    super(context, name)
    const { posts } = context.services
    const { writer } = this
    this.#menus = menus
    const served = new MenuItemsType(context, this.type)
    this.permissions = new MenuItemPermissions(context.services, served, menus)
    this.input = new MenuItemInput(context.services, served, this.permissions, menus)
    // Readers of a menu can read its items, so the query has no read scope. Statuses are checked as for posts.
    this.reader = {
      query: async (query, request) => {
        const list = await posts.query({ ...query, readScope: null }, request.scope)
        const pages = Math.ceil(list.total / (request.get('per_page') as number))
        if (list.total > 0 && (request.get('page') as number) > pages) throw errors.rest_post_invalid_page_number()
        return list
      },
    }
    this.writer = {
      create: async ({ link, ...post }, request) => {
        const item = await writer.create(post, request)
        await this.#store(item, link!, { terms: new Map(), ...post }, request)
        return item
      },
      update: async (before, { link, ...post }, request) => {
        const item = await writer.update(before, post, request)
        await this.#store(item, link!, post, request)
        return item
      },
      delete: (item, request) => writer.delete(item, request),
    }
  }

  async #store({ id }: Post, link: StoredItem, { terms }: GivenPost, { scope }: RestRequest): Promise<void> {
    const { meta } = this.plugin.services
    const stored = link.type === 'custom' ? { ...link, object_id: id } : link
    await meta.writeAll('post', id, metaOfItem(stored), scope)
    const inMenu = (terms?.get(MENU_TAXONOMY) ?? []).length > 0
    if (terms !== undefined) await meta.write('post', id, ORPHANED_KEY, inMenu ? [] : [secondsNow()], scope)
  }

  /** Menu items cannot be moved to the trash. */
  protected override trash(): Promise<Post> {
    return Promise.reject(kernelErrors.rest_trash_not_supported())
  }

  /** Reads the targets of all items in a list. */
  protected override gather(posts: readonly ListedPost[], selection: Selection, request: RestRequest) {
    const { meta } = this.plugin.services
    const { scope, user } = request
    const ids = posts.map(({ id }) => id)
    return Promise.all([
      this.#menus.itemsOf(posts as readonly Post[], user, scope),
      meta.shows('post', this.type.name, selection) ? meta.loadAll('post', ids, scope) : undefined,
    ])
  }

  protected override async toData(
    post: ListedPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { meta, contentRendering: rendering } = this.plugin.services
    const [[item], values] = await Promise.all([
      this.#menus.itemsOf([post as Post], request.user, request.scope),
      selection.has('meta') ? meta.values('post', this.type.name, post.id, request, selection) : undefined,
    ])
    const { menu, classes, xfn, title, ...plain } = item as MenuItem
    const data: Record<string, unknown> = { id: post.id }
    if (selection.has('title')) {
      const rendered = await rendering.title({ ...post, title })
      data['title'] = selection.parts('title', { raw: title, rendered })
    }
    for (const [name, value] of Object.entries({ ...plain, classes, xfn })) {
      if (selection.has(name)) data[name] = value
    }
    if (selection.has('meta')) data['meta'] = values
    if (selection.has('menus') && menu !== 0) data['menus'] = menu
    return data
  }

  protected override async prepareItem(post: Post, request: RestRequest): Promise<RestResponse> {
    return this.prepare(post, request)
  }

  protected override async toLinks(post: ListedPost, request: RestRequest): Promise<Links> {
    const { branding, services, urls } = this.plugin
    const links = { ...(await super.toLinks(post, request)) }
    const menus = services.taxonomies.get(MENU_TAXONOMY)!
    const href = urls.rest(`${services.taxonomies.itemsRoute(menus)}?post=${post.id}`)
    links[branding.relation('term')] = [{ taxonomy: MENU_TAXONOMY, embeddable: true, href }]
    const { type, object, object_id: id } = await this.#menus.storedItem(post, request.scope)
    const isTerm = type === 'taxonomy'
    if (id === 0 || (type !== 'post_type' && !isTerm)) return links
    const route = isTerm
      ? services.taxonomies.itemRoute({ id, taxonomy: object })
      : services.contentTypes.itemRoute({ id, type: object })
    if (route !== '') {
      const kind = isTerm ? { taxonomy: object } : { post_type: object }
      const target = urls.rest(route)
      const [item] = await this.#menus.itemsOf([post as Post], request.user, request.scope)
      if (item?.invalid === false)
        links[branding.relation('menu-item-object')] = [{ ...kind, embeddable: true, href: target }]
    }
    return links
  }

  protected override listArguments(): Arguments {
    const args = super.listArguments()
    const { orderby, order, menu_order: _, ...others } = args
    return {
      ...others,
      menu_order: { description: 'Limits the list to items with this menu order.', type: 'integer' },
      order: { ...order, default: 'asc' },
      orderby: {
        ...orderby,
        default: 'menu_order',
        enum: [...new Set([...(orderby?.enum ?? []), 'menu_order'])],
      },
    }
  }

  /** Menu items have no passwords. */
  protected override itemParams(): Arguments {
    const { password: _, ...params } = super.itemParams()
    return params
  }

  override collectionParams(): Arguments {
    const { per_page: size, ...others } = super.collectionParams()
    return { ...others, per_page: { ...size, default: 100 } }
  }

  protected override itemSchema(): ItemSchema {
    const { services } = this.plugin
    const schema = super.itemSchema()
    const { status } = schema.properties
    const meta = services.meta.schemaFor('post', this.type.name)
    const text = (description: string, more: Partial<PropertySchema> = {}): PropertySchema => ({
      description,
      type: 'string',
      context: EVERYWHERE,
      ...more,
    })
    const words = (description: string): PropertySchema => ({
      description,
      type: 'array',
      items: { type: 'string' },
      context: EVERYWHERE,
    })
    const plain = { validate_callback: null, sanitize_callback: null }
    return {
      ...schema,
      $schema: SCHEMA_DRAFT,
      properties: {
        title: {
          description: 'Title of the item.',
          type: ['string', 'object'],
          context: EVERYWHERE,
          arg_options: plain,
          properties: {
            raw: { description: 'Title as stored.', type: 'string', context: ['edit'] },
            rendered: {
              description: 'Title as HTML.',
              type: 'string',
              context: EVERYWHERE,
              readonly: true,
            },
          },
        },
        id: {
          description: 'ID of the item.',
          type: 'integer',
          default: 0,
          minimum: 0,
          context: EVERYWHERE,
          readonly: true,
        },
        type_label: text('Display name of the kind of link target.', { readonly: true }),
        type: text('Kind of link target.', { enum: [...ITEM_TYPES], default: 'custom' }),
        status: { ...status!, context: EVERYWHERE, default: 'publish' },
        parent: {
          description: 'ID of the parent item; 0 for none.',
          type: 'integer',
          minimum: 0,
          default: 0,
          context: EVERYWHERE,
          references: { source: 'post', of: this.type.name, unknown: 'stored' },
        },
        attr_title: text('The title attribute of the link.'),
        classes: words('Classes of the link.'),
        description: text('Description of the link.'),
        menu_order: {
          description: 'Position of the item in its menu.',
          type: 'integer',
          minimum: 1,
          default: 1,
          context: EVERYWHERE,
        },
        object: text('Name of the content type or taxonomy of the target.', { references: 'menu_item_object' }),
        object_id: {
          description: 'ID of the target post or term.',
          type: 'integer',
          minimum: 0,
          default: 0,
          context: EVERYWHERE,
          references: { source: 'menu_item_object', unknown: 'stored' },
        },
        target: text('The target attribute of the link.', { enum: ['_blank', ''] }),
        url: text('URL of the target.', {
          format: 'uri',
          arg_options: { validate_callback: urlFault },
        }),
        xfn: words('XFN relationship to the target.'),
        invalid: {
          description: 'Whether the target of the item is missing.',
          type: 'boolean',
          context: EVERYWHERE,
          readonly: true,
        },
        menus: {
          description: 'ID of the menu of the item.',
          type: 'integer',
          context: READERS,
          references: { source: 'term', of: MENU_TAXONOMY, error: (id) => errors.invalid_menu_id(String(id)) },
        },
        ...(meta !== null && { meta }),
      },
      links: [
        ...schema.links!,
        {
          rel: `${this.plugin.branding.relationUri}menu-item-object`,
          title: 'Target of the item.',
          href: this.href('{id}'),
          targetSchema: { type: 'object', properties: { object: { type: 'integer' } } },
        },
      ],
    }
  }
}

const secondsNow = () => String(Math.floor(Date.now() / 1000))

/** Refuses URLs that could run scripts. */
function urlFault(value: unknown): true | RestError {
  const isSafe =
    typeof value === 'string' && (value === '' || sanitizeValue(value, { type: 'string', format: 'uri' }) !== '')
  return isSafe || kernelErrors.rest_invalid_param('The URL is not allowed in links.')
}
