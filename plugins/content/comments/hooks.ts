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

interface CommentHooks {
  /**
   * Filter: the comment text shown to readers. At stage 0, URLs become links and line breaks become paragraphs. @since
   * 0.1.0
   */
  comment_text: Filter<string, [comment: Comment], 'type'>
  /** Filter: whether visitors may comment; false by default. @since 0.1.0 */
  rest_allow_anonymous_comments: Filter<boolean, [request: RestRequest]>
  /** Filter: the comment types that requests can create; the post-notes plugin adds `note`. @since 0.1.0 */
  rest_comment_types: SyncFilter<readonly string[]>
  /**
   * Filter: the fields that a request sets, sanitized but not yet validated, for new and existing comments. @since
   * 0.1.0
   */
  rest_preprocess_comment: Filter<CommentChange, [request: RestRequest]>
  /**
   * Filter: the state of a new comment whose request sets none: `1` (approved), `0` (held), `spam` or `trash`. Runs
   * inside the transaction. @since 0.1.0
   */
  pre_comment_approved: Filter<CommentState, [comment: NewComment]>
  /** Action: the state of a comment changed (`1`, `0`, `spam`, `trash`). Runs inside the transaction. @since 0.1.0 */
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
