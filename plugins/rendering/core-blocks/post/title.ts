import { escapeHtml } from '../../../library/markup/index.ts'
import { headingTag, textOf, urlValue } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { linkOf, postOf, titleOf } from './current-post.ts'

/** Renders the title of a post as a heading. On pages of the site, a post without a title has a heading as well. */
export const renderPostTitle: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const isOnPage = pageAround(rendering) !== null
  const title = (await titleOf(post, rendering)) || (isOnPage ? (await rendering.texts()).t('Untitled post') : '')
  if (title === '') return ''
  const tag = headingTag(attributes, 2)
  let inside = title
  if (attributes['isLink'] === true) {
    const rel = textOf(attributes, 'rel')
    const more = rel === '' ? '' : `rel="${escapeHtml(rel)}"`
    const target = escapeHtml(textOf(attributes, 'linkTarget'))
    inside = `<a href="${urlValue(await linkOf(post, rendering))}" target="${target}" ${more}>${title}</a>`
  }
  return `<${tag} ${wrapperAttributes(block)}>${inside}</${tag}>`
}

/** Renders a link to a post, with the title for screen readers. */
export const renderReadMore: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const title = await titleOf(post, rendering)
  const { t } = await rendering.texts()
  const hidden = title === '' ? t('untitled post {id}', { id: post.id }) : title
  const content = rendering.richText(textOf(attributes, 'content')) || t('Read more')
  const target = escapeHtml(textOf(attributes, 'linkTarget'))
  return (
    `<a ${wrapperAttributes(block)} href="${urlValue(await linkOf(post, rendering))}" target="${target}">` +
    `${content}<span class="screen-reader-text">: ${hidden}</span></a>`
  )
}
