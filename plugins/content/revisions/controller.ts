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

/** Path argument of all routes. */
export const PARENT: ArgumentSchema = { description: 'ID of the post.', type: 'integer' }

/** Serves the routes of revisions of a content type. */
export class RevisionsController extends CollectionController<Post, RevisionQuery, ListedPost> {
  protected override readonly deleteParams = DELETE_ARGUMENTS
  protected readonly input = { queryOf: revisionQuery }
  protected readonly reader: ResourceReader<RevisionQuery, ListedPost> = {
    query: (query, request) => this.#query(query, request),
  }
  protected readonly writer: ItemRemover<Post> = {
    delete: ({ id }, { user, scope }) => this.plugin.services.posts.remove(id, { user, scope }),
  }
  /** Fields that are rendered from the texts of a revision. */
  protected readonly textFields: readonly string[] = ['content', 'excerpt']
  protected readonly type: ContentType
  /** Controller of the posts: its schema and permissions apply to their revisions too. */
  protected readonly parent: PostsController
  readonly #permissions: RevisionPermissions

  /** @param context context of the posts plugin: `services.posts.context` */
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

  /** Without `per_page`, all revisions are on one page. */
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

  /** Checks whether the user may read the revisions of the post in the URL. */
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
   * Returns the post whose revisions are requested.
   * @throws rest_post_invalid_parent
   */
  protected async parentOf({ captures, scope }: RestRequest): Promise<Post> {
    // The list route of autosaves names it `id`.
    const id = Number(captures['parent'] ?? captures['id'])
    const parent = await this.plugin.services.posts.get(id, scope)
    if (parent?.type !== this.type.name) throw errors.rest_post_invalid_parent()
    return parent
  }

  /**
   * Returns the revision in the URL. It must belong to the post in the URL, because permissions are checked for that
   * post.
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
    const offset = request.get('offset') as number | undefined
    const isBeyond = offset !== undefined && total > 0 && offset >= total
    if (isBeyond) throw errors.rest_revision_invalid_offset_number()
    // With an offset, the page number is ignored.
    const pages = Math.ceil(total / (query.limit ?? total))
    const hasSkipped = query.limit !== undefined && offset
    if (!hasSkipped && total > 0 && this.pageOf(query, request) > pages)
      throw errors.rest_revision_invalid_page_number()
    return list
  }

  /** Returns the revisions of the post in the URL, newest first by default. */
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
      // Users who can edit the post can read all of its revisions.
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
    // A draft that is autosaved in place can lack a date.
    const { date, date_gmt } = revision.date_gmt === '' ? { date: null, date_gmt: null } : dates
    const { author_id: author, parent_id: parent, slug } = revision
    const guid = shownGuid(revision, selection)
    // Registered fields find the revision by its ID, so it is always included.
    return {
      id: revision.id,
      ...selection.pick({ author, date, date_gmt, modified, modified_gmt, parent, slug, guid }),
      // The query loads the texts if one of them is selected.
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

  protected override toLinks(revision: ListedPost, request: RestRequest): Awaitable<Links> {
    // An autosave that updated the post itself has no parent. The link is part of the field `parent`.
    if (revision.type !== 'revision' || !request.wants('parent')) return {}
    return { parent: { href: this.href(revision.parent_id) } }
  }
}
