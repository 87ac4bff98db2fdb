import type {
  Awaitable,
  ArgumentSchema,
  Arguments,
  Links,
  PluginContext,
  RestError,
  RestRequest,
  RestServer,
  RequestCache,
} from '../../../kernel/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import {
  type TimeZone,
  CollectionController,
  type ItemSchema,
  type ItemRemover,
  type ResourceReader,
  type Selection,
} from '../../resources/index.ts'
import type { ContentType } from '../content-types/index.ts'
import {
  postsControllerOf,
  shownDates,
  shownGuid,
  type ListedPost,
  type Post,
  type PostList,
  type PostQuery,
  type PostsController,
  type ScopedPostQuery,
} from '../posts/index.ts'
import { errors } from './errors.ts'
import { revisionQuery, type RevisionQuery } from './input.ts'
import { RevisionPermissions } from './permissions.ts'
import { DELETE_ARGUMENTS, revisionListArguments, revisionSchema } from './schema.ts'

/** The argument that is in the path of all routes. */
export const PARENT: ArgumentSchema = { description: 'ID of the post.', type: 'integer' }

/** The routes of the revisions of one content type's posts. */
export class RevisionsController extends CollectionController<Post, RevisionQuery, ListedPost> {
  protected override readonly deleteParams = DELETE_ARGUMENTS
  protected readonly input = { queryOf: revisionQuery }
  protected readonly reader: ResourceReader<RevisionQuery, ListedPost> = {
    query: (query, request) => this.#query(query, request),
  }
  protected readonly writer: ItemRemover<Post> = {
    delete: ({ id }, { user, scope }) => this.plugin.services.posts.remove(id, { user, scope }),
  }
  /** Fields that are made of the texts of a revision. */
  protected readonly textFields: readonly string[] = ['content', 'excerpt']
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
    const path = `${this.restBase}/(?P<parent>[\\d]+)/revisions`
    const id: ArgumentSchema = { description: 'ID of the revision.', type: 'integer' }
    this.registerRoute(server, path, this.listEndpoints(), { parent: PARENT })
    this.registerRoute(server, `${path}/(?P<id>[\\d]+)`, this.itemEndpoints(), { parent: PARENT, id })
  }

  protected override get hookName(): string {
    return 'revision'
  }

  /** Without a size, all revisions are on one page. */
  override collectionParams(): Arguments {
    const { per_page: perPage, ...others } = super.collectionParams()
    const { default: _, ...size } = perPage!
    return { ...others, per_page: size, ...revisionListArguments() }
  }

  protected override itemSchema(): ItemSchema {
    const { plugin, type } = this
    const meta = plugin.since('6.4') ? plugin.services.meta.schemaOfAll('post', type.name) : null
    return revisionSchema(this.objectType, this.parent.schema.properties, meta)
  }

  /** Whether the user may read the revisions of the post in the URL. */
  override async mayList(request: RestRequest): Promise<true | RestError> {
    return this.#permissions.read(await this.parentOf(request), request)
  }

  override mayRead(request: RestRequest): Promise<true | RestError> {
    return this.mayList(request)
  }

  override async mayDelete(request: RestRequest): Promise<true | RestError> {
    return this.#permissions.delete(await this.parentOf(request), () => this.itemOf(request), request)
  }

  /**
   * The post whose revisions are asked for.
   * @throws rest_post_invalid_parent
   */
  protected async parentOf({ captures, scope }: RestRequest): Promise<Post> {
    // In the path of the list of autosaves it is `id`.
    const id = Number(captures['parent'] ?? captures['id'])
    const parent = await this.plugin.services.posts.get(id, scope)
    if (parent?.type !== this.type.name) throw errors.rest_post_invalid_parent()
    return parent
  }

  /**
   * The revision in the URL. One of another post is none: the permission was asked for the post in the URL.
   * @throws rest_post_invalid_id
   */
  override async itemOf(request: RestRequest): Promise<Post> {
    const parent = await this.parentOf(request)
    const revision = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (revision?.type !== 'revision' || revision.parent_id !== parent.id) throw errors.rest_post_invalid_id()
    return revision
  }

  /** @throws rest_revision_invalid_offset_number, rest_revision_invalid_page_number */
  async #query(query: RevisionQuery, request: RestRequest): Promise<PostList<ListedPost>> {
    const list = await this.revisions(query, request)
    const { total } = list
    const skips = query.limit === undefined ? undefined : (request.get('offset') as number | undefined)
    if (skips !== undefined && total > 0 && query.offset >= total) throw errors.rest_revision_invalid_offset_number()
    // What is skipped says where the list begins, whatever the page.
    const pages = Math.ceil(total / (query.limit ?? total))
    if (!skips && total > 0 && this.pageOf(query, request) > pages) throw errors.rest_revision_invalid_page_number()
    return list
  }

  /** The revisions of the post in the URL, newest first unless the query says otherwise. */
  protected async revisions(query: Partial<PostQuery>, request: RestRequest): Promise<PostList<ListedPost>> {
    const { posts } = this.plugin.services
    const parent = await this.parentOf(request)
    const selection = this.selection(request)
    const whole: ScopedPostQuery = {
      types: ['revision'],
      statuses: ['inherit'],
      parent: [parent.id],
      opens: null,
      limit: Number.MAX_SAFE_INTEGER,
      ...query,
      // Whoever may change the post may read all that it has been.
      readScope: null,
    }
    const texts = this.textFields.some((field) => selection.has(field))
    return texts ? posts.query(whole, request.scope) : posts.queryLean(whole)
  }

  protected override async toData(
    revision: ListedPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { scope } = request
    dependsOn(`post:${revision.id}`)
    const zone = await this.plugin.services.options.get<TimeZone>('timezone', 'UTC')
    const { modified, modified_gmt, ...dates } = shownDates(revision, zone)
    // A draft that is saved in place may have no date yet.
    const { date, date_gmt } = revision.date_gmt === '' ? { date: null, date_gmt: null } : dates
    const { author_id: author, parent_id: parent, slug } = revision
    const guid = shownGuid(revision, selection)
    // Registered fields know the revision by its ID, whatever else is asked for.
    return {
      id: revision.id,
      ...selection.pick({ author, date, date_gmt, modified, modified_gmt, parent, slug, guid }),
      // The texts are read wherever one of them is asked for.
      ...(await this.#texts(revision as Post, selection, scope)),
      ...(selection.has('meta') && {
        meta: await this.plugin.services.meta.values('post', this.type.name, revision.id, request, selection),
      }),
    }
  }

  async #texts(revision: Post, selection: Selection, scope: RequestCache): Promise<Record<string, unknown>> {
    const { contentRendering: rendering } = this.plugin.services
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

  protected override toLinks(revision: ListedPost, _request: RestRequest): Awaitable<Links> {
    // What is saved in place has nothing above it.
    if (revision.type !== 'revision') return {}
    return { parent: { href: this.href(revision.parent_id) } }
  }
}
