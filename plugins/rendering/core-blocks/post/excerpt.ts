import { numberOf, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { isOpen, linkOf, postOf } from './current-post.ts'

/** Follows a shortened excerpt. */
const EXCERPT_END = '&hellip;'
/** Maximum words in an excerpt. */
const MAX_WORDS = 200

/** Renders the excerpt of a post and a link to the post. */
export const renderPostExcerpt: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const words = Math.min(Math.max(Math.round(numberOf(attributes, 'excerptLength', 55)), 0), MAX_WORDS)
  const excerpt = isOpen(post, rendering)
    ? await rendering.plugin.services.contentRendering.excerptText(post, { words, more: EXCERPT_END }, rendering.scope)
    : (await rendering.texts()).t('This post is protected by a password.')
  const text = rendering.richText(textOf(attributes, 'moreText'))
  if (excerpt === '' && text === '') return ''
  const blockClass = rendering.classOf(block)
  const more =
    text === ''
      ? ''
      : `<a class="${blockClass}__more-link" href="${urlValue(await linkOf(post, rendering))}">${text}</a>`
  const below = attributes['showMoreOnNewLine'] !== false && more !== ''
  return (
    `<div ${wrapperAttributes(block)}><p class="${blockClass}__excerpt">${excerpt}` +
    (below ? `</p><p class="${blockClass}__more-text">${more}</p></div>` : ` ${more}</p></div>`)
  )
}
