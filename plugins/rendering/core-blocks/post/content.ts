import { escapeHtml } from '../../../library/markup/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { elementOf } from '../attributes.ts'
import { pageAround, type PageContext } from '../page-context.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import type { Texts } from '../texts.ts'
import { contentParts } from './content-parts.ts'
import { isOpen, postOf } from './current-post.ts'

/** Renders the content of a post; empty inside that same content. */
export const renderPostContent: Renderer = async (block, rendering) => {
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const page = pageAround(rendering)
  const content = isOpen(post, rendering)
    ? await (page === null ? rendering.contentOf(post) : onPage(post, page, rendering))
    : page !== null && page.post?.id === post.id
      ? passwordForm(page, await rendering.texts())
      : ''
  if (content.trim() === '') return ''
  const tag = elementOf(block.attributes, 'div')
  return `<${tag} ${wrapperAttributes(block, { class: 'entry-content' })}>${content}</${tag}>`
}

/** Renders the part of the content that the page shows, through all content filters, with links to the other parts. */
async function onPage(post: Post, page: PageContext, around: Rendering): Promise<string> {
  const { plugin, scope, mark } = around
  const { contentRendering: rendering } = plugin.services
  const parts = contentParts(post.content, mark)
  const part = page.post?.id === post.id ? page.part : 1
  const content = withMoreAnchor(parts[part - 1] ?? '', post.id)
  const html = await rendering.content(content === post.content ? post : { ...post, content }, scope)
  if (parts.length === 1 || page.post?.id !== post.id) return html
  const links = parts.map((_, at) =>
    at + 1 === part
      ? `<span class="post-page-numbers current" aria-current="page">${at + 1}</span>`
      : `<a class="post-page-numbers" href="${escapeHtml(page.partUrl(at + 1))}">${at + 1}</a>`,
  )
  const { t } = await around.texts()
  return `${html}<p class="post-nav-links" role="navigation" aria-label="${t('Post pages')}">${t('Pages: {links}', { links: links.join(' ') })}</p>`
}

/** Replaces the first `<!--more-->` by the element that links of lists to the rest of the post point to. */
function withMoreAnchor(content: string, id: number): string {
  const start = content.indexOf('<!--more')
  const end = start === -1 ? -1 : content.indexOf('-->', start)
  return end === -1 ? content : `${content.slice(0, start)}<span id="more-${id}"></span>${content.slice(end + 3)}`
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
