import {
  addQuery,
  applyFilter,
  applySyncFilter,
  awaitAll,
  errors as kernelErrors,
  isThenable,
  type Arguments,
  type Awaitable,
  type CurrentUser,
  type Links,
  type PluginContext,
  type RestRequest,
  type RestResponse,
} from '../../../kernel/index.ts'
import {
  toIso,
  ResourceController,
  type ItemSchema,
  type ResourceReader,
  type ResourceWriter,
  type Selection,
} from '../../resources/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import { AVATARS_OPTION } from '../../people/users/index.ts'
import type { Comment, CommentChange, NewComment } from './comment.ts'
import { errors } from './errors.ts'
import { CommentInput } from './input.ts'
import { methodsKeyOf, type Post } from '../posts/index.ts'
import { CommentPermissions } from './permissions.ts'
import type { CommentQuery } from './query.ts'
import { tagsOfComment } from './reader.ts'
import { NOTE } from './visibility.ts'
import { commentListArguments, commentSchema, DELETE_ARGUMENTS, PASSWORD } from './schema.ts'

/** Types of comments whose authors have avatars; pingbacks and trackbacks have none. */
const TYPES_WITH_AVATARS: ReadonlySet<string> = new Set(['comment', NOTE])

/** A new comment, and the account of its author; null without an account. */
interface Submission {
  comment: NewComment
  author: CurrentUser | null
}

/** Serves the routes of comments. */
export class CommentsController extends ResourceController<Comment, CommentQuery, CommentChange | Submission> {
  protected override readonly deleteParams = DELETE_ARGUMENTS
  protected readonly permissions = new CommentPermissions(this.plugin)
  protected readonly input = new CommentInput(this.plugin)
  protected readonly reader: ResourceReader<CommentQuery, Comment> = {
    query: (query, { scope }) => this.plugin.services.comments.query(query, scope),
  }
  protected readonly writer: ResourceWriter<Comment, CommentChange | Submission> = {
    create: (submission) => {
      const { comment, author } = submission as Submission
      return this.plugin.services.comments.writer.create(comment, author)
    },
    update: ({ id }, change) => this.plugin.services.comments.writer.update(id, change as CommentChange),
    delete: ({ id }) => this.plugin.services.comments.delete(id),
  }

  constructor(plugin: PluginContext) {
    super(plugin, plugin.branding.namespace('v2'), 'comments', 'comment')
  }

  protected override listArguments(): Arguments {
    return this.plugin.services.fieldIndex.listArguments('comment', 'comment', commentListArguments())
  }

  protected override itemParams(): Arguments {
    return { ...super.itemParams(), password: PASSWORD }
  }

  protected override itemSchema(): ItemSchema {
    const { avatars, meta } = this.plugin.services
    return commentSchema({
      since: this.plugin.since,
      avatars: avatars.areShown ? avatars.schema('URLs of the avatar of the author, by size.') : null,
      meta: meta.schemaFor('comment', 'comment'),
    })
  }

  /**
   * Loads the comment of the request. @throws rest_comment_invalid_id, or rest_post_invalid_id if its post no longer
   * exists
   */
  override async itemOf(request: RestRequest): Promise<Comment> {
    const comment = await this.plugin.services.comments.get(request.get('id') as number, request.scope)
    if (comment === undefined) throw errors.rest_comment_invalid_id()
    const { posts } = this.plugin.services
    if (comment.post_id !== 0 && (await posts.get(comment.post_id, request.scope)) === undefined)
      throw errors.rest_post_invalid_id()
    return comment
  }

  protected override tagsOf(comment: Comment): readonly string[] {
    return tagsOfComment(comment)
  }

  /** Applies `rest_pre_insert` to new comments only, before their author is loaded. */
  protected override async filteredChange(request: RestRequest, before: Comment | null) {
    const change = await this.input.changeOf(request, before)
    if (before !== null) return change
    const { hooks, services } = this.plugin
    const comment = await applyFilter(hooks.rest_pre_insert.for('comment'), change as NewComment, request)
    const { author_id: id } = comment
    // Loaded before the transaction opens, because the users service caches it for other requests.
    const author = id === request.user.id ? request.user : await services.users.current(id)
    return { comment, author: id === 0 ? null : (author ?? null) }
  }

  protected override async trash(comment: Comment): Promise<Comment> {
    const { hooks, services } = this.plugin
    if (!applySyncFilter(hooks.rest_trashable.for('comment'), true, comment))
      throw kernelErrors.rest_trash_not_supported()
    if (comment.approved === 'trash') throw kernelErrors.rest_already_trashed()
    return services.comments.update(comment.id, { approved: 'trash' })
  }

  /**
   * Returns post, type, state and authorship. Posts without a password to which the user has the same rights share a
   * key, because their comments allow the same methods.
   */
  protected override async methodsKey(comment: Comment, { user, scope }: RestRequest): Promise<string | null> {
    const { capabilities, posts } = this.plugin.services
    if (!capabilities.followRules) return null
    const { approved, author_id: author, post_id: id, type } = comment
    const post = await posts.get(id, scope)
    const isOpen = post !== undefined && post.password === '' && post.status !== 'inherit'
    const postKey = (isOpen ? methodsKeyOf(post, user) : null) ?? id
    return `${postKey} ${type} ${approved} ${user.id !== 0 && author === user.id ? 'own' : ''}`
  }

  protected override async metaSubject(comment: Comment, { scope }: RestRequest) {
    return { type: 'comment', subtype: comment.type, object: await this.permissions.subject(comment, scope) }
  }

  /** Returns the created comment in the `edit` context to moderators. */
  protected override prepareCreated(comment: Comment, request: RestRequest): Promise<RestResponse> {
    return this.prepareAs(this.permissions.moderates(request.user) ? 'edit' : 'view', comment, request)
  }

  protected override gather(comments: readonly Comment[], selection: Selection, { scope }: RestRequest) {
    const { meta, permalinks, posts } = this.plugin.services
    const withMeta = comments.filter(({ type }) => meta.shows('comment', type, selection)).map(({ id }) => id)
    return Promise.all([
      selection.has('link') && permalinks.ready(scope),
      (selection.has('link') || selection.links) && posts.loadAll(postsOf(comments), scope),
      withMeta.length > 0 && meta.loadAll('comment', withMeta, scope),
    ])
  }

  protected override async toData(comment: Comment, selection: Selection, request: RestRequest) {
    const { meta } = this.plugin.services
    dependsOn(AVATARS_OPTION)
    // Started together, so that the values of several comments come from one statement.
    const read = awaitAll([
      selection.has('link') ? this.#linkOf(comment, request) : '',
      selection.has('meta') ? meta.values('comment', comment.type, comment.id, request, selection) : null,
      selection.has('content') ? this.#contentOf(comment, selection) : null,
    ])
    const [link, values, content] = isThenable(read) ? await read : read
    // Registered fields find the comment by its ID, so every selection includes it.
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
    if (selection.has('content')) data['content'] = content
    if (selection.has('link')) data['link'] = link
    if (selection.has('status')) data['status'] = statusName(comment.approved)
    if (selection.has('type')) data['type'] = comment.type
    if (selection.has('author_avatar_urls')) data['author_avatar_urls'] = this.#avatarsOf(comment)
    if (selection.has('meta')) data['meta'] = values
    return data
  }

  protected override toLinks(comment: Comment, { scope }: RestRequest): Awaitable<Links> {
    const post = this.plugin.services.posts.get(comment.post_id, scope)
    return isThenable(post) ? post.then((late) => this.#linksOf(comment, late)) : this.#linksOf(comment, post)
  }

  #linksOf(comment: Comment, post: Post | undefined): Links {
    const { services, urls, branding } = this.plugin
    const links: Links = {
      self: { href: this.href(comment.id) },
      collection: { href: this.href() },
    }
    if (comment.author_id !== 0) {
      const href = urls.rest(`/${branding.namespace('v2')}/users/${comment.author_id}`)
      links['author'] = { embeddable: true, href }
    }
    const route = post === undefined ? '' : services.contentTypes.itemRoute(post)
    if (post !== undefined && route !== '') {
      links['up'] = { embeddable: true, post_type: post.type, href: urls.rest(route) }
    }
    if (comment.parent_id !== 0) links['in-reply-to'] = { embeddable: true, href: this.href(comment.parent_id) }
    if (comment.answered === 1) {
      const of = comment.type === NOTE ? { type: NOTE, status: 'all' } : {}
      links['children'] = { embeddable: true, href: addQuery(this.href(), { parent: comment.id, ...of }) }
    }
    return links
  }

  async #linkOf(comment: Comment, { scope }: RestRequest): Promise<string> {
    const { services, urls } = this.plugin
    const post = await services.posts.get(comment.post_id, scope)
    const url = post === undefined ? urls.site() : await services.permalinks.post(post, scope)
    // URLs of unpublished posts get the trailing slash of the site's permalinks.
    const structure = url.includes('?') ? await services.options.get<string>('permalink', '') : ''
    return `${url}${structure.endsWith('/') ? '/' : ''}#comment-${comment.id}`
  }

  async #contentOf(comment: Comment, selection: Selection): Promise<Record<string, unknown>> {
    const rendered = selection.has('content.rendered')
      ? await applyFilter(this.plugin.hooks.comment_text, comment.content, comment)
      : ''
    return selection.parts('content', { rendered, raw: comment.content })
  }

  /** Returns the author's avatar URLs by size; false for types without avatars. */
  #avatarsOf(comment: Comment): Record<string, string | false> {
    const { avatars } = this.plugin.services
    if (TYPES_WITH_AVATARS.has(comment.type)) return avatars.urls(comment.account_email ?? comment.author_email)
    return Object.fromEntries(avatars.sizes().map((size) => [String(size), false]))
  }
}

/** Returns the IDs of the posts of comments without duplicates. */
const postsOf = (comments: readonly Comment[]) => [...new Set(comments.map(({ post_id: post }) => post))]

/** Returns the public name of a stored state. */
export function statusName(approved: string): string {
  return approved === '1' ? 'approved' : approved === '0' ? 'hold' : approved
}
