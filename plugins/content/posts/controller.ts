import {
  applyFilter,
  applySyncFilter,
  authorizationStatus,
  Controller,
  parseValue,
  RestError,
  RestResponse,
  runAction,
  toIso,
  utcFromLocal,
  validateValue,
  type Arguments,
  type Awaitable,
  type ItemContext,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestRequest,
  type RestServer,
  type Selection,
  type TimeZone,
} from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { seesTerms, type Taxonomy } from '../taxonomies/index.ts'
import type { PostTerms } from '../terms/index.ts'
import { errors } from './errors.ts'
import { PostInput } from './input.ts'
import { linksOf } from './links.ts'
import { listQuery } from './list-query.ts'
import type { LeanPost, Post } from './model.ts'
import type { NewPost, PostChange } from './writing.ts'
import type { PostQuery } from './query.ts'
import { FORMAT_PREFIX, FORMAT_TAXONOMY, listArguments, POST_FORMATS, postSchema } from './schema.ts'

/** A post as a list has it: without its texts where nothing asks for them. */
type ListedPost = Post | LeanPost

/** The routes of one content type: the list and the single item. */
export class PostsController extends Controller<ListedPost> {
  protected readonly type: ContentType
  /** What requests give of the items. */
  readonly input: PostInput

  /**
   * @param plugin the context of a plugin that needs `posts` and what it needs
   * @param name of the content type
   */
  constructor(plugin: PluginContext, name: string) {
    const type = plugin.services.contentTypes.get(name)!
    super(plugin, type.rest_namespace, type.rest_base, name)
    this.type = type
    this.input = new PostInput(plugin, type, () => this.taxonomies)
  }

  override register(server: RestServer): void {
    const shared = { schema: () => this.publicSchema(), ...(this.inBatches && { allow_batch: { v1: true } }) }
    server.registerRoute(this.namespace, this.restBase, {
      0: {
        callback: (request) => this.list(request),
        permission_callback: (request) => this.mayList(request),
        args: this.collectionParams(),
      },
      1: {
        methods: 'POST',
        callback: (request) => this.create(request),
        permission_callback: (request) => this.mayCreate(request),
        args: this.itemArguments('create'),
      },
      ...shared,
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<id>[\\d]+)`, {
      args: { id: { description: 'Number of the item.', type: 'integer' } },
      0: {
        callback: (request) => this.item(request),
        permission_callback: (request) => this.mayRead(request),
        args: this.itemParams(),
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: (request) => this.update(request),
        permission_callback: (request) => this.mayUpdate(request),
        args: this.itemArguments('update'),
      },
      2: {
        methods: 'DELETE',
        callback: (request) => this.delete(request),
        permission_callback: (request) => this.mayDelete(request),
        args: {
          force: { description: 'Whether it is deleted for good, past the trash.', type: 'boolean', default: false },
        },
      },
      ...shared,
    })
  }

  /** Whether requests of a batch may ask for items. */
  protected get inBatches(): boolean {
    return true
  }

  /** Taxonomies of the type that the interface serves. */
  protected get taxonomies(): Taxonomy[] {
    return this.plugin.services.taxonomies.ofType(this.type.name).filter((taxonomy) => taxonomy.show_in_rest)
  }

  /** Those whose terms the person may see, found out once for all items of a request. */
  #taxonomiesFor({ scope, user }: RestRequest): readonly Taxonomy[] {
    const { capabilities } = this.plugin.services
    return scope.get(this, () => this.taxonomies.filter((taxonomy) => seesTerms(capabilities, user, taxonomy)))
  }

  /** What `status` of a list may name. */
  protected get listedStatuses(): string[] {
    return [...this.plugin.services.statuses.all().map(({ name }) => name), 'any']
  }

  /** The arguments of the list beside those of every list. */
  protected listArguments(): Arguments {
    return listArguments(this.type, this.taxonomies, this.listedStatuses, this.defaultStatus)
  }

  /** Fields that are made of the texts of an item. */
  protected get textFields(): readonly string[] {
    return ['content', 'excerpt']
  }

  /** The arguments of the single item. */
  protected itemParams(): Arguments {
    return {
      context: this.contextParam('view'),
      password: { description: 'Word that opens the item, where it has one.', type: 'string' },
    }
  }

  override collectionParams(): Arguments {
    const { context: _, ...common } = super.collectionParams()
    const own = this.listArguments()
    const params: Arguments = { context: this.contextParam('view'), ...common, ...own }
    const { status } = own
    params['status'] = {
      ...status,
      sanitize_callback: (value, request) =>
        this.#checkedStatuses(parseValue(value, status!, 'status') as string[], request),
    }
    const hook = this.plugin.hooks.rest_collection_params.for(this.type.name)
    return applySyncFilter(hook, params, this.type)
  }

  protected override itemSchema(): ItemSchema {
    const { services, branding } = this.plugin
    return postSchema({
      type: this.type,
      taxonomies: this.taxonomies,
      statuses: services.statuses.all().flatMap(({ name, internal }) => (internal ? [] : [name])),
      meta: services.meta.schemaFor('post', this.type.name),
      itemHref: this.href('{id}'),
      relation: (name) => `${branding.relationUri}${name}`,
    })
  }

  // Lists

  /** Whether a list may be asked for: anybody may, but for editing. */
  protected mayList(request: RestRequest): Awaitable<boolean | RestError> {
    if (request.get('context') !== 'edit') return true
    const { edit_posts: needed } = this.type.capabilities
    return (
      this.plugin.services.capabilities.can(request.user, needed) || this.refusal('rest_forbidden_context', request)
    )
  }

  protected async list(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const asked = await this.queryOf(request)
    const hook = hooks.rest_query.for(this.type.name)
    const query = services.posts.forUser(await applyFilter(hook, asked, request), request.user)
    const { items, total } = this.#wantsTexts(request)
      ? await services.posts.query(query, request.scope)
      : await services.posts.queryLean(query)
    const perPage = request.get('per_page') as number
    const page = request.get('page') as number
    if (total > 0 && page > Math.ceil(total / perPage)) throw errors.rest_post_invalid_page_number()
    const shown = await this.#shownOf(items, request)
    return this.paginate(new RestResponse(await this.prepareList(shown, request)), request, { total, perPage, page })
  }

  /** Whether anything looks at the texts of the items: a field of theirs, or a plugin that is handed the whole post. */
  #wantsTexts(request: RestRequest): boolean {
    const selection = this.selection(request)
    const prepare = this.plugin.hooks.rest_prepare.for(this.hookName)
    return this.textFields.some((field) => selection.has(field)) || prepare.isUsed()
  }

  /** The items that the person may see in the context asked for. */
  async #shownOf(items: readonly ListedPost[], request: RestRequest): Promise<ListedPost[]> {
    const { posts } = this.plugin.services
    const { user, scope } = request
    const editing = request.get('context') === 'edit'
    const seen = await Promise.all(
      items.map((post) => (editing ? posts.isEditable(post, user, scope) : posts.isReadable(post, user, scope))),
    )
    return items.filter((_, index) => seen[index])
  }

  /** What a list asks the model for. */
  protected queryOf(request: RestRequest): Promise<PostQuery> {
    const { type, defaultStatus } = this
    return listQuery(this.plugin, { type, taxonomies: this.#taxonomiesFor(request), defaultStatus }, request)
  }

  /** Refuses statuses whose content is not for the person; the error names the argument. */
  #checkedStatuses(names: readonly string[], request: RestRequest): readonly string[] | RestError {
    const { capabilities } = this.type
    const may = (capability: string) => this.plugin.services.capabilities.can(request.user, capability)
    for (const name of names) {
      if (name === this.defaultStatus || may(capabilities.edit_posts)) continue
      if (name === 'private' && may(capabilities.read_private_posts)) continue
      return this.refusal('rest_forbidden_status', request)
    }
    return names
  }

  /** The status of a list that names none, which everybody may ask for. */
  protected get defaultStatus(): string {
    return 'publish'
  }

  // Single items

  /** Whether the item may be read; the error says why not. */
  protected async mayRead(request: RestRequest): Promise<boolean | RestError> {
    const { posts } = this.plugin.services
    const { user, scope } = request
    const post = await this.itemOf(request)
    if (request.get('context') === 'edit' && !(await posts.isEditable(post, user, scope))) {
      return this.refusal('rest_forbidden_context', request)
    }
    const password = this.#passwordOf(request)
    if (password !== '' && (post.password === '' || !(await posts.opens(post, password, request))))
      return errors.rest_post_incorrect_password()
    return posts.isReadable(post, user, scope)
  }

  protected async item(request: RestRequest): Promise<RestResponse> {
    const post = await this.itemOf(request)
    const response = await this.prepare(post, request)
    if (this.type.viewable) {
      const link = await this.plugin.services.permalinks.post(post, request.scope)
      response.linkHeader('alternate', link, { type: 'text/html' })
    }
    return response
  }

  /**
   * The post that the address names.
   * @throws rest_post_invalid_id
   */
  async itemOf(request: RestRequest): Promise<Post> {
    const post = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (post?.type !== this.type.name) throw errors.rest_post_invalid_id()
    return post
  }

  /** The password that the request gives to read with, where it is one of its arguments. */
  #passwordOf(request: RestRequest): string {
    if (request.method !== 'GET' && request.method !== 'HEAD') return ''
    const given = request.endpoint?.args['password'] === undefined ? undefined : request.get('password')
    return typeof given === 'string' ? given : ''
  }

  /** A refusal with the status that a visitor, or a person who is logged in, is told. */
  protected refusal(code: 'rest_forbidden_context' | 'rest_forbidden_status', request: RestRequest): RestError {
    return errors[code]({ data: { status: authorizationStatus(request) } })
  }

  // Writing

  /** The arguments that write an item; what it has already it may always be given again. */
  override itemArguments(use: 'create' | 'update'): Arguments {
    const args = super.itemArguments(use)
    const { status, template } = args
    const isKept = async (request: RestRequest, name: 'status' | 'template', value: unknown) => {
      if (use === 'create') return false
      const { posts } = this.plugin.services
      const post = await posts.get(Number(request.captures['id']), request.scope)
      if (post?.type !== this.type.name) return false
      return value === (name === 'status' ? post.status : await posts.template(post.id, request.scope))
    }
    if (status !== undefined) {
      args['status'] = {
        ...status,
        validate_callback: async (value, request) => {
          const fits = validateValue(value, status, 'status')
          return fits === true || (await isKept(request, 'status', value)) || fits
        },
      }
    }
    if (template !== undefined) {
      args['template'] = {
        ...template,
        validate_callback: async (value, request) => {
          const fits = validateValue(value, template, 'template')
          if (fits !== true || value === '') return fits
          const known = applySyncFilter(this.plugin.hooks.theme_templates, [], this.type)
          return known.includes(value as string) || (await isKept(request, 'template', value)) || noTemplate(known)
        },
      }
    }
    return args
  }

  /** Whether the person may make an item; the error says why not. */
  mayCreate(request: RestRequest): Awaitable<boolean | RestError> {
    return this.input.mayCreate(request)
  }

  /** Whether the person may change the item of the address; the error says why not. */
  async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    return this.input.mayUpdate(await this.itemOf(request), request)
  }

  /** Whether the person may delete the item of the address, or move it to the trash. */
  async mayDelete(request: RestRequest): Promise<boolean | RestError> {
    return this.input.mayDelete(await this.itemOf(request), request)
  }

  protected async create(request: RestRequest): Promise<RestResponse> {
    const post = await this.createItem(request)
    const response = await this.prepareWhole(post, request)
    response.status = 201
    response.headers.set('Location', this.href(post.id))
    return response
  }

  /** Stores the item that a request makes. */
  protected async createItem(request: RestRequest): Promise<Post> {
    const { posts } = this.plugin.services
    const change = await this.#filtered(await this.changeOf(request, null), request)
    return this.#write(request, true, () =>
      posts.create({ ...change, type: this.type.name }, { user: request.user, scope: request.scope }),
    )
  }

  /**
   * What a request gives of an item.
   * @param post the item; null for one that is made
   */
  protected changeOf(request: RestRequest, post: Post | null): Promise<Omit<NewPost, 'type'>> {
    return this.input.changeOf(request, post)
  }

  /** Stores what a request gives of an item beside the post itself; the transaction is open. */
  protected async writeBeside(_post: Post, _request: RestRequest): Promise<void> {}

  protected async update(request: RestRequest): Promise<RestResponse> {
    const { posts } = this.plugin.services
    const { user, scope } = request
    const before = await this.itemOf(request)
    const change = await this.#filtered(await this.changeOf(request, before), request)
    const check = async (current: Post) => {
      const refused = await this.input.refuseNow(change, current, request)
      if (refused !== null) throw refused
    }
    const post = await this.#write(request, false, () => posts.update(before.id, change, { user, scope, check }))
    return this.prepareWhole(post, request)
  }

  protected async delete(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const { posts } = services
    const { user, scope } = request
    const post = await this.itemOf(request)
    const check = async (current: Post) => {
      const may = await this.input.mayDelete(current, request)
      if (may !== true) throw may
    }
    let response: RestResponse
    if (request.get('force') === true) {
      const previous = await this.#prepareSeen(post, request)
      await posts.remove(post.id, { user, scope, check })
      response = new RestResponse({ deleted: true, previous: previous.data })
    } else {
      if (!this.#isTrashable(post)) throw errors.rest_trash_not_supported()
      response = await this.#prepareSeen(await posts.trash(post.id, { user, scope, check }), request, post)
    }
    const hook = hooks.rest_delete.for(this.type.name)
    await runAction(hook, post, response, request)
    return response
  }

  #isTrashable(post: Post): boolean {
    const hook = this.plugin.hooks.rest_trashable.for(this.type.name)
    return applySyncFilter(hook, this.type.name !== 'attachment', post)
  }

  async #filtered(change: PostChange, request: RestRequest): Promise<PostChange> {
    const hook = this.plugin.hooks.rest_pre_insert.for(this.type.name)
    return applyFilter(hook, change, request)
  }

  /** Stores an item with meta and registered fields: all of it, or nothing. */
  async #write(request: RestRequest, creating: boolean, store: () => Promise<Post>): Promise<Post> {
    const { hooks, services } = this.plugin
    const { name } = this.type
    const { scope } = request
    let written: Post
    try {
      written = await services.store.inTurn(async () => {
        const post = await store()
        await this.writeBeside(post, request)
        await runAction(hooks.rest_insert.for(name), post, request, creating)
        const subject = await services.posts.subject(post, scope)
        const given = this.schema.properties['meta'] === undefined ? undefined : request.get('meta')
        const refused =
          (await services.meta.update('post', name, subject, given, request)) ??
          (await services.fields.update(this.objectType, post, request))
        if (refused !== null) throw refused
        return post
      })
    } finally {
      scope.clear()
    }
    await runAction(hooks.rest_after_insert.for(name), written, request, creating)
    return written
  }

  /** An item as those who may write it see it. */
  protected prepareWhole(post: Post, request: RestRequest): Promise<RestResponse> {
    request.set('context', 'edit' satisfies ItemContext)
    return this.prepare(post, request)
  }

  /**
   * An item as far as the person may see it who does something else with it than to write it: whole, or as readers do, or
   * nothing but its number.
   * @param before the item as they found it, which decides
   */
  async #prepareSeen(post: Post, request: RestRequest, before = post): Promise<RestResponse> {
    const { posts } = this.plugin.services
    const { user, scope } = request
    if (await posts.isEditable(before, user, scope)) return this.prepareWhole(post, request)
    request.set('context', 'view' satisfies ItemContext)
    const may = await posts.isReadable(before, user, scope)
    return may ? this.prepare(post, request) : new RestResponse({ id: post.id })
  }

  // What an item shows

  protected override async toData(
    post: ListedPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { permalinks, posts, meta, options } = this.plugin.services
    const { scope } = request
    const { type } = this
    const when = <T>(field: string, make: () => Awaitable<T>) => (selection.has(field) ? make() : undefined)
    // Asked for at once, so that what all items of a list need comes from the same statements.
    const [zone, link, texts, media, template, terms, sticky, form, slug, values] = await Promise.all([
      scope.get('posts: time zone', () => options.get<TimeZone>('timezone', 'UTC')),
      when('link', () => permalinks.post(post, scope)),
      this.texts(post, selection, request),
      when('featured_media', () => posts.featuredMedia(post.id, scope)),
      when('template', () => posts.template(post.id, scope)),
      this.#termsOf(post, selection, request),
      when('sticky', async () => (await posts.sticky()).includes(post.id)),
      when('permalink_template', () => permalinks.postTemplate(post, scope)),
      when('generated_slug', () => posts.generatedSlug(post, scope)),
      when('meta', () => meta.values('post', type.name, post.id, request, selection)),
    ])
    // Registered fields know the post by its number, whatever else is asked for.
    const data: Record<string, unknown> = { id: post.id }
    const put = (field: string, value: unknown) => {
      if (selection.has(field)) data[field] = value
    }
    put('date', toIso(post.date))
    put('date_gmt', toIso(post.date_gmt) ?? toIso(utcFromLocal(post.date, zone)))
    put('guid', selection.parts('guid', { rendered: post.guid, raw: post.guid }))
    put('modified', toIso(post.modified))
    put('modified_gmt', toIso(post.modified_gmt) ?? toIso(utcFromLocal(post.modified, zone)))
    put('password', post.password)
    put('slug', post.slug)
    put('status', post.status)
    put('type', post.type)
    put('link', link)
    Object.assign(data, texts)
    put('author', post.author_id)
    put('featured_media', media)
    put('parent', post.parent_id)
    put('menu_order', post.menu_order)
    put('comment_status', post.comment_status)
    put('ping_status', post.ping_status)
    put('sticky', sticky)
    put('template', template)
    put('format', formatOf(terms))
    put('meta', values)
    for (const { name, rest_base: base } of this.#taxonomiesFor(request))
      put(
        base,
        (terms?.get(name) ?? []).map(({ id }) => id),
      )
    put('permalink_template', form)
    put('generated_slug', slug)
    return data
  }

  /** Title, content and excerpt; what a password shuts is empty. */
  protected async texts(
    listed: ListedPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { rendering } = this.plugin.services
    // A list reads the texts wherever one of them is asked for.
    const post = listed as Post
    const open = await this.#isOpen(post, request)
    // Of some types what is written is shown to readers too.
    const raw = (text: string) => (open || request.get('context') === 'edit' ? text : '')
    const texts: Record<string, unknown> = {}
    if (selection.has('title')) {
      texts['title'] = selection.parts('title', {
        raw: post.title,
        rendered: selection.has('title.rendered') ? await rendering.title(post) : '',
      })
    }
    if (selection.has('content')) {
      texts['content'] = selection.parts('content', {
        raw: raw(post.content),
        rendered: open && selection.has('content.rendered') ? await rendering.content(post, request.scope) : '',
        protected: post.password !== '',
        block_version: rendering.blockVersion(post.content),
      })
    }
    if (selection.has('excerpt')) {
      texts['excerpt'] = selection.parts('excerpt', {
        raw: raw(post.excerpt),
        rendered: open && selection.has('excerpt.rendered') ? await rendering.excerpt(post, request.scope) : '',
        protected: post.password !== '',
      })
    }
    return texts
  }

  /** Whether content and excerpt are shown: to those who edit the post, and to those who know its password. */
  async #isOpen(post: LeanPost, request: RestRequest): Promise<boolean> {
    const { posts } = this.plugin.services
    if (await posts.opens(post, this.#passwordOf(request), request)) return true
    return request.get('context') === 'edit' && (await posts.isEditable(post, request.user, request.scope))
  }

  /** The terms of a post, where a field shows them. */
  #termsOf(post: LeanPost, selection: Selection, request: RestRequest): Awaitable<PostTerms | undefined> {
    const shown =
      selection.has('format') || this.#taxonomiesFor(request).some(({ rest_base: base }) => selection.has(base))
    return shown ? this.plugin.services.terms.ofPosts(request.scope).load(post.id) : undefined
  }

  protected override toLinks(post: ListedPost, request: RestRequest): Promise<Record<string, Link | readonly Link[]>> {
    const { type } = this
    const taxonomies = this.#taxonomiesFor(request)
    return linksOf(this.plugin, { type, taxonomies, href: (below) => this.href(below) }, post, request)
  }
}

function noTemplate(known: readonly string[]): RestError {
  const names = known.length === 0 ? 'it has none' : known.join(', ')
  return new RestError('rest_invalid_param', `The theme has no such template: ${names}.`, { status: 400 })
}

/** The form of a post by the term that stands for it. */
function formatOf(terms: PostTerms | undefined): string {
  const slug = terms?.get(FORMAT_TAXONOMY)?.[0]?.slug ?? ''
  const format = POST_FORMATS.find((one) => slug === `${FORMAT_PREFIX}${one}`)
  return format ?? POST_FORMATS[0]
}
