import {
  authorizationStatus,
  Controller,
  defineErrors,
  definePlugin,
  type RestError,
  RestResponse,
  runAction,
  SCHEMA_DRAFT,
  toIso,
  utcFromLocal,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type PropertySchema,
  type RestRequest,
  type RestServer,
  type RequestCache,
  type Selection,
  type TimeZone,
} from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { PostsController, type LeanPost, type Post, type PostOrder, type PostQuery } from '../posts/index.ts'

const errors = defineErrors({
  rest_cannot_delete: [403, 'You may not delete the versions of this content.'],
  rest_trash_not_supported: [501, 'Versions cannot be moved to the trash: set force to true to delete one.'],
  rest_post_invalid_parent: [404, 'There is no content of this kind under this number that could have versions.'],
  rest_post_invalid_id: [404, 'This content has no version of this number.'],
  rest_cannot_read: [403, 'You may not see the versions of this content.'],
  rest_revision_invalid_offset_number: [400, 'There are fewer versions than the offset skips.'],
  rest_revision_invalid_page_number: [400, 'The list has fewer pages than that.'],
})

export interface RevisionsOptions {
  /** How many versions of an item are kept, the newest; -1 for all, 0 for none. */
  keep: number
}

/** The versions that content has had, for those who may change it; one is made with every change of its texts. */
export default definePlugin<RevisionsOptions>({
  name: 'revisions',
  needs: ['roles', 'settings', 'content-types', 'taxonomies', 'meta', 'rendering', 'posts'],
  options: { keep: { default: -1, type: 'integer', minimum: -1 } },
  apply(plugin, { keep }) {
    const { contentTypes, posts } = plugin.services
    plugin.hooks.save_post.tapPromise('revisions', async (post, before, write) => {
      if (before === null || write.autosave === true || post.status === 'auto-draft') return
      if (contentTypes.supports(post.type, 'revisions')) await posts.addVersion(post, keep, write)
    })
    plugin.hooks.rest_api_init.tap({ name: 'revisions', stage: 100 }, (server) => {
      for (const type of contentTypes.exposed()) {
        if (contentTypes.supports(type.name, 'revisions') && isServed(type))
          new RevisionsController(plugin, type).register(server)
      }
    })
  },
})

/** Whether a content type has routes, to which those of its versions can be added. */
export function isServed({ rest_controller_class: Class }: ContentType): boolean {
  return Class === undefined || (typeof Class === 'function' && Class.prototype instanceof Controller)
}

type PostsControllerClass = new (plugin: PluginContext, name: string) => PostsController

function isOfPosts(Class: ContentType['rest_controller_class']): Class is PostsControllerClass {
  return typeof Class === 'function' && Class.prototype instanceof PostsController
}

/** A text as versions have it: rendered too, where items show it as it is written alone. */
function asVersion(property: PropertySchema): PropertySchema {
  const { context, properties = {} } = property
  if (Object.hasOwn(properties, 'rendered')) return property
  const rendered = { description: 'As readers see it, in HTML.', type: 'string', ...(context && { context }) }
  return { ...property, properties: { ...properties, rendered } }
}

/** The routes of the versions of one content type's items. */
export class RevisionsController extends Controller<Post | LeanPost> {
  protected readonly type: ContentType
  protected readonly parent: PostsController

  constructor(plugin: PluginContext, type: ContentType) {
    super(plugin, type.rest_namespace, type.rest_base, `${type.name}-revision`)
    this.type = type
    const { rest_controller_class: Own } = type
    // What a type's own controller shows, and asks of those who change items, goes for what is saved of them too.
    this.parent = isOfPosts(Own) ? new Own(plugin, type.name) : new PostsController(plugin, type.name)
  }

  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const parent = { description: 'Number of the item.', type: 'integer' }
    server.registerRoute(this.namespace, `${this.restBase}/(?P<parent>[\\d]+)/revisions`, {
      args: { parent },
      0: {
        callback: (request) => this.#list(request),
        permission_callback: (request) => this.mayRead(request, 'parent'),
        args: this.collectionParams(),
      },
      schema,
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<parent>[\\d]+)/revisions/(?P<id>[\\d]+)`, {
      args: { parent, id: { description: 'Number of the version.', type: 'integer' } },
      0: {
        callback: async (request) => this.prepare(await this.#versionOf(request), request),
        permission_callback: (request) => this.mayRead(request, 'parent'),
        args: { context: this.contextParam('view') },
      },
      1: {
        methods: 'DELETE',
        callback: (request) => this.#delete(request),
        permission_callback: (request) => this.#mayDelete(request),
        args: {
          force: {
            description: 'Must be true: versions are deleted for good.',
            type: 'boolean',
            default: false,
          },
        },
      },
      schema,
    })
  }

  protected override get hookName(): string {
    return 'revision'
  }

  override collectionParams(): Arguments {
    const { context: _, per_page: perPage, ...common } = super.collectionParams()
    const { default: __, ...size } = perPage!
    const numbers = (description: string) => ({ description, type: 'array', items: { type: 'integer' }, default: [] })
    return {
      context: this.contextParam('view'),
      ...common,
      per_page: size,
      exclude: numbers('Leaves these versions out.'),
      include: numbers('Limits the list to these versions.'),
      offset: { description: 'Skips this many versions; goes before the page.', type: 'integer' },
      order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
      orderby: {
        description: 'What the versions are ordered by.',
        type: 'string',
        default: 'date',
        enum: ['date', 'id', 'include', 'relevance', 'slug', 'include_slugs', 'title'],
      },
    }
  }

  protected override itemSchema(): ItemSchema {
    const everywhere = ['view', 'edit', 'embed'] as const
    const readers = ['view', 'edit'] as const
    const number = (description: string): PropertySchema => ({ description, type: 'integer', context: everywhere })
    const date = (description: string, context: readonly string[]): PropertySchema => ({
      description,
      type: 'string',
      format: 'date-time',
      context,
    })
    const { guid, title, content, excerpt } = this.parent.schema.properties
    return {
      $schema: SCHEMA_DRAFT,
      title: this.objectType,
      type: 'object',
      properties: {
        author: number('Number of who made the version.'),
        date: date('When the version was made, in the time of the site.', everywhere),
        date_gmt: date('When the version was made, in UTC.', readers),
        ...(guid && { guid }),
        id: number('Number of the version.'),
        modified: date('When the version was last changed, in the time of the site.', readers),
        modified_gmt: date('When the version was last changed, in UTC.', readers),
        parent: number('Number of the item that this is a version of.'),
        slug: { description: 'Name of the version, unique in its type.', type: 'string', context: everywhere },
        ...(title && { title: asVersion(title) }),
        ...(content && { content: asVersion(content) }),
        ...(excerpt && { excerpt }),
      },
    }
  }

  /** Whether the versions of the item that a capture names may be read: by those who may change it. */
  protected async mayRead(request: RestRequest, capture: 'parent' | 'id'): Promise<boolean | RestError> {
    const { posts } = this.plugin.services
    const parent = await this.parentOf(request, capture)
    const may = await posts.isEditable(parent, request.user, request.scope)
    return may || errors.rest_cannot_read({ data: { status: authorizationStatus(request) } })
  }

  /**
   * The item whose versions are asked for.
   * @throws rest_post_invalid_parent
   */
  protected async parentOf(request: RestRequest, capture: 'parent' | 'id'): Promise<Post> {
    const parent = await this.plugin.services.posts.get(Number(request.captures[capture]), request.scope)
    if (parent?.type !== this.type.name) throw errors.rest_post_invalid_parent()
    return parent
  }

  /**
   * The version that the address names. One of another item is none: the right was asked for the item of the address.
   * @throws rest_post_invalid_id
   */
  async #versionOf(request: RestRequest): Promise<Post> {
    const parent = await this.parentOf(request, 'parent')
    const version = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (version?.type !== 'revision' || version.parent_id !== parent.id) throw errors.rest_post_invalid_id()
    return version
  }

  /** Whether the version may be deleted: by nobody, unless a plugin lets some (`map_meta_cap`). */
  async #mayDelete(request: RestRequest): Promise<boolean | RestError> {
    const { capabilities, posts } = this.plugin.services
    const { user, scope } = request
    const refusal = () => errors.rest_cannot_delete({ data: { status: authorizationStatus(request) } })
    // Who may not see the versions is not told which there are.
    if ((await this.mayRead(request, 'parent')) !== true) return refusal()
    const version = await posts.subject(await this.#versionOf(request), scope)
    return capabilities.can(user, 'delete_post', version) || refusal()
  }

  async #delete(request: RestRequest): Promise<RestResponse> {
    const version = await this.#versionOf(request)
    if (request.get('force') !== true) throw errors.rest_trash_not_supported()
    request.set('context', 'edit')
    const previous = await this.prepare(version, request)
    await this.plugin.services.posts.remove(version.id, { user: request.user, scope: request.scope })
    const response = new RestResponse({ deleted: true, previous: previous.data })
    await runAction(this.plugin.hooks.rest_delete.for('revision'), version, response, request)
    return response
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const perPage = request.get('per_page') as number | undefined
    const page = request.get('page') as number
    const given = request.get('offset') as number | undefined
    // Without a size all versions are one page, and there is no second one.
    const offset = given === undefined ? (page - 1) * (perPage ?? 0) : Math.abs(given)
    const search = request.get('search') as string | undefined
    const { items, total } = await this.versions(request, 'parent', {
      include: request.get('include') as number[],
      exclude: request.get('exclude') as number[],
      orderby: request.get('orderby') as PostOrder,
      order: request.get('order') as 'asc' | 'desc',
      offset,
      ...(perPage !== undefined && { limit: perPage }),
      ...(search !== undefined && { search }),
    })
    const size = perPage ?? Math.max(total, 1)
    if (given !== undefined && total > 0 && offset >= total) throw errors.rest_revision_invalid_offset_number()
    // What is skipped says where the list begins, whatever the page.
    if (!given && total > 0 && page > Math.ceil(total / size)) throw errors.rest_revision_invalid_page_number()
    const response = new RestResponse(await this.prepareList(items, request))
    return this.paginate(response, request, { total, perPage: size, page })
  }

  /** The versions of the item that a capture names, newest first unless the query says otherwise. */
  protected async versions(request: RestRequest, capture: 'parent' | 'id', query: Partial<PostQuery> = {}) {
    const { posts } = this.plugin.services
    const parent = await this.parentOf(request, capture)
    const selection = this.selection(request)
    const whole: PostQuery = {
      types: ['revision'],
      statuses: ['inherit'],
      parent: [parent.id],
      // Whoever may change the item may read all that it has been.
      readScope: null,
      opens: null,
      limit: Number.MAX_SAFE_INTEGER,
      ...query,
    }
    const texts = selection.has('content') || selection.has('excerpt')
    return texts ? posts.query(whole, request.scope) : posts.queryLean(whole)
  }

  protected override async toData(
    version: Post | LeanPost,
    selection: Selection,
    { scope }: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { options } = this.plugin.services
    const zone = await options.get<TimeZone>('timezone', 'UTC')
    // Registered fields know the version by its number, whatever else is asked for.
    const data: Record<string, unknown> = { id: version.id }
    const put = (field: string, value: unknown) => {
      if (selection.has(field)) data[field] = value
    }
    put('author', version.author_id)
    put('date', toIso(version.date))
    put('date_gmt', toIso(version.date_gmt) ?? toIso(utcFromLocal(version.date, zone)))
    put('modified', toIso(version.modified))
    put('modified_gmt', toIso(version.modified_gmt) ?? toIso(utcFromLocal(version.modified, zone)))
    put('parent', version.parent_id)
    put('slug', version.slug)
    put('guid', selection.parts('guid', { rendered: version.guid, raw: version.guid }))
    // The texts are read wherever one of them is asked for.
    return { ...data, ...(await this.#texts(version as Post, selection, scope)) }
  }

  async #texts(version: Post, selection: Selection, scope: RequestCache): Promise<Record<string, unknown>> {
    const { rendering } = this.plugin.services
    const texts: Record<string, unknown> = {}
    const shown = (part: string) => selection.has(part)
    if (shown('title')) {
      const rendered = shown('title.rendered') ? await rendering.title(version) : ''
      texts['title'] = selection.parts('title', { raw: version.title, rendered })
    }
    if (shown('content')) {
      const rendered = shown('content.rendered') ? await rendering.content(version, scope) : ''
      texts['content'] = selection.parts('content', { raw: version.content, rendered })
    }
    if (shown('excerpt')) {
      const rendered = shown('excerpt.rendered') ? await rendering.writtenExcerpt(version) : ''
      texts['excerpt'] = selection.parts('excerpt', { raw: version.excerpt, rendered })
    }
    return texts
  }

  protected override toLinks(version: Post | LeanPost): Record<string, Link> {
    // What is saved in place has nothing above it.
    if (version.type !== 'revision') return {}
    return { parent: { href: this.href(version.parent_id) } }
  }
}
