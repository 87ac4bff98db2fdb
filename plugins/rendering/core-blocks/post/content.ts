import { escapeHtml } from '../../../library/markup/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { elementOf } from '../attributes.ts'
import { pageAround, type PageContext } from '../page-context.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import { contentParts } from './content-parts.ts'
import { isOpen, postOf } from './current-post.ts'

/** The content of a post, inside others as long as it is not its own. */
export const renderPostContent: Renderer = async (block, rendering) => {
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const page = pageAround(rendering)
  const content = isOpen(post, rendering)
    ? await (page === null ? rendering.contentOf(post) : onPage(post, page, rendering))
    : page !== null && page.post?.id === post.id
      ? passwordForm(page)
      : ''
  if (content.trim() === '') return ''
  const tag = elementOf(block.attributes, 'div')
  return `<${tag} ${wrapperAttributes(block, { class: 'entry-content' })}>${content}</${tag}>`
}

/** The content as it goes to all readers, plugins included: the part of it that the page shows, with links to the others. */
async function onPage(post: Post, page: PageContext, { plugin, scope, mark }: Rendering): Promise<string> {
  const { contentRendering: rendering } = plugin.services
  const parts = contentParts(post.content, mark)
  const part = page.post?.id === post.id ? page.part : 1
  const html = await rendering.content(parts.length === 1 ? post : { ...post, content: parts[part - 1] ?? '' }, scope)
  if (parts.length === 1 || page.post?.id !== post.id) return html
  const links = parts.map((_, at) =>
    at + 1 === part
      ? `<span class="post-page-numbers current" aria-current="page">${at + 1}</span>`
      : `<a class="post-page-numbers" href="${escapeHtml(page.partUrl(at + 1))}">${at + 1}</a>`,
  )
  return `${html}<nav class="post-nav-links" aria-label="Pages of this text">Pages: ${links.join(' ')}</nav>`
}

/** Asks for the password of the post that a page is of; the page itself takes it. */
function passwordForm({ url }: PageContext): string {
  return (
    `<form class="post-password-form" method="post" action="${escapeHtml(url)}">` +
    '<p>This content is protected. To read it, enter its password:</p>' +
    '<p><label for="post-password">Password</label> ' +
    '<input id="post-password" name="post_password" type="password" autocomplete="off" required> ' +
    '<button type="submit">Show it</button></p></form>'
  )
}
