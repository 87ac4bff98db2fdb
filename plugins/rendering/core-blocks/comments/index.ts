import type { Renderer } from '../renderer.ts'
import {
  renderCommentAuthorName,
  renderCommentContent,
  renderCommentDate,
  renderCommentEditLink,
  renderCommentReplyLink,
} from './comment.ts'
import { renderComments, renderCommentsTitle, renderCommentTemplate } from './comments.ts'
import { renderCommentsForm } from './form.ts'
import {
  renderCommentsPageNumbers,
  renderCommentsPagination,
  renderNewerComments,
  renderOlderComments,
} from './pagination.ts'

/** Renderers of the comment blocks, by name. */
export const commentRenderers: Readonly<Record<string, Renderer>> = {
  'comment-author-name': renderCommentAuthorName,
  'comment-content': renderCommentContent,
  'comment-date': renderCommentDate,
  'comment-edit-link': renderCommentEditLink,
  'comment-reply-link': renderCommentReplyLink,
  'comment-template': renderCommentTemplate,
  comments: renderComments,
  'comments-pagination': renderCommentsPagination,
  'comments-pagination-next': renderNewerComments,
  'comments-pagination-numbers': renderCommentsPageNumbers,
  'comments-pagination-previous': renderOlderComments,
  'comments-title': renderCommentsTitle,
  'post-comments': renderComments,
  'post-comments-form': renderCommentsForm,
}
