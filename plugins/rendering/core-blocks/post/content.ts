import { elementOf } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { isOpen, postOf } from './current-post.ts'

/** The content of a post, inside others as long as it is not its own. */
export const renderPostContent: Renderer = async (block, rendering) => {
  const post = await postOf(block, rendering)
  if (post === undefined || !isOpen(post, rendering)) return ''
  const content = await rendering.contentOf(post)
  if (content.trim() === '') return ''
  const tag = elementOf(block.attributes, 'div')
  return `<${tag} ${wrapperAttributes(block, { class: 'entry-content' })}>${content}</${tag}>`
}
