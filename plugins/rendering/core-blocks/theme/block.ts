import { numberOf } from '../attributes.ts'
import type { Renderer } from '../renderer.ts'

/** Renders a reusable block. */
export const renderReusableBlock: Renderer = async (block, rendering) => {
  const { services, branding } = rendering.plugin
  const post = await services.posts.get(numberOf(block.attributes, 'ref', 0), rendering.scope)
  const isBlock = post?.type === branding.typeName('block')
  // Users who can read the surrounding post can also read a published block without a password.
  return isBlock && post.status === 'publish' && post.password === '' ? rendering.include(post.id, post.content) : ''
}
