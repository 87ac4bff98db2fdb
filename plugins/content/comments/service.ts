import { VISITOR, type CurrentUser, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { RightsMemory } from '../content-types/index.ts'
import type { Post } from '../posts/index.ts'
import type { Comment, CommentChange, CommentList, NewComment } from './comment.ts'
import { isOpen } from './open.ts'
import { CommentReader } from './reader.ts'
import { visibilityByRoles, type RoleVisibility } from './visibility.ts'
import { CommentWriter } from './writer.ts'

/** Reads and writes comments. Within a request, reads of several comments or posts share one statement. */
export class CommentService extends CommentReader {
  readonly #plugin: PluginContext
  /** Creates and updates comments for callers that already hold the write turn. @internal */
  readonly writer: CommentWriter
  /** Caches which comments users may see by their roles. @internal */
  readonly rights: RightsMemory<RoleVisibility>

  constructor(plugin: PluginContext) {
    super(plugin.services.store, plugin.services.fieldIndex)
    this.#plugin = plugin
    this.writer = new CommentWriter(plugin, this)
    this.rights = new RightsMemory(plugin.services, (user) => visibilityByRoles(plugin.services, user))
  }

  /** Checks whether a post accepts comments: its own setting and its age. */
  isOpen(post: Pick<Post, 'type' | 'comment_status' | 'date_gmt'>): Promise<boolean> {
    return isOpen(this.#plugin.services.options, post)
  }

  /**
   * Returns the newest approved comments on public posts.
   * @param limit maximum number of comments
   * @param posts IDs of the posts; all posts if empty
   * @param ofProtected whether to include comments on posts with a password; the caller must not show their text
   */
  async newest(
    limit: number,
    scope: RequestCache,
    { posts = [], ofProtected = false }: { readonly posts?: readonly number[]; readonly ofProtected?: boolean } = {},
  ): Promise<CommentList> {
    const visibility = { ...this.rights.rightsOf(VISITOR), opened: [], includesProtected: ofProtected }
    return this.query({ visibility, approved: ['1'], posts, orderby: 'date_gmt', order: 'desc', limit }, scope)
  }

  /**
   * Stores a new comment; without a state, the site's moderation settings decide it. Checks no permissions and stores
   * the HTML unfiltered.
   * @param author the account of the author; null for visitors
   * @throws comment_duplicate, comment_flood; rest_comment_invalid_post_id, rest_comment_invalid_parent or
   * rest_comment_author_invalid if the post, parent or author does not exist
   */
  create(comment: NewComment, author: CurrentUser | null): Promise<Comment> {
    return this.#plugin.services.store.inTurn(() => this.writer.create(comment, author))
  }

  /**
   * Changes a comment. Checks no permissions and stores the HTML unfiltered. If the comment moves to another post, its
   * replies move up to its parent.
   * @throws rest_comment_invalid_id; rest_comment_invalid_post_id, rest_comment_invalid_parent or
   * rest_comment_author_invalid if the post, parent or author does not exist, or the parent is the comment or a reply
   * to it
   */
  update(id: number, change: CommentChange): Promise<Comment> {
    return this.#plugin.services.store.inTurn(() => this.writer.update(id, change))
  }

  /** Deletes a comment permanently. Replies move up to its parent. @throws rest_comment_invalid_id */
  delete(id: number): Promise<void> {
    return this.writer.delete(id)
  }
}
