import {
  applyFilter,
  applySyncFilter,
  isUsed,
  type ArgumentSchema,
  type Arguments,
  type Awaitable,
  type CurrentUser,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestResponse,
} from '../../../kernel/index.ts'
import { parseValue, validateValue } from '../../requests/arguments/index.ts'
import type { FragmentKind } from '../../library/caching/index.ts'
import {
  pageRange,
  ResourceController,
  type ItemList,
  type ItemSchema,
  type ResourceReader,
  type ResourceWriter,
  type Selection,
} from '../../resources/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { declaredValue } from './declared-value.ts'
import { listArguments } from './list-arguments.ts'
import { errors } from './errors.ts'
import { PostInput, type GivenPost } from './input.ts'
import { updateArguments } from './item-arguments.ts'
import { linksOf } from './links.ts'
import { PostPermissions } from './permissions.ts'
import type { ListedPost, Post, PostChange, PostKey, PostWrite } from './post.ts'
import type { PostQuery } from './query/index.ts'
import { postSchema } from './schema.ts'
import { ServedType } from './served-type.ts'
import { excerptLength, PostShape } from './shape.ts'

/** Maximum number of sticky posts from other pages that are put on top of the first page. */
const MAX_EXTRA_STICKY_POSTS = 100

/** Routes for the posts of one content type. */
export class PostsController extends ResourceController<Post, PostQuery, GivenPost, ListedPost> {
  protected override readonly inBatches: boolean = true
  /** Fields that are rendered from the texts of a post. */
  protected readonly textFields: readonly string[] = ['content', 'excerpt']
  override readonly permissions: PostPermissions
  override readonly input: PostInput
  protected readonly reader: ResourceReader<PostQuery, ListedPost>
  protected readonly writer: ResourceWriter<Post, GivenPost>
  protected readonly type: ContentType
  protected readonly served: ServedType
  readonly #shape: PostShape
  readonly #shown = new WeakMap<RestRequest, Awaitable<Post | null>>()

  /**
   * @param plugin the context of the posts plugin: `services.posts.context`
   * @param name name of the content type
   */
  constructor(plugin: PluginContext, name: string) {
    const { services } = plugin
    const { contentTypes, posts } = services
    const type = contentTypes.get(name)!
    super(plugin, type.rest_namespace, type.rest_base, name)
    this.type = type
    this.served = new ServedType(plugin, type)
    this.#shape = new PostShape(services, this.served)
    this.permissions = new PostPermissions(services, this.served)
    this.input = new PostInput(services, this.served, this.permissions)
    this.reader = { query: (query, request) => this.#query(query, request) }
    this.writer = {
      create: (post, { user, scope }) => posts.writer.create({ ...post, type: name }, { user, scope }),
      update: ({ id }, change, request) => posts.writer.update(id, change, this.#changing(change, request)),
      delete: ({ id }, request) => posts.remove(id, this.#deleting(request)),
    }
  }

  protected override get kind(): ContentType {
    return this.type
  }

  /** Values that the `status` argument of a list accepts. */
  protected get listedStatuses(): string[] {
    return [...this.plugin.services.statuses.all().map(({ name }) => name), 'any']
  }

  // Schema and arguments

  protected override itemSchema(): ItemSchema {
    const { services, branding } = this.plugin
    return postSchema({
      served: this.served,
      statuses: services.statuses.all().flatMap(({ name, internal }) => (internal ? [] : [name])),
      meta: services.meta.schemaFor('post', this.type.name),
      itemHref: this.href('{id}'),
      relation: (name) => `${branding.relationUri}${name}`,
    })
  }

  protected override listArguments(): Arguments {
    const { defaultStatus } = this.input
    const own = listArguments(this.served, this.listedStatuses, defaultStatus)
    const args = this.plugin.services.fieldIndex.listArguments('post', this.type.name, own)
    const status = args['status']!
    const validate = (value: unknown, request: RestRequest) => {
      // The permission is checked first: users without it do not learn which statuses exist.
      const names = parseValue(value, { type: 'array', items: { type: 'string' } }, 'status') as string[]
      return this.permissions.refuseStatuses(names, defaultStatus, request) ?? validateValue(value, status, 'status')
    }
    return { ...args, status: { ...status, validate_callback: validate } }
  }

  protected override itemParams(): Arguments {
    const password: ArgumentSchema = { description: 'Password of the post, if it has one.', type: 'string' }
    const excerptLength: ArgumentSchema = { description: 'Number of words in a generated excerpt.', type: 'integer' }
    const hasExcerpt = this.schema.properties['excerpt'] !== undefined && this.plugin.since('6.8')
    return { ...super.itemParams(), ...(hasExcerpt && { excerpt_length: excerptLength }), password }
  }

  override itemArguments(use: 'create' | 'update'): Arguments {
    const args = super.itemArguments(use)
    return use === 'create' ? args : updateArguments(args, this.plugin, this.type)
  }

  // Reading

  /** An excerpt of a requested length is not shared with other requests. */
  protected override fragments(request: RestRequest, form: 'item' | 'list'): FragmentKind | null {
    const hasLength = request.endpoint?.args['excerpt_length'] !== undefined
    return !hasLength || excerptLength(request) === undefined ? super.fragments(request, form) : null
  }

  override async mayRead(request: RestRequest): Promise<boolean | RestError> {
    return (await this.#shownInstead(request)) !== null || super.mayRead(request)
  }

  protected override async item(request: RestRequest): Promise<RestResponse> {
    const shown = await this.#shownInstead(request)
    return shown === null ? super.item(request) : this.prepareItem(shown, request)
  }

  /** Returns the post that replaces the stored one for this request, such as a preview, or null. Cached per request. */
  #shownInstead(request: RestRequest): Awaitable<Post | null> {
    // Permissions for other methods are also checked, for the `Allow` header.
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    let shown = this.#shown.get(request)
    if (shown === undefined) {
      shown = this.#findShown(request)
      this.#shown.set(request, shown)
    }
    return shown
  }

  async #findShown(request: RestRequest): Promise<Post | null> {
    const post = await applyFilter(this.plugin.hooks.rest_shown_post, null, request, this.type)
    if (post === null) return null
    request.preventCaching('it shows a post other than the stored one')
    // Disables fragment caching, both reads and writes.
    request.scope.since = null
    this.#shape.open(post)
    return post
  }

  /** @throws rest_post_invalid_id if the type has no such post */
  override async itemOf(request: RestRequest): Promise<Post> {
    const post = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (post?.type !== this.type.name) throw errors.rest_post_invalid_id()
    return post
  }

  /** If a tap changes the limit but not the offset, the requested page starts after pages of the new size. */
  protected override async filteredQuery(request: RestRequest): Promise<PostQuery> {
    const query = await super.filteredQuery(request)
    if (query.limit === request.get('per_page') || request.get('offset') !== undefined) return query
    const { limit, offset } = pageRange(request)
    const isResized = query.limit !== limit && query.offset === offset
    return isResized ? { ...query, offset: ((request.get('page') as number) - 1) * query.limit } : query
  }

  protected override perPageOf({ limit }: PostQuery): number {
    return limit
  }

  protected override pageOf({ limit, offset = 0 }: PostQuery, request: RestRequest): number {
    const page = request.get('page') as number
    // The argument `offset` does not change the page number.
    const isOwnOffset = request.get('offset') !== undefined || offset === (page - 1) * limit
    return isOwnOffset ? page : Math.floor(offset / limit) + 1
  }

  /** @throws rest_post_invalid_page_number */
  async #query(listQuery: PostQuery, request: RestRequest): Promise<ItemList<ListedPost>> {
    const { items, ...list } = await this.#read(listQuery, request)
    const { total } = list
    const pages = Math.ceil(total / this.perPageOf(listQuery))
    if (total > 0 && this.pageOf(listQuery, request) > pages) throw errors.rest_post_invalid_page_number()
    const top = hasStickyOnTop(listQuery, request) ? await this.#withSticky(items, listQuery, request) : items
    return { ...list, items: (await this.#visibleOf(top, request)) as ListedPost[] }
  }

  #read(listQuery: PostQuery, request: RestRequest): Awaitable<ItemList<PostKey>> {
    const { posts } = this.plugin.services
    const query = posts.forUser(listQuery, request.user)
    // With cached texts for this list, most items are served from the cache; `whole` reads the rest.
    const hasCachedTexts = query.cursor === undefined && (this.fragments(request, 'list')?.count.kept ?? 0) > 0
    if (hasCachedTexts) return posts.queryKeys(query)
    return this.#needsTexts(request) ? posts.query(query, request.scope) : posts.queryLean(query)
  }

  /** Moves the sticky posts of the page to the top, followed by the sticky posts of other pages. */
  async #withSticky(items: readonly PostKey[], query: PostQuery, request: RestRequest): Promise<readonly PostKey[]> {
    const { posts } = this.plugin.services
    const [excluded, listed] = [new Set(query.exclude), new Set(items.map(({ id }) => id))]
    const sticky = (await posts.sticky()).filter((id) => !excluded.has(id))
    const others = sticky.filter((id) => !listed.has(id)).slice(0, MAX_EXTRA_STICKY_POSTS)
    const further: PostQuery = { types: query.types, statuses: ['publish'], include: others, limit: others.length }
    const { items: otherPosts } = others.length === 0 ? { items: [] } : await this.#read(further, request)
    const isOnTop = ({ id }: PostKey) => sticky.includes(id)
    return [...items.filter(isOnTop), ...otherPosts, ...items.filter((post) => !isOnTop(post))]
  }

  /** Whether the texts of the posts are needed, by a selected field or by a plugin that receives the whole post. */
  #needsTexts(request: RestRequest): boolean {
    const selection = this.selection(request)
    const prepare = this.plugin.hooks.rest_prepare.for(this.hookName)
    return this.textFields.some((field) => selection.has(field)) || isUsed(prepare, { request })
  }

  /** The posts that the user may see in the requested context. */
  async #visibleOf(items: readonly PostKey[], request: RestRequest): Promise<PostKey[]> {
    const { posts } = this.plugin.services
    const { user, scope } = request
    const editing = request.get('context') === 'edit'
    // The readers of an attachment depend on its parent post.
    await posts.gather(items, scope)
    const may = async (post: PostKey) =>
      editing ? posts.isEditable(post, user, scope) : posts.isReadable(post, user, scope)
    const visible = await Promise.all(items.map(may))
    return items.filter((_, index) => visible[index])
  }

  protected override tagsOf(post: ListedPost): readonly string[] {
    return [`post:${post.id}`]
  }

  protected override methodsKey(post: ListedPost, { user }: RestRequest): Awaitable<string | null> {
    if (!this.plugin.services.capabilities.followRules) return null
    // The readers of a post with the status `inherit` depend on its parent.
    return post.status === 'inherit' ? null : methodsKeyOf(post, user)
  }

  protected override async whole(listed: readonly ListedPost[], request: RestRequest) {
    if (listed.every((post) => 'title' in post)) return listed
    const { posts } = this.plugin.services
    const ids = listed.map(({ id }) => id)
    await posts.loadAll(ids, request.scope)
    const loaded = await Promise.all(ids.map(async (id) => posts.get(id, request.scope)))
    // Posts may have changed since the list was read.
    const existing = loaded.filter((post) => post?.type === this.type.name) as Post[]
    const visible = new Set<PostKey>(await this.#visibleOf(existing, request))
    return loaded.map((post) => (post !== undefined && visible.has(post) ? post : undefined))
  }

  protected override async prepareItem(post: Post, request: RestRequest): Promise<RestResponse> {
    const response = await this.prepare(post, request)
    if (this.type.viewable) {
      const link = await this.plugin.services.permalinks.post(post, request.scope)
      response.linkHeader('alternate', link, { type: 'text/html' })
    }
    return response
  }

  // Writing

  /**
   * Write options for a change. Checks the permission again inside the write turn, when the post can no longer change.
   */
  #changing(change: PostChange, request: RestRequest): PostWrite {
    const { user, scope } = request
    const check = async (current: Post) => {
      const refused = await this.permissions.refuseNow(change, current, request)
      if (refused !== null) throw refused
    }
    return { user, scope, check }
  }

  /** Write options for a deletion, with the same check. */
  #deleting(request: RestRequest): PostWrite {
    const { user, scope } = request
    const check = async (current: Post) => {
      const may = await this.permissions.delete(current, request)
      if (may !== true) throw may
    }
    return { user, scope, check }
  }

  protected override async metaSubject(post: Post, { scope }: RestRequest) {
    if (this.schema.properties['meta'] === undefined) return null
    return { type: 'post', subtype: this.type.name, object: await this.plugin.services.posts.subject(post, scope) }
  }

  protected override trash(post: Post, request: RestRequest): Promise<Post> {
    const trashable = this.plugin.hooks.rest_trashable.for(this.hookName)
    if (!applySyncFilter(trashable, this.type.name !== 'attachment', post)) return super.trash(post, request)
    return this.plugin.services.posts.trash(post.id, this.#deleting(request))
  }

  // Responses

  protected override async prepareDeleted(post: Post, request: RestRequest, before = post): Promise<RestResponse> {
    return this.prepareAs(await this.permissions.visibleContext(before, request), post, request)
  }

  protected override gather(posts: readonly ListedPost[], selection: Selection, request: RestRequest) {
    return this.#shape.gather(posts, selection, request)
  }

  /** @param readTexts reads the selected texts: title, content, excerpt, and texts of a subclass */
  protected override toData(
    post: ListedPost,
    selection: Selection,
    request: RestRequest,
    readTexts: () => Awaitable<Record<string, unknown>> = () => this.texts(post, selection, request),
  ) {
    return this.#shape.data(post, selection, request, readTexts)
  }

  /** The selected texts among title, content and excerpt. */
  protected texts(post: ListedPost, selection: Selection, request: RestRequest): Awaitable<Record<string, unknown>> {
    return this.#shape.texts(post, selection, request)
  }

  protected override toLinks(post: ListedPost, request: RestRequest): Awaitable<Links> {
    return linksOf(this.plugin, this.served, this, post, request)
  }
}

/**
 * Key of the facts that decide which methods a user may use on a post, apart from its parent. Null if more than the row
 * decides: meta for trashed posts, the parent post for revisions.
 */
export function methodsKeyOf({ type, status, author_id: author }: PostKey, user: CurrentUser): string | null {
  if (status === 'trash' || type === 'revision') return null
  return `${type} ${status} ${user.id !== 0 && author === user.id ? 'own' : ''}`
}

/** Whether the page starts with sticky posts: the first page of a list without search, term filter or cursor. */
function hasStickyOnTop({ cursor, format, search = '', terms = [] }: PostQuery, request: RestRequest): boolean {
  const isPlain = search.trim() === '' && terms.length === 0 && format === undefined && cursor === undefined
  return isPlain && request.get('page') === 1 && declaredValue<boolean>(request, 'ignore_sticky') === false
}
