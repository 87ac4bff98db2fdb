import type { AttachmentData } from '../../../content/media/index.ts'
import type { LeanPost } from '../../../content/posts/index.ts'
import { numberIn, objectOf } from '../attributes.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'
import { postOf } from './current-post.ts'

/** Default image size, if a theme registers it. */
export const FEATURED_SIZE = 'post-thumbnail'

/** The featured image of a post. */
export interface FeaturedImageData {
  readonly id: number
  readonly data: AttachmentData
}

/** Returns the featured image of a post; null if it has none. */
export async function featuredImageOf(
  post: Pick<LeanPost, 'id'>,
  { plugin, scope }: Rendering,
): Promise<FeaturedImageData | null> {
  const { media, posts } = plugin.services
  const attachment = await posts.get(await posts.featuredMedia(post.id, scope), scope)
  if (attachment?.type !== 'attachment') return null
  return { id: attachment.id, data: await media.data(attachment, scope) }
}

/** Returns the featured image of the post that a block refers to, with the focal point of the block. */
export async function featuredImageFor(block: CoreBlock, rendering: Rendering): Promise<FeaturedImageData | null> {
  const post = await postOf(block, rendering)
  const image = post === undefined ? null : await featuredImageOf(post, rendering)
  if (image === null) return null
  const { x, y } = objectOf(block.attributes, 'focalPoint')
  const [across, down] = [numberIn(x), numberIn(y)]
  if (across === null || down === null) return image
  const focalPoint = { x: Math.min(Math.max(across, 0), 1), y: Math.min(Math.max(down, 0), 1) }
  return { ...image, data: { ...image.data, focalPoint } }
}
