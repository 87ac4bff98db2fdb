import { urlValue } from '../attributes.ts'

import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { isOpen, linkOf, postOf, titleOf } from './current-post.ts'

/** Renders the number of comments on a post. */
export const renderCommentsCount: Renderer = async (block, rendering) => {
  const post = await postOf(block, rendering)
  return post === undefined ? '' : `<div ${wrapperAttributes(block)}>${post.comment_count}</div>`
}

/** Renders a link to the comments on a post. */
export const renderCommentsLink: Renderer = async (block, rendering) => {
  const post = await postOf(block, rendering)
  if (post === undefined || !isOpen(post, rendering)) return ''
  const { comment_count: count } = post
  if (count === 0 && !(await rendering.plugin.services.comments.isOpen(post))) return ''
  const texts = await rendering.texts()
  const many = count === 0 ? texts.t('No comments') : texts.count(count, '1 comment', '{count} comments')
  const title = await titleOf(post, rendering)
  // Unquoted, as in WordPress: escaping leaves no character that would end the value.
  const url = `${urlValue(await linkOf(post, rendering)).replaceAll('`', '%60')}#comments`
  return (
    `<div ${wrapperAttributes(block)}><a href=${url}>${many}` +
    `<span class="screen-reader-text"> ${texts.t('on {title}', { title })}</span></a></div>`
  )
}
