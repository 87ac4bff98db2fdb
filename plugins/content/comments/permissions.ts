import {
  applyFilter,
  forbidden,
  valuesOf,
  type CurrentUser,
  type PluginContext,
  type RequestCache,
  type ResourcePermissions,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import type { Post } from '../posts/index.ts'
import { authorName } from './author.ts'
import type { Comment } from './comment.ts'
import { dateOf } from './dates.ts'
import { errors } from './errors.ts'
import { isOrdinary, NOTE } from './visibility.ts'

/** Who may do what with comments. */
export class CommentPermissions implements ResourcePermissions<Comment> {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  moderates(user: CurrentUser): boolean {
    return this.#plugin.services.capabilities.can(user, 'moderate_comments')
  }

  async list(request: RestRequest): Promise<true | RestError> {
    const { capabilities, posts } = this.#plugin.services
    const { user, scope } = request
    const asked = valuesOf<number>(request, 'post')
    const moderates = this.moderates(user)
    if (asked.includes(0) && !moderates) return forbidden(request, errors.rest_cannot_read)
    const readable = await Promise.all(
      asked.map(async (id) => {
        const post = await posts.get(id, scope)
        return post === undefined || this.#mayReadPost(post, request)
      }),
    )
    if (readable.includes(false)) return forbidden(request, errors.rest_cannot_read_post)
    if (request.get('context') === 'edit' && !moderates) return forbidden(request, errors.rest_forbidden_context)
    // Only moderators see email addresses.
    const writes = capabilities.can(user, 'edit_posts')
    const refused = restrictedParams(request).filter((name) => !(name === 'author_email' ? moderates : writes))
    return refused.length === 0 || forbidden(request, errors.rest_forbidden_param, refused.join(', '))
  }

  async read(comment: Comment, request: RestRequest): Promise<true | RestError> {
    const { posts } = this.#plugin.services
    const { user, scope } = request
    const moderates = this.moderates(user)
    if (request.get('context') === 'edit' && !moderates) return forbidden(request, errors.rest_forbidden_context)
    const post = await posts.get(comment.post_id, scope)
    if (post === undefined) return moderates || forbidden(request, errors.rest_cannot_read)
    const own = user.id !== 0 && comment.author_id === user.id
    if (!(await this.#mayReadPost(post, request)))
      return forbidden(request, own ? errors.rest_cannot_read_post : errors.rest_cannot_read)
    if (isOrdinary(comment) || own || (await posts.isEditable(post, user, scope))) return true
    return forbidden(request, errors.rest_cannot_read)
  }

  async create(request: RestRequest): Promise<true | RestError> {
    if (request.user.id === 0 && !(await this.#mayVisitorsComment(request)))
      return forbidden(request, errors.rest_comment_login_required)
    return (
      (await this.#refuseReserved(request, null)) ?? (await this.#mayCommentOn(request.get('post') as number, request))
    )
  }

  async update(comment: Comment, request: RestRequest): Promise<true | RestError> {
    if (!(await this.#mayEdit(comment, request))) return forbidden(request, errors.rest_cannot_edit)
    const refused = await this.#refuseReserved(request, comment)
    if (refused !== null) return refused
    const post = request.get('post') as number | undefined
    if (post === undefined || post === comment.post_id) return true
    if (!this.moderates(request.user)) return forbidden(request, errors.rest_cannot_edit)
    const allowed = await this.#mayCommentOn(post, request)
    if (allowed !== true || comment.type !== NOTE) return allowed
    return (await this.#isEditable(post, request)) || forbidden(request, errors.rest_cannot_edit)
  }

  async delete(comment: Comment, request: RestRequest): Promise<true | RestError> {
    return (await this.#mayEdit(comment, request)) || forbidden(request, errors.rest_cannot_delete)
  }

  /** Whether the user may see a comment, and reply to it. */
  async mayReplyTo({ approved, author_id, post_id, type }: Comment, request: RestRequest): Promise<boolean> {
    const { user } = request
    if (approved === 'spam' || approved === 'trash') return false
    if (approved === '1' && type !== NOTE) return true
    return (user.id !== 0 && author_id === user.id) || this.#isEditable(post_id, request)
  }

  /** A comment as capabilities are asked about it: with its post. */
  async subject(comment: Comment, scope: RequestCache) {
    const { posts } = this.#plugin.services
    const post = await posts.get(comment.post_id, scope)
    return { ...comment, post: post === undefined ? null : await posts.subject(post, scope) }
  }

  /** Whether the user may read a post, its password included. */
  async #mayReadPost(post: Post, request: RestRequest): Promise<boolean> {
    const { contentTypes, posts } = this.#plugin.services
    const { user, scope } = request
    if (contentTypes.get(post.type)?.show_in_rest !== true) return false
    if (!(await posts.isReadable(post, user, scope))) return false
    // Who may edit the post needs no password, and cannot give a wrong one.
    if (post.password !== '' && (await posts.isEditable(post, user, scope))) return true
    return posts.opens(post, request.get('password'), request)
  }

  /** Whether the user may change or delete a comment: who may edit the post, and moderators who may read it. */
  async #mayEdit(comment: Comment, request: RestRequest): Promise<boolean> {
    const { contentTypes, posts } = this.#plugin.services
    const { user, scope } = request
    if (user.id === 0) return false
    const post = await posts.get(comment.post_id, scope)
    if (post === undefined) return this.moderates(user)
    if (contentTypes.get(post.type)?.show_in_rest !== true) return false
    if (await posts.isEditable(post, user, scope)) return true
    return comment.type !== NOTE && this.moderates(user) && this.#mayReadPost(post, request)
  }

  async #isEditable(id: number, { user, scope }: RestRequest): Promise<boolean> {
    const { posts } = this.#plugin.services
    const post = await posts.get(id, scope)
    return post !== undefined && posts.isEditable(post, user, scope)
  }

  async #mayVisitorsComment(request: RestRequest): Promise<boolean> {
    const { hooks, services } = this.#plugin
    if (await services.options.get('comment_registration', false)) return false
    return applyFilter(hooks.rest_allow_anonymous_comments, false, request)
  }

  async #mayCommentOn(id: number, request: RestRequest): Promise<true | RestError> {
    const { posts, statuses } = this.#plugin.services
    const post = await posts.get(id, request.scope)
    if (post === undefined) return errors.rest_comment_invalid_post_id()
    if (post.status === 'trash') return errors.rest_comment_trash_post()
    const status = statuses.get(post.status)
    if (post.status !== 'inherit' && status?.public !== true && status?.private !== true)
      return errors.rest_comment_draft_post()
    if (!(await this.#mayReadPost(post, request))) return forbidden(request, errors.rest_cannot_read_post)
    return (await this.#plugin.services.comments.isOpen(post)) || errors.rest_comment_closed()
  }

  /** The refusal of a request that gives what only moderators may give of a comment; null for others. */
  async #refuseReserved(request: RestRequest, comment: Comment | null): Promise<RestError | null> {
    const { user } = request
    if (this.moderates(user)) return null
    if (differs(request, 'author', comment?.author_id ?? user.id))
      return forbidden(request, errors.rest_comment_invalid_author)
    // Only then: what looks at the address of its client is kept for nobody else.
    if (request.given('author_ip') && differs(request, 'author_ip', comment?.author_ip ?? request.ip))
      return forbidden(request, errors.rest_comment_invalid_author_ip)
    // Who may edit a post approves comments on it.
    if (comment === null && request.given('status')) return forbidden(request, errors.rest_comment_invalid_status)
    if (request.given('date') || request.given('date_gmt')) {
      const date = await dateOf(this.#plugin.services, request, comment)
      if (date !== null && date.date_gmt !== comment?.date_gmt)
        return forbidden(request, errors.rest_comment_invalid_date)
    }
    // Visitors say who they are; nobody can say it for them.
    if (user.id === 0 || !(await this.#signsAsOther(request, comment))) return null
    return forbidden(request, errors.rest_comment_invalid_author)
  }

  /** Whether the request signs with another name, email address or URL than the comment, or the user who asks, has. */
  async #signsAsOther(request: RestRequest, comment: Comment | null): Promise<boolean> {
    const plugin = this.#plugin
    const account = comment === null ? await plugin.services.users.get(request.user.id, request.scope) : undefined
    const own = comment ?? {
      author_name: authorName(plugin, account?.name ?? ''),
      author_email: account?.email,
      author_url: account?.url,
    }
    const name = request.given('author_name') ? authorName(plugin, String(request.get('author_name'))) : own.author_name
    if (name !== own.author_name) return true
    return differs(request, 'author_email', own.author_email) || differs(request, 'author_url', own.author_url)
  }
}

/** Whether a request gives another value than this. */
function differs(request: RestRequest, name: string, value: unknown): boolean {
  return request.given(name) && request.get(name) !== value
}

/** The parameters of a request that filter by what only users who can write posts may know. */
function restrictedParams(request: RestRequest): string[] {
  const restricted = ['author', 'author_exclude', 'author_email'].filter((name) => {
    const value = request.get(name)
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''
  })
  if (request.get('status') !== 'approve') restricted.push('status')
  if (request.get('type') !== 'comment') restricted.push('type')
  return restricted
}
