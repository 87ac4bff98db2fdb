import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import type { User } from '../../../people/users/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { avatarImage } from '../avatar-image.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { postOf } from './current-post.ts'

/** Returns the author of the current post, or undefined. */
export async function authorOf(block: CoreBlock, rendering: Rendering): Promise<User | undefined> {
  const post = await postOf(block, rendering)
  if (post === undefined || post.author_id === 0) return undefined
  return rendering.plugin.services.users.get(post.author_id, rendering.scope)
}

/** Renders the name of the author. */
export const renderAuthorName: Renderer = async (block, rendering) => {
  const author = await authorOf(block, rendering)
  if (author === undefined) return ''
  const linkClass = `${rendering.classOf(block)}__link`
  return `<div ${wrapperAttributes(block)}>${await linkedName(author, block, rendering, ` class="${linkClass}"`)}</div>`
}

/** Renders the biography of the author. */
export const renderAuthorBiography: Renderer = async (block, rendering) => {
  const author = await authorOf(block, rendering)
  const biography = author === undefined ? '' : await biographyOf(author, rendering)
  return biography === '' ? '' : `<div ${wrapperAttributes(block)}>${biography}</div>`
}

/** Renders the author with avatar, byline and biography. */
export const renderAuthor: Renderer = async (block, rendering) => {
  const { attributes } = block
  const author = await authorOf(block, rendering)
  if (author === undefined) return ''
  const blockClass = rendering.classOf(block)
  const avatar =
    attributes['showAvatar'] === false
      ? ''
      : await avatarImage({ email: author.email, alt: '' }, numberOf(attributes, 'avatarSize', 48), rendering)
  const byline = rendering.richText(textOf(attributes, 'byline'))
  const biography = attributes['showBio'] === true ? await biographyOf(author, rendering) : ''
  const paragraph = (part: string, html: string) => `<p class="${blockClass}__${part}">${html}</p>`
  return [
    `<div ${wrapperAttributes(block)}>`,
    avatar === '' ? '' : `<div class="${blockClass}__avatar">${avatar}</div>`,
    `<div class="${blockClass}__content">`,
    byline === '' ? '' : paragraph('byline', byline),
    paragraph('name', await linkedName(author, block, rendering)),
    biography === '' ? '' : paragraph('bio', biography),
    '</div></div>',
  ].join('')
}

async function linkedName(author: User, { attributes }: CoreBlock, rendering: Rendering, more = ''): Promise<string> {
  const name = escapeHtmlOnce(author.name)
  if (attributes['isLink'] !== true) return name
  const url = await rendering.plugin.services.permalinks.author(author, rendering.scope)
  return `<a href="${urlValue(url)}" target="${escapeHtml(textOf(attributes, 'linkTarget'))}"${more}>${name}</a>`
}

async function biographyOf(author: User, { plugin, scope, richText }: Rendering): Promise<string> {
  return richText((await plugin.services.users.profile(author.id, scope)).description)
}
