import {
  applyFilter,
  authorizationStatus,
  type CurrentUser,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RequestCache,
} from '../../../kernel/index.ts'
import type { Post } from '../posts/index.ts'
import { errors } from './errors.ts'
import { givenDate, plainName } from './input.ts'
import type { Comment } from './reader.ts'
import { NOTE } from './visibility.ts'

type Refused = (extra: { data: { status: number } }) => RestError

const DAY = 24 * 60 * 60 * 1000

/** Who may write comments, and what of them. */
export class CommentRights {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  moderates(user: CurrentUser): boolean {
    return this.#plugin.services.capabilities.can(user, 'moderate_comments')
  }

  /** Whether the person may read a post, its password included. */
  async mayReadPost(post: Post, request: RestRequest): Promise<boolean> {
    const { contentTypes, posts } = this.#plugin.services
    const { user, scope } = request
    if (contentTypes.get(post.type)?.show_in_rest !== true) return false
    if (!(await posts.isReadable(post, user, scope))) return false
    // Who works on the post needs no password, and cannot give a wrong one.
    if (post.password !== '' && (await posts.isEditable(post, user, scope))) return true
    return posts.opens(post, request.get('password'), request)
  }

  /** Whether the request may write the comment that it gives. */
  async mayCreate(request: RestRequest): Promise<true | RestError> {
    const refusal = { data: { status: authorizationStatus(request) } }
    if (request.user.id === 0 && !(await this.#mayVisitorsComment(request))) {
      return errors.rest_comment_login_required(refusal)
    }
    const forged = await this.#forged(request, null)
    if (forged !== null) return forged(refusal)
    return this.#mayCommentOn(request.get('post') as number, request)
  }

  /** Whether the person may change or delete a comment: who works on the post, and who moderates what they may read. */
  async mayChange(comment: Comment, request: RestRequest): Promise<boolean> {
    const { contentTypes, posts } = this.#plugin.services
    const { user, scope } = request
    if (user.id === 0) return false
    const post = await posts.get(comment.post_id, scope)
    if (post === undefined) return this.moderates(user)
    if (contentTypes.get(post.type)?.show_in_rest !== true) return false
    if (await posts.isEditable(post, user, scope)) return true
    return comment.type !== NOTE && this.moderates(user) && this.mayReadPost(post, request)
  }

  /** Whether the request may change of a comment what it gives. */
  async mayUpdate(comment: Comment, request: RestRequest): Promise<true | RestError> {
    const refusal = { data: { status: authorizationStatus(request) } }
    if (!(await this.mayChange(comment, request))) return errors.rest_cannot_edit(refusal)
    const forged = await this.#forged(request, comment)
    if (forged !== null) return forged(refusal)
    const post = request.get('post') as number | undefined
    if (post === undefined || post === comment.post_id) return true
    if (!this.moderates(request.user)) return errors.rest_cannot_edit(refusal)
    const allowed = await this.#mayCommentOn(post, request)
    if (allowed !== true || comment.type !== NOTE) return allowed
    return (await this.#isEditable(post, request)) || errors.rest_cannot_edit(refusal)
  }

  /** Whether the person sees a comment that may be answered. */
  async mayAnswer({ approved, author_id, post_id, type }: Comment, request: RestRequest): Promise<boolean> {
    const { user } = request
    if (approved === 'spam' || approved === 'trash') return false
    if (approved === '1' && type !== NOTE) return true
    return (user.id !== 0 && author_id === user.id) || this.#isEditable(post_id, request)
  }

  /** What a subject of a capability needs to know of a comment. */
  async subject(comment: Comment, scope: RequestCache) {
    const { posts } = this.#plugin.services
    const post = await posts.get(comment.post_id, scope)
    return { ...comment, post: post === undefined ? null : await posts.subject(post, scope) }
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
    if (post.status !== 'inherit' && status?.public !== true && status?.private !== true) {
      return errors.rest_comment_draft_post()
    }
    if (!(await this.mayReadPost(post, request))) {
      return errors.rest_cannot_read_post({ data: { status: authorizationStatus(request) } })
    }
    return (await this.#isOpen(post)) || errors.rest_comment_closed()
  }

  async #isOpen({ type, comment_status, date_gmt }: Post): Promise<boolean> {
    if (comment_status !== 'open') return false
    if (type !== 'post') return true
    const { options } = this.#plugin.services
    const { close_comments_for_old_posts: closes, close_comments_days_old: days } = await options.many([
      'close_comments_for_old_posts',
      'close_comments_days_old',
    ])
    if (!closes || !(Number(days) > 0)) return true
    return Date.parse(`${date_gmt.replace(' ', 'T')}Z`) + Number(days) * DAY > Date.now()
  }

  /** What only people who moderate may say of a comment, and the request says: how it is refused, or null. */
  async #forged(request: RestRequest, comment: Comment | null): Promise<Refused | null> {
    const { user, scope } = request
    if (this.moderates(user)) return null
    const differs = (name: string, value: unknown) => request.given(name) && request.get(name) !== value
    if (differs('author', comment?.author_id ?? user.id)) return errors.rest_comment_invalid_author
    if (differs('author_ip', comment?.author_ip ?? request.ip)) return errors.rest_comment_invalid_author_ip
    // Who works on a post approves what is said about it.
    if (comment === null && request.given('status')) return errors.rest_comment_invalid_status
    if (request.given('date') || request.given('date_gmt')) {
      const when = await givenDate(this.#plugin, request, comment)
      if (when !== null && when.date_gmt !== comment?.date_gmt) return errors.rest_comment_invalid_date
    }
    // Visitors say who they are; nobody can say it for them.
    if (user.id === 0) return null
    const account = comment === null ? await this.#plugin.services.users.get(user.id, scope) : undefined
    const own = comment ?? {
      author_name: plainName(this.#plugin, account?.name ?? ''),
      author_email: account?.email,
      author_url: account?.url,
    }
    const name = request.given('author_name') ? plainName(this.#plugin, String(request.get('author_name'))) : undefined
    if (name !== undefined && name !== own.author_name) return errors.rest_comment_invalid_author
    if (differs('author_email', own.author_email) || differs('author_url', own.author_url)) {
      return errors.rest_comment_invalid_author
    }
    return null
  }
}
