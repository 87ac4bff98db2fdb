import {
  addQuery,
  applyFilter,
  applySyncFilter,
  authorizationStatus,
  Controller,
  datePair,
  RestResponse,
  toIso,
  valuesOf,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
  type Selection,
  type TimeZone,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Comment, CommentOrder, CommentQuery } from './model.ts'
import { CommentRights } from './rights.ts'
import { commentListArguments, commentSchema, DELETE_ARGUMENTS, PASSWORD } from './schema.ts'
import { isOrdinary, sightOf } from './sight.ts'
import { CommentWriting } from './writing.ts'

/** What is stored of the states that requests name. */
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  approve: ['1'],
  hold: ['0'],
  all: ['1', '0'],
  any: [],
}
/** The kinds that requests name together. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  all: [],
  pings: ['pingback', 'trackback'],
}
/** Kinds of comments that people write, who have pictures. */
const OF_PEOPLE: ReadonlySet<string> = new Set(['comment', 'note'])

/** What the site says of comments. */
export interface CommentSettings {
  avatars: boolean
}

/** The routes of comments: the list and the single comment, read and written. */
export class CommentsController extends Controller<Comment> {
  readonly #settings: CommentSettings
  readonly #rights: CommentRights
  readonly #writing: CommentWriting

  /** @param plugin the context of the comments plugin */
  constructor(plugin: PluginContext, settings: CommentSettings) {
    super(plugin, plugin.branding.namespace('v2'), 'comments', 'comment')
    this.#settings = settings
    this.#rights = new CommentRights(plugin)
    this.#writing = new CommentWriting(plugin, this.#rights, this)
  }

  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    server.registerRoute(this.namespace, this.restBase, {
      0: {
        callback: (request) => this.#list(request),
        permission_callback: (request) => this.#mayList(request),
        args: this.collectionParams(),
      },
      1: {
        methods: 'POST',
        callback: (request) => this.#writing.create(request),
        permission_callback: (request) => this.#rights.mayCreate(request),
        args: this.itemArguments('create'),
      },
      schema,
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<id>[\\d]+)`, {
      args: { id: { description: 'Number of the comment.', type: 'integer' } },
      0: {
        callback: async (request) => this.prepare(await this.#commentOf(request), request),
        permission_callback: (request) => this.#mayRead(request),
        args: { context: this.contextParam('view'), password: PASSWORD },
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: async (request) => this.#writing.update(await this.#commentOf(request), request),
        permission_callback: async (request) => this.#rights.mayUpdate(await this.#commentOf(request), request),
        args: this.itemArguments('update'),
      },
      2: {
        methods: 'DELETE',
        callback: async (request) => this.#writing.remove(await this.#commentOf(request), request),
        permission_callback: (request) => this.#mayDelete(request),
        args: DELETE_ARGUMENTS,
      },
      schema,
    })
  }

  override collectionParams(): Arguments {
    const { context: _, ...common } = super.collectionParams()
    const params: Arguments = { context: this.contextParam('view'), ...common, ...commentListArguments() }
    const filter = this.plugin.hooks.rest_collection_params.for('comment')
    return applySyncFilter(filter, params, 'comment')
  }

  protected override itemSchema(): ItemSchema {
    const { avatars, meta } = this.plugin.services
    return commentSchema({
      avatars: this.#settings.avatars ? avatars.schema('Addresses of pictures of the author, by size.') : null,
      meta: meta.schemaFor('comment', 'comment'),
    })
  }

  protected override async toData(
    comment: Comment,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { services } = this.plugin
    // Asked for together, so that the values of all items come from one statement.
    const [link, meta] = await Promise.all([
      selection.has('link') ? this.#linkOf(comment, request) : '',
      selection.has('meta') ? services.meta.values('comment', comment.type, comment.id, request, selection) : null,
    ])
    // Registered fields know the comment by its number, whatever else is asked for.
    const data: Record<string, unknown> = { id: comment.id }
    if (selection.has('post')) data['post'] = comment.post_id
    if (selection.has('parent')) data['parent'] = comment.parent_id
    if (selection.has('author')) data['author'] = comment.author_id
    if (selection.has('author_name')) data['author_name'] = comment.author_name
    if (selection.has('author_email')) data['author_email'] = comment.author_email
    if (selection.has('author_url')) data['author_url'] = comment.author_url
    if (selection.has('author_ip')) data['author_ip'] = comment.author_ip
    if (selection.has('author_user_agent')) data['author_user_agent'] = comment.author_agent
    if (selection.has('date')) data['date'] = toIso(comment.date)
    if (selection.has('date_gmt')) data['date_gmt'] = toIso(comment.date_gmt)
    if (selection.has('content')) data['content'] = await this.#contentOf(comment, selection)
    if (selection.has('link')) data['link'] = link
    if (selection.has('status')) data['status'] = statusName(comment.approved)
    if (selection.has('type')) data['type'] = comment.type
    if (selection.has('author_avatar_urls')) data['author_avatar_urls'] = this.#avatarsOf(comment)
    if (selection.has('meta')) data['meta'] = meta
    return data
  }

  protected override async toLinks(
    comment: Comment,
    request: RestRequest,
  ): Promise<Record<string, Link | readonly Link[]>> {
    const { services, urls, branding } = this.plugin
    const links: Record<string, Link | readonly Link[]> = {
      self: { href: this.href(comment.id) },
      collection: { href: this.href() },
    }
    if (comment.author_id !== 0) {
      const href = urls.rest(`/${branding.namespace('v2')}/users/${comment.author_id}`)
      links['author'] = { href, embeddable: true }
    }
    const post = await services.posts.get(comment.post_id, request.scope)
    const type = post === undefined ? undefined : services.contentTypes.get(post.type)
    if (post !== undefined && type?.show_in_rest) {
      const href = urls.rest(`/${type.rest_namespace}/${type.rest_base}/${post.id}`)
      links['up'] = { href, embeddable: true, post_type: post.type }
    }
    if (comment.parent_id !== 0) links['in-reply-to'] = { href: this.href(comment.parent_id), embeddable: true }
    if (comment.answered === 1) {
      links['children'] = { href: addQuery(this.href(), { parent: comment.id }), embeddable: true }
    }
    return links
  }

  async #linkOf(comment: Comment, { scope }: RestRequest): Promise<string> {
    const { services, urls } = this.plugin
    const post = await services.posts.get(comment.post_id, scope)
    const page = post === undefined ? urls.site() : await services.permalinks.post(post, scope)
    return `${page}#comment-${comment.id}`
  }

  async #contentOf(comment: Comment, selection: Selection): Promise<Record<string, string>> {
    const content: Record<string, string> = {}
    if (selection.has('content.rendered')) {
      content['rendered'] = await applyFilter(this.plugin.hooks.comment_text, comment.content, comment)
    }
    if (selection.has('content.raw')) content['raw'] = comment.content
    return content
  }

  /** Pictures of the author by size; false where it was no person. */
  #avatarsOf(comment: Comment): Record<string, string | false> {
    const { avatars } = this.plugin.services
    if (OF_PEOPLE.has(comment.type)) return avatars.addresses(comment.account_email ?? comment.author_email)
    return Object.fromEntries(avatars.sizes().map((size) => [String(size), false]))
  }

  // Lists

  async #list(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const query = await applyFilter(hooks.rest_query.for('comment'), await this.#queryOf(request), request)
    const { items, total } = await services.comments.query(query, request.scope)
    const response = new RestResponse(await this.prepareList(items, request))
    const [perPage, page] = [request.get('per_page') as number, request.get('page') as number]
    return this.paginate(response, request, { total, perPage, page })
  }

  async #queryOf(request: RestRequest): Promise<CommentQuery> {
    const { services } = this.plugin
    const { user, scope } = request
    const perPage = request.get('per_page') as number
    const offset = request.get('offset') as number | undefined
    // An empty choice, as forms send one, chooses nothing in particular.
    const status = (request.get('status') as string) || 'all'
    const type = (request.get('type') as string) || 'all'
    const search = request.get('search') as string | undefined
    const email = request.get('author_email') as string | null
    return {
      sight: sightOf(services, user, await this.#openedBy(request), scope),
      approved: Object.hasOwn(STATUSES, status) ? STATUSES[status]! : [status],
      types: Object.hasOwn(KINDS, type) ? KINDS[type]! : [type],
      posts: valuesOf<number>(request, 'post'),
      parents: valuesOf<number>(request, 'parent'),
      parentsExcluded: valuesOf<number>(request, 'parent_exclude'),
      authors: valuesOf<number>(request, 'author'),
      authorsExcluded: valuesOf<number>(request, 'author_exclude'),
      include: valuesOf<number>(request, 'include'),
      exclude: valuesOf<number>(request, 'exclude'),
      ...(email && { authorEmail: email }),
      // What of an author only those see who moderate, others cannot look for either.
      ...(search && { search, searchPrivate: services.capabilities.can(user, 'moderate_comments') }),
      ...(await this.#datesOf(request)),
      orderby: request.get('orderby') as CommentOrder,
      order: request.get('order') as 'asc' | 'desc',
      limit: perPage,
      offset: offset === undefined ? ((request.get('page') as number) - 1) * perPage : Math.abs(offset),
    }
  }

  async #datesOf(request: RestRequest): Promise<Pick<CommentQuery, 'after' | 'before'>> {
    const [after, before] = [request.get('after'), request.get('before')]
    if (after === undefined && before === undefined) return {}
    const zone = await this.plugin.services.options.get<TimeZone>('timezone', 'UTC')
    const [from, to] = [datePair(after, zone)?.[0], datePair(before, zone)?.[0]]
    return { ...(from !== undefined && { after: from }), ...(to !== undefined && { before: to }) }
  }

  /** The posts asked for that the password of the request opens. */
  async #openedBy(request: RestRequest): Promise<number[]> {
    const password = request.get('password') as string | undefined
    if (password === undefined) return []
    const { posts } = this.plugin.services
    const asked = await Promise.all(valuesOf<number>(request, 'post').map((id) => posts.get(id, request.scope)))
    const opened = asked.map(async (post) => {
      if (post === undefined || post.password === '') return []
      // The list shows what its own conditions allow to those who work on the post.
      if (await posts.isEditable(post, request.user, request.scope)) return []
      return (await posts.opens(post, password, request)) ? [post.id] : []
    })
    return (await Promise.all(opened)).flat()
  }

  // Rights

  async #mayList(request: RestRequest): Promise<true | RestError> {
    const { capabilities, posts } = this.plugin.services
    const { user, scope } = request
    const refusal = { data: { status: authorizationStatus(request) } }
    const asked = valuesOf<number>(request, 'post')
    const moderates = capabilities.can(user, 'moderate_comments')
    if (asked.includes(0) && !moderates) return errors.rest_cannot_read(refusal)
    const readable = await Promise.all(
      asked.map(async (id) => {
        const post = await posts.get(id, scope)
        return post === undefined || this.#rights.mayReadPost(post, request)
      }),
    )
    if (readable.includes(false)) return errors.rest_cannot_read_post(refusal)
    if (request.get('context') === 'edit' && !moderates) return errors.rest_forbidden_context(refusal)
    // Email addresses are seen by those alone who moderate.
    const writes = capabilities.can(user, 'edit_posts')
    const forbidden = choicesOf(request).filter((name) => !(name === 'author_email' ? moderates : writes))
    return forbidden.length === 0 || errors.rest_forbidden_param(forbidden.join(', '), refusal)
  }

  async #mayRead(request: RestRequest): Promise<true | RestError> {
    const { services } = this.plugin
    const { user, scope } = request
    const refusal = { data: { status: authorizationStatus(request) } }
    const comment = await this.#commentOf(request)
    const moderates = services.capabilities.can(user, 'moderate_comments')
    if (request.get('context') === 'edit' && !moderates) return errors.rest_forbidden_context(refusal)
    const post = await services.posts.get(comment.post_id, scope)
    if (post === undefined) return moderates || errors.rest_cannot_read(refusal)
    const own = user.id !== 0 && comment.author_id === user.id
    if (!(await this.#rights.mayReadPost(post, request))) {
      return own ? errors.rest_cannot_read_post(refusal) : errors.rest_cannot_read(refusal)
    }
    if (isOrdinary(comment) || own || (await services.posts.isEditable(post, user, scope))) return true
    return errors.rest_cannot_read(refusal)
  }

  async #mayDelete(request: RestRequest): Promise<true | RestError> {
    if (await this.#rights.mayChange(await this.#commentOf(request), request)) return true
    return errors.rest_cannot_delete({ data: { status: authorizationStatus(request) } })
  }

  /** @throws rest_comment_invalid_id when there is no such comment */
  async #commentOf(request: RestRequest): Promise<Comment> {
    const comment = await this.plugin.services.comments.get(request.get('id') as number, request.scope)
    if (comment === undefined) throw errors.rest_comment_invalid_id()
    return comment
  }
}

/** The parameters of a request that choose by what only those know who work on content. */
function choicesOf(request: RestRequest): string[] {
  const given = ['author', 'author_exclude', 'author_email'].filter((name) => {
    const value = request.get(name)
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''
  })
  if (request.get('status') !== 'approve') given.push('status')
  if (request.get('type') !== 'comment') given.push('type')
  return given
}

/** The state of a comment as clients know it. */
function statusName(approved: string): string {
  return approved === '1' ? 'approved' : approved === '0' ? 'hold' : approved
}
