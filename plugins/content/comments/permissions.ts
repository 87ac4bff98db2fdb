import {
  applyFilter,
  applySyncFilter,
  forbidden,
  type Awaitable,
  type CurrentUser,
  type PluginContext,
  type RequestCache,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import { valuesOf, type ResourcePermissions } from '../../resources/index.ts'
import type { ContentType } from '../content-types/index.ts'
import type { Post } from '../posts/index.ts'
import { authorName } from './author.ts'
import type { Comment } from './comment.ts'
import { dateOf } from './dates.ts'
import { errors } from './errors.ts'
import { isOrdinary, isOwn, NOTE } from './visibility.ts'

/** Checks the permissions for requests on comments. */
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
    // Permissions are checked before parameters are validated.
    const postIds = valuesOf<number | string>(request, 'post').map(Number).filter(Number.isSafeInteger)
    const moderates = this.moderates(user)
    if (postIds.includes(0) && !moderates) return forbidden(request, errors.rest_cannot_read)
    // A password applies to a single post.
    const password = postIds.length === 1 ? request.get('password') : undefined
    const readable = await Promise.all(
      postIds.map(async (id) => {
        const post = await posts.get(id, scope)
        return post === undefined || this.#mayReadPost(post, request, password)
      }),
    )
    if (readable.includes(false)) return forbidden(request, errors.rest_cannot_read_post)
    const refusedNotes = await this.#refuseNotes(postIds, request)
    if (refusedNotes !== null) return refusedNotes
    if (request.get('context') === 'edit' && !moderates && !(await this.#editsNotesOf(postIds, request)))
      return forbidden(request, errors.rest_forbidden_context)
    // Only moderators can filter by email address.
    const writes = capabilities.can(user, 'edit_posts')
    const refused = restrictedParams(request).filter((name) => !(name === 'author_email' ? moderates : writes))
    return refused.length === 0 || forbidden(request, errors.rest_forbidden_param, refused.join(', '))
  }

  async read(comment: Comment, request: RestRequest): Promise<true | RestError> {
    const { posts } = this.#plugin.services
    const { user, scope } = request
    const moderates = this.moderates(user)
    const post = await posts.get(comment.post_id, scope)
    const editsNote = comment.type === NOTE && (await this.#isEditable(comment.post_id, request))
    if (request.get('context') === 'edit' && !moderates && !editsNote)
      return forbidden(request, errors.rest_forbidden_context)
    if (post === undefined) return moderates || forbidden(request, errors.rest_cannot_read)
    const own = isOwn(comment, user)
    if (!(await this.#mayReadPost(post, request, request.get('password'))))
      return forbidden(request, own ? errors.rest_cannot_read_post : errors.rest_cannot_read)
    if (isOrdinary(comment) || own || (await posts.isEditable(post, user, scope))) return true
    return forbidden(request, errors.rest_cannot_read)
  }

  async create(request: RestRequest): Promise<true | RestError> {
    const isNote = this.#types.includes(NOTE) && request.get('type') === NOTE
    if (request.user.id === 0 && (isNote || !(await this.#mayVisitorsComment(request))))
      return forbidden(request, errors.rest_comment_login_required)
    const post = request.get('post') as number
    if (isNote && post !== 0 && !(await this.#isEditable(post, request)))
      return forbidden(request, errors.rest_cannot_create_note)
    // Users who can edit the post may set the status of its notes; a note without a post has no such user.
    if (isNote && post === 0 && request.hasParam('status'))
      return forbidden(request, errors.rest_comment_invalid_status)
    const refused = await this.#refuseReserved(request, null, isNote)
    return refused ?? (isNote ? this.#mayNoteOn(post, request) : this.#mayCommentOn(post, request))
  }

  async update(comment: Comment, request: RestRequest): Promise<true | RestError> {
    const may = await this.#mayEdit(comment, request)
    return may ? this.#mayChange(comment, request) : forbidden(request, errors.rest_cannot_edit)
  }

  async #mayChange(comment: Comment, request: RestRequest): Promise<true | RestError> {
    const refused = await this.#refuseReserved(request, comment, false)
    if (refused !== null) return refused
    const post = request.get('post') as number | undefined
    if (post === undefined || post === comment.post_id) return true
    const edits = await this.#isEditable(post, request)
    if (comment.type === NOTE)
      return edits ? this.#mayNoteOn(post, request) : forbidden(request, errors.rest_cannot_create_note)
    if (!edits && !this.moderates(request.user)) return forbidden(request, errors.rest_cannot_edit)
    return this.#mayCommentOn(post, request)
  }

  async delete(comment: Comment, request: RestRequest): Promise<true | RestError> {
    return (await this.#mayEdit(comment, request)) || forbidden(request, errors.rest_cannot_delete)
  }

  /** Checks whether the user may see a comment and reply to it. */
  async mayReplyTo(comment: Comment, request: RestRequest): Promise<boolean> {
    const { approved, post_id: post } = comment
    if (approved === 'spam' || approved === 'trash') return false
    return isOrdinary(comment) || isOwn(comment, request.user) || this.#isEditable(post, request)
  }

  /** Returns a comment with its post, as capability checks expect it. */
  async subject(comment: Comment, scope: RequestCache) {
    const { posts } = this.#plugin.services
    const post = await posts.get(comment.post_id, scope)
    return { ...comment, post: post === undefined ? null : await posts.subject(post, scope) }
  }

  /** Checks whether the user may read a post, including its password protection. */
  async #mayReadPost(post: Post, request: RestRequest, password: unknown): Promise<boolean> {
    const { contentTypes, posts } = this.#plugin.services
    const { user, scope } = request
    if (contentTypes.get(post.type)?.show_in_rest !== true) return false
    if (!(await posts.isReadable(post, user, scope))) return false
    // Users who can edit the post need no password, so a wrong one is ignored.
    if (post.password !== '' && (await posts.isEditable(post, user, scope))) return true
    return posts.checkPassword(post, password, request)
  }

  /**
   * Checks whether the user may change or delete a comment. Users who can edit the post may, and moderators who can
   * read it.
   */
  #mayEdit(comment: Comment, request: RestRequest): Awaitable<boolean> {
    return request.user.id !== 0 && this.#mayEditAs(comment, request)
  }

  async #mayEditAs(comment: Comment, request: RestRequest): Promise<boolean> {
    const { contentTypes, posts } = this.#plugin.services
    const { user, scope } = request
    const post = await posts.get(comment.post_id, scope)
    if (post === undefined) return this.moderates(user)
    if (contentTypes.get(post.type)?.show_in_rest !== true) return false
    if (await posts.isEditable(post, user, scope)) return true
    return comment.type !== NOTE && this.moderates(user) && this.#mayReadPost(post, request, request.get('password'))
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
    // Before the reference of the argument is looked up: without a post, there is no right to comment on it.
    if (post === undefined) return errors.rest_comment_invalid_post_id()
    if (post.status === 'trash') return errors.rest_comment_trash_post()
    const status = statuses.get(post.status)
    if (post.status !== 'inherit' && status?.public !== true && status?.private !== true)
      return errors.rest_comment_draft_post()
    if (!(await this.#mayReadPost(post, request, request.get('password'))))
      return forbidden(request, errors.rest_cannot_read_post)
    return (await this.#plugin.services.comments.isOpen(post)) || errors.rest_comment_closed()
  }

  /** Checks whether the user may leave notes on a post. Drafts and posts with closed comments accept notes too. */
  async #mayNoteOn(id: number, request: RestRequest): Promise<true | RestError> {
    const { contentTypes, posts } = this.#plugin.services
    const post = await posts.get(id, request.scope)
    if (post === undefined) return errors.rest_comment_invalid_post_id()
    if (!hasNotes(contentTypes.get(post.type))) return errors.rest_comment_not_supported_post_type()
    return post.status === 'trash' ? errors.rest_comment_trash_post() : true
  }

  /** Returns an error if a list of notes names a post whose type does not support notes, or null. */
  async #refuseNotes(ids: readonly number[], request: RestRequest): Promise<RestError | null> {
    const { contentTypes, posts } = this.#plugin.services
    if (request.get('type') !== NOTE || !this.#types.includes(NOTE)) return null
    const requestedPosts = await Promise.all(ids.map(async (id) => posts.get(id, request.scope)))
    const all = requestedPosts.every((post) => post === undefined || hasNotes(contentTypes.get(post.type)))
    return all ? null : errors.rest_comment_not_supported_post_type()
  }

  /** Checks whether the list is limited to notes on posts that the user can edit. */
  async #editsNotesOf(posts: readonly number[], request: RestRequest): Promise<boolean> {
    if (request.get('type') !== NOTE || posts.length === 0) return false
    const editable = await Promise.all(posts.map((id) => this.#isEditable(id, request)))
    return !editable.includes(false)
  }

  /** The comment types that requests can create. */
  get #types(): readonly string[] {
    return applySyncFilter(this.#plugin.hooks.rest_comment_types, ['comment'])
  }

  /**
   * Returns an error if the request sets fields that only moderators may set, or null.
   * @param hasStatus whether the request may set the status of a new comment
   */
  async #refuseReserved(request: RestRequest, comment: Comment | null, hasStatus: boolean): Promise<RestError | null> {
    const { user } = request
    if (this.moderates(user)) return null
    if (differs(request, 'author', comment?.author_id ?? user.id))
      return forbidden(request, errors.rest_comment_invalid_author)
    // Read only if the request sets it: reading `request.ip` makes the response specific to the client.
    if (request.hasParam('author_ip') && differs(request, 'author_ip', comment?.author_ip ?? request.ip))
      return forbidden(request, errors.rest_comment_invalid_author_ip)
    // Only users who can edit the post approve comments on it.
    if (comment === null && !hasStatus && request.hasParam('status'))
      return forbidden(request, errors.rest_comment_invalid_status)
    if (request.hasParam('date') || request.hasParam('date_gmt')) {
      const date = await dateOf(this.#plugin.services, request, comment)
      if (date !== null && date.date_gmt !== comment?.date_gmt)
        return forbidden(request, errors.rest_comment_invalid_date)
    }
    // Visitors sign with any name; users sign only with their own.
    if (user.id === 0 || !(await this.#changesSignature(request, comment))) return null
    return forbidden(request, errors.rest_comment_invalid_author)
  }

  /**
   * Checks whether the request changes the signature: the name, email address or URL of the comment, or for a new one
   * of the user.
   */
  async #changesSignature(request: RestRequest, comment: Comment | null): Promise<boolean> {
    const plugin = this.#plugin
    const account = comment === null ? await plugin.services.users.get(request.user.id, request.scope) : undefined
    const own = comment ?? {
      author_name: authorName(plugin, account?.name ?? ''),
      author_email: account?.email,
      author_url: account?.url,
    }
    const name = request.hasParam('author_name')
      ? authorName(plugin, String(request.get('author_name')))
      : own.author_name
    if (name !== own.author_name) return true
    return differs(request, 'author_email', own.author_email) || differs(request, 'author_url', own.author_url)
  }
}

/** Checks whether a post type supports notes: `supports.editor.notes`. */
function hasNotes(type: ContentType | undefined): boolean {
  const supports = [type?.supports['editor']].flat()
  return supports.some(
    (support) => typeof support === 'object' && support !== null && 'notes' in support && support.notes === true,
  )
}

/** Whether a request gives another value than this. */
function differs(request: RestRequest, name: string, value: unknown): boolean {
  return request.hasParam(name) && request.get(name) !== value
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
