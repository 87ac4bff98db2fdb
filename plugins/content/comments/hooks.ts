import type { Action, Filter, RestRequest, RestResponse, SyncFilter } from '../../../kernel/index.ts'
import type { Comment, CommentChange, CommentState, NewComment } from './comment.ts'
import type { CommentQuery } from './query.ts'

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    comment: { shown: Comment; item: Comment; change: NewComment; query: CommentQuery }
  }
  interface Hooks {
    /**
     * Filter: the text of a comment on its way to readers; addresses become links and paragraphs are made here, at
     * stage 0. @since 0.1.0
     */
    comment_text: Filter<string, [comment: Comment]>
    /** Filter: whether visitors may comment; false unless a tap says otherwise. @since 0.1.0 */
    rest_allow_anonymous_comments: Filter<boolean, [request: RestRequest]>
    /** Filter: what a request gives of a comment, new or not, made safe to store but not checked yet. @since 0.1.0 */
    rest_preprocess_comment: Filter<CommentChange, [request: RestRequest]>
    /**
     * Filter: the comment about to be stored. Runs after validation, before the transaction opens, so a tap may still
     * refuse it by throwing. The author is known. @since 0.1.0
     */
    rest_pre_insert_comment: Filter<NewComment, [request: RestRequest]>
    /**
     * Filter: the state of a new comment whose request gives none: `1` shows it, `0` holds it for moderation, `spam`,
     * `trash`. The transaction is open. @since 0.1.0
     */
    pre_comment_approved: Filter<CommentState, [comment: NewComment]>
    /** Action: the comment is stored, meta and registered fields are not yet; the transaction is open. @since 0.1.0 */
    rest_insert_comment: Action<[comment: Comment, request: RestRequest, creating: boolean]>
    /** Action: the comment is stored and its transaction closed. @since 0.1.0 */
    rest_after_insert_comment: Action<[comment: Comment, request: RestRequest, creating: boolean]>
    /** Action: a comment has another state (`1`, `0`, `spam`, `trash`). The transaction is open. @since 0.1.0 */
    transition_comment_status: Action<[state: string, before: string, comment: Comment]>
    /** Filter: whether a comment goes to the trash before it is deleted. @since 0.1.0 */
    rest_comment_trashable: SyncFilter<boolean, [comment: Comment]>
    /** Action: a request has put a comment into the trash, or deleted it; the transaction is closed. @since 0.1.0 */
    rest_delete_comment: Action<[comment: Comment, response: RestResponse, request: RestRequest]>
  }
}
