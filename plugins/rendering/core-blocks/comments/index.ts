import type { Renderer } from '../renderer.ts'
import { renderCommentAuthorName, renderCommentContent, renderCommentDate, renderCommentReplyLink } from './comment.ts'
import { renderComments, renderCommentsForm, renderCommentsTitle, renderCommentTemplate } from './comments.ts'

/** The blocks of comments, by name. */
export const commentRenderers: Readonly<Record<string, Renderer>> = {
  'comment-author-name': renderCommentAuthorName,
  'comment-content': renderCommentContent,
  'comment-date': renderCommentDate,
  'comment-reply-link': renderCommentReplyLink,
  'comment-template': renderCommentTemplate,
  comments: renderComments,
  'comments-title': renderCommentsTitle,
  'post-comments': renderComments,
  'post-comments-form': renderCommentsForm,
}
