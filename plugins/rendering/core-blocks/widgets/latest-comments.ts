import { escapeHtml } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { Comment } from '../../../content/comments/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { avatarImage } from '../avatar-image.ts'
import { isOpen, linkOf, publicPost, titleOf } from '../post/current-post.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'

/** Maximum comments in a list. */
const MAX_COMMENTS = 100
/** Maximum words in an excerpt. */
const MAX_EXCERPT_WORDS = 20

/** Renders the newest comments on public posts. */
export const renderLatestComments: Renderer = async (block, rendering) => {
  const { attributes } = block
  const limit = Math.min(Math.max(Math.trunc(numberOf(attributes, 'commentsToShow', 5)), 1), MAX_COMMENTS)
  const content = textOf(attributes, 'displayContent') || 'excerpt'
  const list = await newestComments(limit, rendering)
  const classes = [
    ...(attributes['displayAvatar'] === false ? [] : ['has-avatars']),
    ...(attributes['displayDate'] === false ? [] : ['has-dates']),
    ...(content === 'none' ? [] : ['has-excerpts']),
    ...(list.length === 0 ? ['no-comments'] : []),
  ].join(' ')
  if (list.length === 0) {
    const { t } = await rendering.texts()
    return `<div ${wrapperAttributes(block, { class: classes })}>${t('No comments to show.')}</div>`
  }
  const items = await mapInSlices(list, (one) => item(one, content, block, rendering), list.length)
  return `<ol ${wrapperAttributes(block, { class: classes })}>${items.join('')}</ol>`
}

interface Listed {
  readonly comment: Comment
  readonly post: Post
}

async function newestComments(limit: number, rendering: Rendering): Promise<Listed[]> {
  const { comments, posts } = rendering.plugin.services
  const { items } = await rendering.once(['comments', limit], () =>
    comments.newest(limit, rendering.scope, { ofProtected: true }),
  )
  await posts.loadAll(
    items.map((comment) => comment.post_id),
    rendering.scope,
  )
  const list = await mapInSlices(items, async (comment) => ({
    comment,
    post: await publicPost(comment.post_id, rendering),
  }))
  return list.flatMap(({ comment, post }) => (post === undefined ? [] : [{ comment, post }]))
}

async function item(
  { comment, post }: Listed,
  content: string,
  block: CoreBlock,
  rendering: Rendering,
): Promise<string> {
  const { attributes } = block
  const { services } = rendering.plugin
  const blockClass = rendering.classOf(block)
  const avatar =
    attributes['displayAvatar'] === false
      ? ''
      : await avatarImage(
          { email: comment.account_email ?? comment.author_email, alt: '', class: `${blockClass}__comment-avatar` },
          48,
          rendering,
        )
  const user = await services.users.get(comment.author_id, rendering.scope)
  const { t } = await rendering.texts()
  const name = escapeHtml(comment.author_name) || t('Anonymous')
  const authorUrl = urlValue(comment.author_url)
  // Author archives reveal the slug of a user, so only link to users with published posts.
  const isKnown = authorUrl === '' && user?.published === true
  const url = isKnown ? urlValue(await services.permalinks.author(user, rendering.scope)) : authorUrl
  const author =
    url === ''
      ? `<span class="${blockClass}__comment-author">${name}</span>`
      : `<a class="${blockClass}__comment-author" href="${url}">${name}</a>`
  const link = urlValue(`${await linkOf(post, rendering)}#comment-${comment.id}`)
  const title = await titleOf(post, rendering)
  const time = attributes['displayDate'] === false ? null : await shownTime(comment.date, '', rendering)
  const date =
    time === null
      ? ''
      : `<time datetime="${time.iso}" class="${blockClass}__comment-date">${escapeHtml(time.text)}</time>`
  const meta =
    `<footer class="${blockClass}__comment-meta">` +
    t('{author} on {title}', { author, title: `<a class="${blockClass}__comment-link" href="${link}">${title}</a>` }) +
    `${date}</footer>`
  const text = content === 'none' ? '' : await textOfComment({ comment, post }, content, rendering)
  const shown = text === '' ? '' : `<div class="${blockClass}__comment-excerpt">${text}</div>`
  return `<li class="${blockClass}__comment">${avatar}<article>${meta}${shown}</article></li>`
}

async function textOfComment({ comment, post }: Listed, content: string, rendering: Rendering): Promise<string> {
  const { html, contentRendering: texts } = rendering.plugin.services
  if (!isOpen(post, rendering)) return texts.paragraphs((await rendering.texts()).t('Password protected'))
  if (content === 'full') return texts.paragraphs(html.filter(comment.content, 'comment'))
  const words = rendering.plainText(comment.content).split(/\s+/)
  return texts.paragraphs(
    words.length > MAX_EXCERPT_WORDS ? `${words.slice(0, MAX_EXCERPT_WORDS).join(' ')}&hellip;` : words.join(' '),
  )
}
