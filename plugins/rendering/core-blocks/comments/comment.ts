import { addQuery, applyFilter, type CurrentUser } from '../../../../kernel/index.ts'
import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { textOf, urlValue } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import { linkOf } from '../post/current-post.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'
import { commentLink, commentOf } from './current-comment.ts'
import { levelsOf } from './shown-comments.ts'

/** Renders the author name of a comment. */
export const renderCommentAuthorName: Renderer = async (block, rendering) => {
  const { attributes } = block
  const comment = await commentOf(block, rendering)
  if (comment === undefined) return ''
  const { t } = await rendering.texts()
  const name = withoutShortcodes(escapeHtmlOnce(comment.author_name)) || t('Anonymous')
  const url = attributes['isLink'] === false ? '' : urlValue(comment.author_url)
  const target = escapeHtml(textOf(attributes, 'linkTarget'))
  const shown = url === '' ? name : `<a rel="external nofollow ugc" href="${url}" target="${target}" >${name}</a>`
  return `<div ${wrapperAttributes(block)}>${shown}</div>`
}

/** Renders the text of a comment. */
export const renderCommentContent: Renderer = async (block, rendering) => {
  const comment = await commentOf(block, rendering)
  if (comment === undefined) return ''
  const html = await applyFilter(rendering.plugin.hooks.comment_text, comment.content, comment)
  return html === '' ? '' : `<div ${wrapperAttributes(block)}>${withoutShortcodes(html)}</div>`
}

/** Renders the date of a comment. */
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

/** Renders the reply link of a comment. */
export const renderCommentReplyLink: Renderer = async (block, rendering) => {
  const { plugin, scope } = rendering
  const comment = await commentOf(block, rendering)
  const post = comment === undefined ? undefined : await plugin.services.posts.get(comment.post_id, scope)
  if (comment === undefined || post === undefined || !(await plugin.services.comments.isOpen(post))) return ''
  const page = pageAround(rendering)
  if (page !== null) {
    // Replies at the deepest level would not be nested.
    if ((levelsOf(rendering).get(comment.id) ?? 1) >= (page.comments?.levels ?? Infinity)) return ''
    const needsLogin = page.user.id === 0 && (await plugin.services.options.get('comment_registration', false))
    if (needsLogin) return ''
  }
  const url = `${addQuery(await linkOf(post, rendering), { replytocom: comment.id })}#respond`
  const { t } = await rendering.texts()
  const name = withoutShortcodes(escapeHtmlOnce(comment.author_name)) || t('Anonymous')
  const label = t('Reply to {name}', { name })
  const link =
    `<a rel="nofollow" class="comment-reply-link" href="${urlValue(url)}" data-commentid="${comment.id}" ` +
    `data-postid="${post.id}" data-belowelement="comment-${comment.id}" data-respondelement="respond" ` +
    `data-replyto="${label}" aria-label="${label}">${t('Reply')}</a>`
  return `<div ${wrapperAttributes(block)}>${link}</div>`
}

/** Renders the edit link of a comment, on pages of the site, for users who can edit it. */
export const renderCommentEditLink: Renderer = async (block, rendering) => {
  const page = pageAround(rendering)
  const comment = page === null || page.user.id === 0 ? undefined : await commentOf(block, rendering)
  const url = comment === undefined ? null : page!.commentEditUrl(comment.id)
  if (comment === undefined || url === null) return ''
  const { posts } = rendering.plugin.services
  const post = await posts.get(comment.post_id, rendering.scope)
  if (post === undefined || !(await mayEdit(post, page!.user, rendering))) return ''
  const target = escapeHtml(textOf(block.attributes, 'linkTarget') || '_self')
  const { t } = await rendering.texts()
  return `<div ${wrapperAttributes(block)}><a class="comment-edit-link" href="${urlValue(url)}" target="${target}">${t('Edit')}</a></div>`
}

/** Whether a user who can read the post can edit its comments. */
async function mayEdit(post: Post, user: CurrentUser, { plugin, scope }: Rendering): Promise<boolean> {
  const { capabilities, posts } = plugin.services
  return capabilities.can(user, 'moderate_comments') || posts.isEditable(post, user, scope)
}

/** Escapes shortcodes in HTML of comment authors: shortcodes in the surrounding content run later. */
function withoutShortcodes(html: string): string {
  return html.replaceAll('[', '&#91;')
}
