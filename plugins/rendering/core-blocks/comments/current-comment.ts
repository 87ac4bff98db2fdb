import type { Comment } from '../../../content/comments/index.ts'
import { numberOf } from '../attributes.ts'
import { publicPost } from '../post/current-post.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'

/** Returns the current comment, if it is approved and its post is readable. */
export async function commentOf(
  { context }: Pick<CoreBlock, 'context'>,
  rendering: Rendering,
): Promise<Comment | undefined> {
  const { plugin, post, scope } = rendering
  const comment = await plugin.services.comments.get(numberOf(context, 'commentId', 0), scope)
  if (comment === undefined || comment.approved !== '1' || comment.type === 'note') return undefined
  if (comment.post_id === post?.id) return comment
  const commentedPost = await publicPost(comment.post_id, rendering)
  return commentedPost?.password === '' ? comment : undefined
}

/** Returns the URL of a comment on the page of its post. */
export async function commentLink(comment: Comment, { plugin, scope }: Rendering): Promise<string> {
  const { permalinks, posts } = plugin.services
  const post = await posts.get(comment.post_id, scope)
  return `${post === undefined ? plugin.urls.site() : await permalinks.post(post, scope)}#comment-${comment.id}`
}
