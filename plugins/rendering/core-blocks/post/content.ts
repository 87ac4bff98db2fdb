import { escapeHtml } from '../../../library/markup/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { elementOf, urlValue } from '../attributes.ts'
import { pageAround, type PageContext } from '../page-context.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import type { Texts } from '../texts.ts'
import { contentParts, withoutMoreComment } from './content-parts.ts'
import { isOpen, linkOf, postOf, titleOf } from './current-post.ts'
import { focusableCode } from './scrollable.ts'

/** Renders the content of a post; empty inside that same content. */
export const renderPostContent: Renderer = async (block, rendering) => {
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const page = pageAround(rendering)
  const content = isOpen(post, rendering)
    ? await (page === null ? inContent(post, rendering) : onPage(post, page, rendering))
    : page !== null && page.post?.id === post.id
      ? passwordForm(page, await rendering.texts())
      : ''
  if (content.trim() === '') return ''
  const tag = elementOf(block.attributes, 'div')
  return `<${tag} ${wrapperAttributes(block, { class: 'entry-content' })}>${content}</${tag}>`
}

/** Renders the content of a post inside other content, or alone for a preview, which runs all content filters. */
async function inContent(post: Post, rendering: Rendering): Promise<string> {
  const shown = await teaserOf(post, rendering)
  const { contentRendering } = rendering.plugin.services
  return rendering.isPreview ? contentRendering.content(shown, rendering.scope) : rendering.contentOf(shown)
}

/** Returns a post whose content ends at `<!--more-->`, with a link to the rest; the post itself without such a mark. */
async function teaserOf(post: Post, rendering: Rendering): Promise<Post> {
  const [start, end] = moreIn(post.content)
  if (start === -1) return post
  const { mark, plainText } = rendering
  const teaser = withoutMoreComment(post.content.slice(0, start), mark)
  const { t } = await rendering.texts()
  const title = plainText(await titleOf(post, rendering))
  const text = plainText(post.content.slice(start + MORE_MARK.length, end)) || t('(more…)').replaceAll('…', '&hellip;')
  const label = t('Continue reading {title}', { title })
  const url = urlValue(`${await linkOf(post, rendering)}#more-${post.id}`)
  const link = ` <a href="${url}" class="more-link"><span aria-label="${label}">${text}</span></a>`
  return { ...post, content: `${teaser}${link}` }
}

/** Renders the part of the content that the page shows, through all content filters, with links to the other parts. */
async function onPage(post: Post, page: PageContext, around: Rendering): Promise<string> {
  const { plugin, scope, mark } = around
  const { contentRendering: rendering } = plugin.services
  const parts = contentParts(post.content, mark)
  if (page.post?.id !== post.id)
    return rendering.content(await teaserOf({ ...post, content: parts[0]! }, around), scope)
  const { part } = page
  const content = withMoreAnchor(parts[part - 1] ?? '', post.id)
  const { t } = await around.texts()
  const rendered = await rendering.content(content === post.content ? post : { ...post, content }, scope)
  const html = focusableCode(rendered, t('Code'))
  if (parts.length === 1) return html
  const links = parts.map((_, at) =>
    at + 1 === part
      ? `<span class="post-page-numbers current" aria-current="page">${at + 1}</span>`
      : `<a class="post-page-numbers" href="${escapeHtml(page.partUrl(at + 1))}">${at + 1}</a>`,
  )
  return `${html}<p class="post-nav-links" role="navigation" aria-label="${t('Post pages')}">${t('Pages: {links}', { links: links.join(' ') })}</p>`
}

/** Replaces the first `<!--more-->` by the element that links of lists to the rest of the post point to. */
function withMoreAnchor(content: string, id: number): string {
  const [start, end] = moreIn(content)
  return start === -1 ? content : `${content.slice(0, start)}<span id="more-${id}"></span>${content.slice(end + 3)}`
}

const MORE_MARK = '<!--more'

/** Returns where the first `<!--more-->` starts, and where its `-->` does; -1 if there is none. */
function moreIn(content: string): [start: number, end: number] {
  const start = content.indexOf(MORE_MARK)
  const end = start === -1 ? -1 : content.indexOf('-->', start)
  return end === -1 ? [-1, -1] : [start, end]
}

/** Renders the form for the password of a post; the page itself handles the submission. */
function passwordForm({ url }: PageContext, { t }: Texts): string {
  return (
    `<form class="post-password-form" method="post" action="${escapeHtml(url)}">` +
    `<p>${t('This content is password protected. To view it, enter the password below.')}</p>` +
    `<p><label for="post-password">${t('Password')} ` +
    '<input id="post-password" name="post_password" type="password" autocomplete="off" size="20" required></label> ' +
    `<input type="submit" value="${t('Enter password')}"></p></form>`
  )
}
