import { idsOf } from '../attributes.ts'
import type { Renderer } from '../renderer.ts'

/** Content that is stored once and shown in many places. */
export const renderReusableBlock: Renderer = async (block, { plugin, scope, include }) => {
  const [ref = 0] = idsOf(block.attributes['ref'])
  const post = await plugin.services.posts.get(ref, scope)
  // Whoever may read the post around it may read a published block without a password.
  if (post?.type !== plugin.branding.typeName('block') || post.status !== 'publish' || post.password !== '') return ''
  return include(post.id, post.content)
}
