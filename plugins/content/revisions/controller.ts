import {
  Controller,
  errors as kernelErrors,
  RestResponse,
  runAction,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
  type RequestCache,
  type Selection,
  type TimeZone,
} from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import {
  PostsController,
  shownDates,
  type ListedPost,
  type Post,
  type PostList,
  type PostQuery,
} from '../posts/index.ts'
import { errors } from './errors.ts'
import { revisionQuery } from './input.ts'
import { RevisionPermissions } from './permissions.ts'
import { revisionListArguments, revisionSchema } from './schema.ts'

/** The routes of the revisions of one content type's posts. */
export class RevisionsController extends Controller<ListedPost> {
  protected readonly type: ContentType
  /** The controller of the posts: what it shows, and asks of those who change them, goes for their revisions too. */
  protected readonly parent: PostsController
  readonly #permissions: RevisionPermissions

  /** @param context that of posts: `services.posts.context` */
  constructor(context: PluginContext, type: ContentType) {
    super(context, type.rest_namespace, type.rest_base, `${type.name}-revision`)
    this.type = type
    this.parent = postsControllerOf(context, type)
    this.#permissions = new RevisionPermissions(context.services)
  }

  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const parent = { description: 'ID of the post.', type: 'integer' }
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
      args: { parent, id: { description: 'ID of the revision.', type: 'integer' } },
      0: {
        callback: async (request) => this.prepare(await this.#revisionOf(request), request),
        permission_callback: (request) => this.mayRead(request, 'parent'),
        args: { context: this.contextParam('view') },
      },
      1: {
        methods: 'DELETE',
        callback: (request) => this.#delete(request),
        permission_callback: (request) => this.#mayDelete(request),
        args: {
          force: { description: 'Must be true: revisions are deleted for good.', type: 'boolean', default: false },
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
    return { context: this.contextParam('view'), ...common, per_page: size, ...revisionListArguments() }
  }

  protected override itemSchema(): ItemSchema {
    return revisionSchema(this.objectType, this.parent.schema.properties)
  }

  /** Whether the user may read the revisions of the post that a capture names. */
  protected async mayRead(request: RestRequest, capture: 'parent' | 'id'): Promise<true | RestError> {
    return this.#permissions.read(await this.parentOf(request, capture), request)
  }

  async #mayDelete(request: RestRequest): Promise<true | RestError> {
    const parent = await this.parentOf(request, 'parent')
    return this.#permissions.delete(parent, () => this.#revisionOf(request), request)
  }

  /**
   * The post whose revisions are asked for.
   * @throws rest_post_invalid_parent
   */
  protected async parentOf(request: RestRequest, capture: 'parent' | 'id'): Promise<Post> {
    const parent = await this.plugin.services.posts.get(Number(request.captures[capture]), request.scope)
    if (parent?.type !== this.type.name) throw errors.rest_post_invalid_parent()
    return parent
  }

  /**
   * The revision in the URL. One of another post is none: the permission was asked for the post in the URL.
   * @throws rest_post_invalid_id
   */
  async #revisionOf(request: RestRequest): Promise<Post> {
    const parent = await this.parentOf(request, 'parent')
    const revision = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (revision?.type !== 'revision' || revision.parent_id !== parent.id) throw errors.rest_post_invalid_id()
    return revision
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const query = revisionQuery(request)
    const { items, total } = await this.revisions(request, 'parent', query)
    const page = request.get('page') as number
    const perPage = query.limit ?? Math.max(total, 1)
    const skips = request.get('offset') as number | undefined
    if (skips !== undefined && total > 0 && query.offset >= total) throw errors.rest_revision_invalid_offset_number()
    // What is skipped says where the list begins, whatever the page.
    if (!skips && total > 0 && page > Math.ceil(total / perPage)) throw errors.rest_revision_invalid_page_number()
    const response = new RestResponse(await this.prepareList(items, request))
    return this.paginate(response, request, { total, perPage, page })
  }

  /** The revisions of the post that a capture names, newest first unless the query says otherwise. */
  protected async revisions(
    request: RestRequest,
    capture: 'parent' | 'id',
    query: Partial<PostQuery> = {},
  ): Promise<PostList<ListedPost>> {
    const { posts } = this.plugin.services
    const parent = await this.parentOf(request, capture)
    const selection = this.selection(request)
    const whole: PostQuery = {
      types: ['revision'],
      statuses: ['inherit'],
      parent: [parent.id],
      // Whoever may change the post may read all that it has been.
      readScope: null,
      opens: null,
      limit: Number.MAX_SAFE_INTEGER,
      ...query,
    }
    const texts = selection.has('content') || selection.has('excerpt')
    return texts ? posts.query(whole, request.scope) : posts.queryLean(whole)
  }

  async #delete(request: RestRequest): Promise<RestResponse> {
    const { user, scope } = request
    const revision = await this.#revisionOf(request)
    if (request.get('force') !== true) throw kernelErrors.rest_trash_not_supported()
    request.set('context', 'edit')
    const previous = await this.prepare(revision, request)
    await this.plugin.services.posts.remove(revision.id, { user, scope })
    const response = new RestResponse({ deleted: true, previous: previous.data })
    await runAction(this.plugin.hooks.rest_delete.for(this.hookName), revision, response, request)
    return response
  }

  protected override async toData(
    revision: ListedPost,
    selection: Selection,
    { scope }: RestRequest,
  ): Promise<Record<string, unknown>> {
    const zone = await this.plugin.services.options.get<TimeZone>('timezone', 'UTC')
    const { date, date_gmt, modified, modified_gmt } = shownDates(revision, zone)
    const { author_id: author, parent_id: parent, slug } = revision
    const guid = selection.parts('guid', { rendered: revision.guid, raw: revision.guid })
    // Registered fields know the revision by its ID, whatever else is asked for.
    return {
      id: revision.id,
      ...selection.pick({ author, date, date_gmt, modified, modified_gmt, parent, slug, guid }),
      // The texts are read wherever one of them is asked for.
      ...(await this.#texts(revision as Post, selection, scope)),
    }
  }

  async #texts(revision: Post, selection: Selection, scope: RequestCache): Promise<Record<string, unknown>> {
    const { rendering } = this.plugin.services
    const text = async (name: 'title' | 'content' | 'excerpt', render: () => Promise<string>) => {
      if (!selection.has(name)) return {}
      const rendered = selection.has(`${name}.rendered`) ? await render() : ''
      return { [name]: selection.parts(name, { raw: revision[name], rendered }) }
    }
    return {
      ...(await text('title', async () => rendering.title(revision))),
      ...(await text('content', async () => rendering.content(revision, scope))),
      ...(await text('excerpt', async () => rendering.writtenExcerpt(revision))),
    }
  }

  protected override toLinks(revision: ListedPost): Record<string, Link> {
    // What is saved in place has nothing above it.
    if (revision.type !== 'revision') return {}
    return { parent: { href: this.href(revision.parent_id) } }
  }
}

type PostsControllerClass = new (plugin: PluginContext, name: string) => PostsController

/** The controller of the posts of a type: its own, where that is one of posts. */
function postsControllerOf(context: PluginContext, { name, rest_controller_class: Own }: ContentType): PostsController {
  const isOfPosts = typeof Own === 'function' && Own.prototype instanceof PostsController
  return isOfPosts ? new (Own as PostsControllerClass)(context, name) : new PostsController(context, name)
}
