import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { avatarImage } from '../avatar-image.ts'
import { commentOf } from '../comments/current-comment.ts'
import { borderClasses, wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { authorOf } from './author.ts'

/** Renders the avatar of the comment author, of the user named in the block, or of the post author. */
export const renderAvatar: Renderer = async (block, rendering) => {
  const { attributes } = block
  const shown = await picturedOf(block, rendering)
  if (shown === null) return ''
  const { name, email, url } = shown
  const blockClass = rendering.classOf(block)
  const { t } = await rendering.texts()
  const image = await avatarImage(
    {
      email,
      alt: t('{name} Avatar', { name }),
      class: [`${blockClass}__image`, ...borderClasses(block)].join(' '),
      style: rendering.styleOf(block, 'border'),
    },
    numberOf(attributes, 'size', 96),
    rendering,
  )
  if (image === '') return ''
  const href = attributes['isLink'] === true ? urlValue(url) : ''
  const target = textOf(attributes, 'linkTarget')
  const isOfComment = block.context['commentId'] !== undefined
  const values = { name: escapeHtmlOnce(name) }
  const described = isOfComment
    ? t('{name} website link, opens in a new tab', values)
    : t('{name} author archive, opens in a new tab', values)
  const label = target === '_blank' ? `aria-label="(${described})"` : ''
  const linked =
    href === ''
      ? image
      : `<a href="${href}" target="${escapeHtml(target)}" ${label} class="${blockClass}__link">${image}</a>`
  return `<div ${wrapperAttributes(block)}>${linked}</div>`
}

/** The person an avatar shows: a user or a comment author. */
interface Pictured {
  name: string
  email: string
  url: string
}

async function picturedOf(block: CoreBlock, rendering: Rendering): Promise<Pictured | null> {
  const { services } = rendering.plugin
  if (block.context['commentId'] !== undefined) {
    const comment = await commentOf(block, rendering)
    if (comment === undefined) return null
    return { name: comment.author_name, email: comment.account_email ?? comment.author_email, url: comment.author_url }
  }
  const id = numberOf(block.attributes, 'userId', 0)
  const user = id === 0 ? await authorOf(block, rendering) : await services.users.get(id, rendering.scope)
  // Users without published posts are only visible to users who can list users.
  if (user === undefined || (id !== 0 && !user.published)) return null
  return { name: user.name, email: user.email, url: await services.permalinks.author(user, rendering.scope) }
}
