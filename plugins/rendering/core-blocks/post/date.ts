import { escapeHtml } from '../../../library/markup/index.ts'
import { objectOf, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer } from '../renderer.ts'
import { shownTime } from '../shown-time.ts'
import { linkOf, modifiedDate, postOf } from './current-post.ts'

/** Renders the publication date of a post, or the date bound to `datetime`. */
export const renderPostDate: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  const datetime = attributes['datetime']
  // Older posts have `displayType` in place of a binding.
  const legacy = attributes['displayType'] === 'modified' ? modifiedDate(post) : (post?.date ?? '')
  const date = typeof datetime === 'string' ? datetime : legacy
  const time = await shownTime(date, textOf(attributes, 'format'), rendering)
  if (time === null) return ''
  const shown = `<time datetime="${time.iso}">${escapeHtml(time.text)}</time>`
  const isLinked = attributes['isLink'] === true && post !== undefined
  const inside = isLinked ? `<a href="${urlValue(await linkOf(post, rendering))}">${shown}</a>` : shown
  const dateClass = isOfChange(attributes) ? `${rendering.classOf(block)}__modified-date` : ''
  return `<div ${wrapperAttributes(block, { class: dateClass })}>${inside}</div>`
}

/** Whether the block shows when the post was last changed. */
function isOfChange(attributes: CoreBlock['attributes']): boolean {
  const { source, args } = objectOf(objectOf(objectOf(attributes, 'metadata'), 'bindings'), 'datetime')
  const field = objectOf({ args }, 'args')
  const isBound = source === 'core/post-data' && (field['field'] ?? field['key']) === 'modified'
  return isBound || (attributes['datetime'] === undefined && attributes['displayType'] === 'modified')
}
