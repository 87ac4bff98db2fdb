import { VISITOR, type Awaitable } from '../../../../kernel/index.ts'
import type { LeanPost, Post } from '../../../content/posts/index.ts'
import { numberOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'

/**
 * The post that a block is about: that of the list around it, or the one whose content it is in. Whoever reads that one
 * may read it; another has to be open to everybody, as what is rendered is the same for all readers.
 */
export function postOf({ context }: CoreBlock, rendering: Rendering): Awaitable<Post | undefined> {
  const page = pageAround(rendering)
  const around = rendering.post?.id ?? page?.post?.id ?? 0
  const id = numberOf(context, 'postId', around)
  // As the page shows it: a preview has other texts than what is stored.
  if (page !== null && page.post !== null && id === page.post.id) return page.post
  return id === around ? rendering.plugin.services.posts.get(id, rendering.scope) : publicPost(id, rendering)
}

/** A post that everybody may read, its password aside, of a type that has pages; undefined for others. */
export async function publicPost(id: number, { plugin, scope }: Rendering): Promise<Post | undefined> {
  const { contentTypes, posts } = plugin.services
  const post = await posts.get(id, scope)
  if (post === undefined || contentTypes.get(post.type)?.viewable !== true) return undefined
  return (await posts.isReadable(post, VISITOR, scope)) ? post : undefined
}

/** Whether the texts of a post may be shown: of one with a password only inside itself, where a reader has opened it. */
export function isOpen(post: Post, rendering: Rendering): boolean {
  if (post.password === '' || post.id === rendering.post?.id) return true
  const page = pageAround(rendering)
  return page !== null && page.isOpened && page.post?.id === post.id
}

/** The title as HTML; that of a protected post says so. */
export async function titleOf(post: LeanPost, { plugin }: Rendering): Promise<string> {
  const title = await plugin.services.contentRendering.title(post)
  return post.password === '' || title === '' ? title : `Protected: ${title}`
}

/** The URL of a post. */
export function linkOf(post: LeanPost, { plugin, scope }: Rendering): Awaitable<string> {
  return plugin.services.permalinks.post(post, scope)
}
