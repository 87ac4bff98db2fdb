import {
  forbidden,
  type Awaitable,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import type { ResourcePermissions } from '../../resources/index.ts'
import { declaredValue } from './declared-value.ts'
import { errors } from './errors.ts'
import { passwordOf } from './password.ts'
import type { Post, PostChange } from './post.ts'
import type { ServedType } from './served-type.ts'
import { isSticky } from './sticky.ts'

/** Permission checks for the posts of one type; a refusal is returned as an error. */
export class PostPermissions implements ResourcePermissions<Post> {
  readonly #services: PluginContext['services']
  readonly #served: ServedType

  constructor(services: PluginContext['services'], served: ServedType) {
    this.#services = services
    this.#served = served
  }

  /** Listing is open to every client, except in the context `edit`. */
  list(request: RestRequest): Awaitable<true | RestError> {
    if (request.get('context') !== 'edit' || this.#can(request, this.#capabilities.edit_posts)) return true
    return forbidden(request, errors.rest_forbidden_context)
  }

  /** Whether the user may read the post in the URL. */
  async read(post: Post, request: RestRequest): Promise<boolean | RestError> {
    const { posts } = this.#services
    const { user, scope } = request
    const fits = request.get('context') !== 'edit' || posts.isEditable(post, user, scope)
    if (!(await fits)) return forbidden(request, errors.rest_forbidden_context)
    const password = passwordOf(request)
    const opens = password === '' || (post.password !== '' && posts.checkPassword(post, password, request))
    return (await opens) ? posts.isReadable(post, user, scope) : errors.rest_post_incorrect_password()
  }

  /** Whether the user may create the post in the request. */
  async create(request: RestRequest): Promise<true | RestError> {
    if (request.get('id')) return errors.rest_post_exists()
    const refused = this.#refuseAuthor(request) ?? this.#refuseSticky(request, false)
    if (refused !== null) return refused
    if (!this.#can(request, this.#capabilities.create_posts)) return forbidden(request, errors.rest_cannot_create)
    return (await this.#refuseTerms(request)) ?? true
  }

  /** Whether the user may change the post as requested. */
  async update(post: Post, request: RestRequest): Promise<true | RestError> {
    return (await this.refuseEdit(post, request)) ?? this.#refuseAuthor(request) ?? this.#mayPlace(post, request)
  }

  /** Whether the user may delete a post or move it to the trash. */
  async delete(post: Post, request: RestRequest): Promise<true | RestError> {
    const { capabilities, posts } = this.#services
    const subject = await posts.subject(post, request.scope)
    return capabilities.can(request.user, 'delete_post', subject) || forbidden(request, errors.rest_cannot_delete)
  }

  /** The widest context in which the user may see a post; null if only its ID may be shown. */
  async visibleContext(post: Post, { user, scope }: RestRequest): Promise<'edit' | 'view' | null> {
    const { posts } = this.#services
    if (await posts.isEditable(post, user, scope)) return 'edit'
    return (await posts.isReadable(post, user, scope)) ? 'view' : null
  }

  /** The error if the user may not list one of the statuses, otherwise null; `open` is allowed for every client. */
  refuseStatuses(names: readonly string[], open: string, request: RestRequest): RestError | null {
    const { edit_posts: edit, read_private_posts: readPrivate } = this.#capabilities
    for (const name of names) {
      if (name === open || this.#can(request, edit)) continue
      if (name === 'private' && this.#can(request, readPrivate)) continue
      return forbidden(request, errors.rest_forbidden_status)
    }
    return null
  }

  /** The error if the user may not edit the post at all, otherwise null. A missing post cannot be edited. */
  async refuseEdit(post: Post | undefined, request: RestRequest): Promise<RestError | null> {
    const may = post !== undefined && (await this.#services.posts.isEditable(post, request.user, request.scope))
    return may ? null : forbidden(request, errors.rest_cannot_edit)
  }

  /**
   * The error if a change is not allowed for the post as it is stored now, otherwise null. Called in the transaction of
   * the change, because the post may have been edited or published since the first permission check.
   */
  async refuseNow(change: PostChange, post: Post, request: RestRequest): Promise<RestError | null> {
    return (
      (await this.refuseEdit(post, request)) ??
      this.refuseStatus(change.status, post, request) ??
      this.#refuseSchedule(change, post, request) ??
      (await this.#refuseMove(post, request)) ??
      (await this.refuseStickyPassword(change, post))
    )
  }

  /** The error if the user may not set this status, otherwise null. The current status is always allowed. */
  refuseStatus(status: string | undefined, post: Post | null, request: RestRequest): RestError | null {
    if (status === undefined || status === post?.status) return null
    const target = this.#services.statuses.get(status)
    // Drafts and pending posts need no permission to publish.
    if (target?.date_floating === true && !target.internal) return null
    return this.publishes(request) ? null : forbidden(request, errors.rest_cannot_publish)
  }

  /** The error for a change after which the post would be both sticky and password-protected, otherwise null. */
  async refuseStickyPassword({ sticky, password }: PostChange, post: Post | null): Promise<RestError | null> {
    if (this.#served.type.name !== 'post' || (sticky === undefined && password === undefined)) return null
    if ((password ?? post?.password ?? '') === '') return null
    const onTop = sticky ?? (post !== null && (await isSticky(this.#services.options, post.id)))
    const reason = 'A post cannot be sticky and have a password.'
    return onTop ? errors.rest_invalid_field(reason) : null
  }

  publishes(request: RestRequest): boolean {
    return this.#can(request, this.#capabilities.publish_posts)
  }

  get #capabilities() {
    return this.#served.type.capabilities
  }

  #can(request: RestRequest, capability: string): boolean {
    return this.#services.capabilities.can(request.user, capability)
  }

  /**
   * The error if the user may not change the date of a scheduled post, otherwise null: the date decides when it is
   * published.
   */
  #refuseSchedule(change: PostChange, post: Post, request: RestRequest): RestError | null {
    const waits = post.status === 'future' && (change.status ?? 'future') === 'future'
    if (!waits || change.date === undefined) return null
    return this.refuseStatus('publish', post, request)
  }

  async #mayPlace(post: Post, request: RestRequest): Promise<true | RestError> {
    return (await this.#refuseMove(post, request)) ?? (await this.#refuseTerms(request)) ?? true
  }

  #refuseAuthor(request: RestRequest): RestError | null {
    const author = request.get('author')
    const isOther =
      author !== undefined && author !== null && Number(author) !== request.user.id && Number(author) !== 0
    const may = !isOther || this.#can(request, this.#capabilities.edit_others_posts)
    return may ? null : forbidden(request, errors.rest_cannot_edit_others)
  }

  /**
   * The error if the user may not change whether a post is sticky, otherwise null: the top of lists is shared by all
   * authors.
   * @param was whether the post is sticky now; no change needs no permission
   */
  #refuseSticky(request: RestRequest, was: boolean): RestError | null {
    const sticky = declaredValue(request, 'sticky')
    if (typeof sticky !== 'boolean' || sticky === was) return null
    const may = this.#can(request, this.#capabilities.edit_others_posts) && this.publishes(request)
    return may ? null : forbidden(request, errors.rest_cannot_assign_sticky)
  }

  /** The same check for a stored post. */
  async #refuseMove(post: Post, request: RestRequest): Promise<RestError | null> {
    if (typeof declaredValue(request, 'sticky') !== 'boolean') return null
    return this.#refuseSticky(request, await isSticky(this.#services.options, post.id))
  }

  async #refuseTerms(request: RestRequest): Promise<RestError | null> {
    const { capabilities, terms } = this.#services
    for (const { name, rest_base: base } of this.#served.taxonomies) {
      const ids = request.get(base)
      if (!Array.isArray(ids)) continue
      const requestedIds = [...new Set(ids.map(Number))].filter((id) => Number.isSafeInteger(id) && id > 0)
      const requestedTerms = await Promise.all(requestedIds.map(async (id) => terms.get(id, request.scope)))
      for (const term of requestedTerms) {
        // IDs that are not terms of the taxonomy are dropped later.
        if (term?.taxonomy !== name || capabilities.can(request.user, 'assign_term', term)) continue
        return forbidden(request, errors.rest_cannot_assign_term)
      }
    }
    return null
  }
}
