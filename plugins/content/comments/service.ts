import { VISITOR, type CurrentUser, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { RightsMemory } from '../content-types/index.ts'
import type { Post } from '../posts/index.ts'
import type { Comment, CommentChange, CommentList, NewComment } from './comment.ts'
import { isOpen } from './open.ts'
import { CommentReader } from './reader.ts'
import { visibilityByRoles, type RoleVisibility } from './visibility.ts'
import { CommentWriter } from './writer.ts'

/** Comments. What one request reads of many comments, or about many posts, comes from one statement. */
export class CommentService extends CommentReader {
  readonly #plugin: PluginContext
  /** Creates and updates comments for a caller who has the turn of the writers. @internal */
  readonly writer: CommentWriter
  /** Which comments users may see by their roles. @internal */
  readonly rights: RightsMemory<RoleVisibility>

  constructor(plugin: PluginContext) {
    super(plugin.services.store, plugin.services.fieldIndex)
    this.#plugin = plugin
    this.writer = new CommentWriter(plugin, this)
    this.rights = new RightsMemory(plugin.services, (user) => visibilityByRoles(plugin.services, user))
  }

  /** Whether a post takes new comments, whoever writes them: by itself, and by its age. */
  isOpen(post: Pick<Post, 'type' | 'comment_status' | 'date_gmt'>): Promise<boolean> {
    return isOpen(this.#plugin.services.options, post)
  }

  /**
   * The newest approved comments on posts that everybody may read.
   * @param posts IDs of the posts whose comments are meant; none for those of all
   * @param ofProtected whether those on posts with a password are among them, whose texts are not for all
   */
  async newest(
    limit: number,
    scope: RequestCache,
    { posts = [], ofProtected = false }: { readonly posts?: readonly number[]; readonly ofProtected?: boolean } = {},
  ): Promise<CommentList> {
    const visibility = { ...this.rights.of(VISITOR), opened: [], toldOfProtected: ofProtected }
    return this.query({ visibility, approved: ['1'], posts, orderby: 'date_gmt', order: 'desc', limit }, scope)
  }

  /**
   * Stores a new comment, moderated by the settings of the site unless it has a state. Asks for no rights, and takes the
   * HTML as it is.
   * @param author who wrote it; null for somebody without an account
   * @throws comment_duplicate, comment_flood; rest_comment_invalid_post_id, rest_comment_invalid_parent,
   *   rest_comment_author_invalid where what it names has gone
   */
  create(comment: NewComment, author: CurrentUser | null): Promise<Comment> {
    return this.#plugin.services.store.inTurn(() => this.writer.create(comment, author))
  }

  /**
   * Changes a comment. Asks for no rights, and takes the HTML as it is. Replies to one that moves to another post move
   * up to its parent.
   * @throws rest_comment_invalid_id; rest_comment_invalid_post_id, rest_comment_invalid_parent,
   *   rest_comment_author_invalid where what it is to name has gone, or is the comment itself
   */
  update(id: number, change: CommentChange): Promise<Comment> {
    return this.#plugin.services.store.inTurn(() => this.writer.update(id, change))
  }

  /** Deletes a comment for good. Replies to it move up to its parent. @throws rest_comment_invalid_id */
  delete(id: number): Promise<void> {
    return this.writer.delete(id)
  }
}
