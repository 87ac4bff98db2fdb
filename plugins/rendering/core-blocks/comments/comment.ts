import { addQuery, applyFilter, escapeHtml, escapeHtmlOnce } from '../../../../kernel/index.ts'
import { textOf, urlValue } from '../attributes.ts'
import { linkOf } from '../post/current-post.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'
import { commentLink, commentOf } from './current-comment.ts'

/** Who wrote a comment. */
export const renderCommentAuthorName: Renderer = async (block, rendering) => {
  const { attributes } = block
  const comment = await commentOf(block, rendering)
  if (comment === undefined) return ''
  const name = escapeHtmlOnce(comment.author_name) || 'Anonymous'
  const url = attributes['isLink'] === false ? '' : urlValue(comment.author_url)
  const target = escapeHtml(textOf(attributes, 'linkTarget'))
  const shown = url === '' ? name : `<a rel="external nofollow ugc" href="${url}" target="${target}" >${name}</a>`
  return `<div ${wrapperAttributes(block)}>${shown}</div>`
}

/** What a comment says. */
export const renderCommentContent: Renderer = async (block, rendering) => {
  const comment = await commentOf(block, rendering)
  if (comment === undefined) return ''
  const html = await applyFilter(rendering.plugin.hooks.comment_text, comment.content, comment)
  return html === '' ? '' : `<div ${wrapperAttributes(block)}>${html}</div>`
}

/** When a comment was written. */
export const renderCommentDate: Renderer = async (block, rendering) => {
  const { attributes } = block
  const comment = await commentOf(block, rendering)
  if (comment === undefined) return ''
  const time = await shownTime(comment.date, textOf(attributes, 'format'), rendering)
  if (time === null) return ''
  const text = escapeHtml(time.text)
  const url = attributes['isLink'] === false ? '' : urlValue(await commentLink(comment, rendering))
  const shown = url === '' ? text : `<a href="${url}">${text}</a>`
  return `<div ${wrapperAttributes(block)}><time datetime="${time.iso}">${shown}</time></div>`
}

/** A link by which readers reply to a comment. */
export const renderCommentReplyLink: Renderer = async (block, rendering) => {
  const { plugin, scope } = rendering
  const comment = await commentOf(block, rendering)
  const post = comment === undefined ? undefined : await plugin.services.posts.get(comment.post_id, scope)
  if (comment === undefined || post === undefined || !(await plugin.services.comments.isOpen(post))) return ''
  const url = `${addQuery(await linkOf(post, rendering), { replytocom: comment.id })}#respond`
  const label = `Reply to ${escapeHtmlOnce(comment.author_name) || 'Anonymous'}`
  const link =
    `<a rel="nofollow" class="comment-reply-link" href="${urlValue(url)}" data-commentid="${comment.id}" ` +
    `data-postid="${post.id}" data-belowelement="comment-${comment.id}" data-respondelement="respond" ` +
    `data-replyto="${label}" aria-label="${label}">Reply</a>`
  return `<div ${wrapperAttributes(block)}>${link}</div>`
}
