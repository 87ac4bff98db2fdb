import type { Post } from '../../../content/posts/index.ts'
import { isOpen, postOf } from '../post/current-post.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'

/** Returns the current post if its comments can be shown. */
export async function openPost(block: CoreBlock, rendering: Rendering): Promise<Post | undefined> {
  const post = await postOf(block, rendering)
  return post !== undefined && isOpen(post, rendering) ? post : undefined
}
