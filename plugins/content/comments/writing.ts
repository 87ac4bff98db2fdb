import {
  applyFilter,
  applySyncFilter,
  RestResponse,
  runAction,
  type ItemContext,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import { checkChange, givenComment, newComment } from './given.ts'
import type { Comment } from './model.ts'
import type { CommentRights } from './rights.ts'

/** What writing needs of the routes: how a comment is shown, and where it is. */
export interface CommentView {
  prepare(comment: Comment, request: RestRequest): Promise<RestResponse>
  href(id: number): string
}

/** The requests that write comments. */
export class CommentWriting {
  readonly #plugin: PluginContext
  readonly #rights: CommentRights
  readonly #view: CommentView

  constructor(plugin: PluginContext, rights: CommentRights, view: CommentView) {
    this.#plugin = plugin
    this.#rights = rights
    this.#view = view
  }

  /** Stores the comment that a request gives; those who moderate see all of it. */
  async create(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.#plugin
    // Forms and clients send what is empty, too.
    const { id, type } = request.givenParams()
    if (id) throw errors.rest_comment_exists()
    if (type && type !== 'comment') throw errors.rest_invalid_comment_type()
    const wanted = await newComment(this.#plugin, request)
    await this.#checkParent(wanted.parent_id, wanted.post_id, request)
    const comment = await applyFilter(hooks.rest_pre_insert.for('comment'), wanted, request)
    const author =
      comment.author_id === request.user.id ? request.user : await services.users.current(comment.author_id)
    const stored = await this.#store(request, true, () =>
      services.comments.create(comment, comment.author_id === 0 ? null : (author ?? null)),
    )
    const context: ItemContext = this.#rights.moderates(request.user) ? 'edit' : 'view'
    // Whatever the request asks for.
    request.set('context', context)
    const response = await this.#view.prepare(stored, request)
    response.status = 201
    response.headers.set('Location', this.#view.href(stored.id))
    return response
  }

  /** Changes of a comment what a request gives. */
  async update(before: Comment, request: RestRequest): Promise<RestResponse> {
    const { services } = this.#plugin
    const { type } = request.givenParams()
    if ((type ?? before.type) !== before.type) throw errors.rest_comment_invalid_type()
    const change = await givenComment(this.#plugin, request, before)
    checkChange(change)
    const { parent_id: parent = before.parent_id, post_id: post = before.post_id } = change
    if (parent !== before.parent_id) await this.#checkParent(parent, post, request)
    const changed = await this.#store(request, false, () => services.comments.update(before.id, change))
    return this.#prepareWhole(changed, request)
  }

  /** Puts a comment into the trash, or deletes it for good. */
  async remove(comment: Comment, request: RestRequest): Promise<RestResponse | RestError> {
    const { hooks, services } = this.#plugin
    let response: RestResponse
    if (request.get('force') === true) {
      const previous = await this.#prepareWhole(comment, request)
      await services.comments.delete(comment.id)
      response = new RestResponse({ deleted: true, previous: previous.data })
      request.scope.clear()
    } else {
      if (!applySyncFilter(hooks.rest_trashable.for('comment'), true, comment)) return errors.rest_trash_not_supported()
      if (comment.approved === 'trash') return errors.rest_already_trashed()
      const trashed = await services.comments.update(comment.id, { approved: 'trash' })
      request.scope.clear()
      response = await this.#prepareWhole(trashed, request)
    }
    await runAction(hooks.rest_delete.for('comment'), comment, response, request)
    return response
  }

  /** Stores a comment with meta and registered fields: all of it, or nothing. */
  async #store(request: RestRequest, creating: boolean, write: () => Promise<Comment>): Promise<Comment> {
    const { hooks, services } = this.#plugin
    const { scope } = request
    const stored = await services.store.inTurn(async () => {
      const comment = await write()
      scope.clear()
      await runAction(hooks.rest_insert.for('comment'), comment, request, creating)
      const subject = await this.#rights.subject(comment, scope)
      const refused =
        (await services.meta.update('comment', comment.type, subject, request.get('meta'), request)) ??
        (await services.fields.update('comment', comment, request))
      if (refused !== null) throw refused
      return comment
    })
    scope.clear()
    await runAction(hooks.rest_after_insert.for('comment'), stored, request, creating)
    return stored
  }

  /** @throws rest_comment_invalid_parent unless the parent is about the same post, and seen by who answers it */
  async #checkParent(id: number, post: number, request: RestRequest): Promise<void> {
    if (id === 0) return
    const parent = await this.#plugin.services.comments.get(id, request.scope)
    if (parent?.post_id === post && (await this.#rights.mayAnswer(parent, request))) return
    throw errors.rest_comment_invalid_parent()
  }

  /** A comment as those who may write it see it. */
  #prepareWhole(comment: Comment, request: RestRequest): Promise<RestResponse> {
    request.set('context', 'edit' satisfies ItemContext)
    return this.#view.prepare(comment, request)
  }
}
