import {
  action,
  filter,
  syncFilter,
  type Action,
  type Filter,
  type HookSpecs,
  type RestRequest,
  type SyncFilter,
} from '../../../kernel/index.ts'
import type { Comment, CommentChange, CommentState, NewComment } from './comment.ts'
import type { CommentQuery } from './query.ts'

/** The hooks of comments. */
interface CommentHooks {
  /**
   * Filter: the text of a comment on its way to readers; URLs become links and paragraphs are made here, at
   * stage 0. @since 0.1.0
   */
  comment_text: Filter<string, [comment: Comment], 'type'>
  /** Filter: whether visitors may comment; false unless a tap says otherwise. @since 0.1.0 */
  rest_allow_anonymous_comments: Filter<boolean, [request: RestRequest]>
  /** Filter: the types of comments that requests create; the plugin notes adds its own. @since 0.1.0 */
  rest_comment_types: SyncFilter<readonly string[]>
  /** Filter: what a request gives of a comment, new or not, made safe to store but not checked yet. @since 0.1.0 */
  rest_preprocess_comment: Filter<CommentChange, [request: RestRequest]>
  /**
   * Filter: the state of a new comment whose request gives none: `1` shows it, `0` holds it for moderation, `spam`,
   * `trash`. The transaction is open. @since 0.1.0
   */
  pre_comment_approved: Filter<CommentState, [comment: NewComment]>
  /** Action: a comment has another state (`1`, `0`, `spam`, `trash`). The transaction is open. @since 0.1.0 */
  transition_comment_status: Action<[state: string, before: string, comment: Comment], 'type'>
}

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    comment: { shown: Comment; item: Comment; change: NewComment; query: CommentQuery }
  }
  interface Hooks extends CommentHooks {}
}

export const commentHooks: HookSpecs<CommentHooks> = {
  comment_text: { ...filter('text', 'comment'), about: { type: (_text, { type }) => type } },
  rest_allow_anonymous_comments: filter('allowed', 'request'),
  rest_comment_types: syncFilter('types'),
  rest_preprocess_comment: filter('change', 'request'),
  pre_comment_approved: filter('state', 'comment'),
  transition_comment_status: {
    ...action('state', 'before', 'comment'),
    about: { type: (_state, _before, { type }) => type },
  },
}
