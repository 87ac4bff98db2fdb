import { VISITOR, type Awaitable } from '../../../../kernel/index.ts'
import type { LeanPost, Post } from '../../../content/posts/index.ts'
import { numberOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'

/**
 * Returns the post a block refers to: the item of the surrounding list, or the post whose content contains the block.
 * Readers of that content can read its post; any other post must be public, because the output is the same for all
 * readers.
 */
export function postOf({ context }: CoreBlock, rendering: Rendering): Awaitable<Post | undefined> {
  const page = pageAround(rendering)
  const currentId = rendering.post?.id ?? page?.post?.id ?? 0
  const id = numberOf(context, 'postId', currentId)
  // The page can show a preview, whose texts differ from the stored post.
  if (page !== null && page.post !== null && id === page.post.id) return page.post
  return id === currentId ? rendering.plugin.services.posts.get(id, rendering.scope) : publicPost(id, rendering)
}

/** Returns a public post of a viewable type, with or without a password; undefined for all others. */
export async function publicPost(
  id: number,
  { plugin, scope }: Pick<Rendering, 'plugin' | 'scope'>,
): Promise<Post | undefined> {
  const { contentTypes, posts } = plugin.services
  const post = await posts.get(id, scope)
  if (post === undefined || contentTypes.get(post.type)?.viewable !== true) return undefined
  return (await posts.isReadable(post, VISITOR, scope)) ? post : undefined
}

/**
 * Whether the texts of a post can be shown. A post with a password is shown inside itself only, after the reader has
 * unlocked it.
 */
export function isOpen(post: Post, rendering: Rendering): boolean {
  if (post.password === '' || post.id === rendering.post?.id) return true
  const page = pageAround(rendering)
  return page !== null && page.isOpened && page.post?.id === post.id
}

/** Returns the title as HTML, with a prefix if the post has a password. */
export function titleOf(post: LeanPost, { plugin }: Pick<Rendering, 'plugin'>): Promise<string> {
  return plugin.services.contentRendering.pageTitle(post)
}

/** Returns the date of the last change; `''` for posts that are unchanged since publication, as in WordPress. */
export function modifiedDate(post: Pick<Post, 'date' | 'modified'> | undefined): string {
  return post !== undefined && post.modified > post.date ? post.modified : ''
}

/** Returns the permalink of a post. */
export function linkOf(post: LeanPost, { plugin, scope }: Pick<Rendering, 'plugin' | 'scope'>): Awaitable<string> {
  return plugin.services.permalinks.post(post, scope)
}
