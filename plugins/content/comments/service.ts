import type { CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { Comment, CommentChange, CommentList, NewComment } from './comment.ts'
import type { CommentQuery } from './query.ts'
import { CommentReader } from './reader.ts'
import { CommentWriter } from './writer.ts'

/** Comments. What one request reads of many comments, or about many posts, comes from one statement. */
export class CommentService {
  readonly #reader: CommentReader
  readonly #writer: CommentWriter

  constructor(plugin: PluginContext) {
    this.#reader = new CommentReader(plugin.services.store)
    this.#writer = new CommentWriter(plugin, this.#reader)
  }

  /** A comment; undefined when there is none with this ID. Asks for no rights. Concurrent calls share a statement. */
  get(id: number, scope: RequestCache): Promise<Comment | undefined> {
    return id === 0 ? Promise.resolve(undefined) : this.#reader.byId(scope).load(id)
  }

  /**
   * The comments that a query asks for, limited by its `visibility`, and how many there are without its limit.
   * Concurrent calls that differ in the one post, or the one parent, alone share a statement.
   */
  query(query: CommentQuery, scope: RequestCache): Promise<CommentList> {
    return this.#reader.query(query, scope)
  }

  /**
   * Stores a new comment, moderated by the settings of the site unless it has a state. Asks for no rights, and takes the
   * HTML as it is.
   * @param author who wrote it; null for somebody without an account
   * @throws comment_duplicate, comment_flood; rest_comment_invalid_post_id, rest_comment_invalid_parent,
   *   rest_comment_author_invalid where what it names has gone
   */
  create(comment: NewComment, author: CurrentUser | null): Promise<Comment> {
    return this.#writer.create(comment, author)
  }

  /**
   * Changes a comment. Asks for no rights, and takes the HTML as it is. Replies to one that moves to another post move
   * up to its parent.
   * @throws rest_comment_invalid_id; rest_comment_invalid_post_id, rest_comment_invalid_parent,
   *   rest_comment_author_invalid where what it is to name has gone, or is the comment itself
   */
  update(id: number, change: CommentChange): Promise<Comment> {
    return this.#writer.update(id, change)
  }

  /**
   * Deletes a comment for good. Replies to it move up to its parent.
   * @throws rest_comment_invalid_id
   */
  delete(id: number): Promise<void> {
    return this.#writer.delete(id)
  }
}
