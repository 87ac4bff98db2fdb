import type { Post } from '../../../content/posts/index.ts'
import { isOpen, postOf } from '../post/current-post.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'

/** The post around a block, where its comments may be shown. */
export async function openPost(block: CoreBlock, rendering: Rendering): Promise<Post | undefined> {
  const post = await postOf(block, rendering)
  return post !== undefined && isOpen(post, rendering) ? post : undefined
}
