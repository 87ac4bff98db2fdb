import { escapeHtml } from '../../../library/markup/index.ts'
import { textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'
import { linkOf, postOf } from './current-post.ts'

/** Renders the publication date of a post, or the date bound to `datetime`. */
export const renderPostDate: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  const datetime = attributes['datetime']
  const date = typeof datetime === 'string' ? datetime : (post?.date ?? '')
  const time = await shownTime(date, textOf(attributes, 'format'), rendering)
  if (time === null) return ''
  const shown = `<time datetime="${time.iso}">${escapeHtml(time.text)}</time>`
  const isLinked = attributes['isLink'] === true && post !== undefined
  const inside = isLinked ? `<a href="${urlValue(await linkOf(post, rendering))}">${shown}</a>` : shown
  return `<div ${wrapperAttributes(block)}>${inside}</div>`
}
