import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { Post } from '../../content/posts/index.ts'

const ID = /^[1-9]\d{0,14}$/

/**
 * The post that a request wants to see before others do, to a user who may change it: as it is stored, or as they have
 * saved it beside that where `preview_id` names it, with the nonce of its link. Null for no preview.
 */
export async function previewOf(
  { has, services }: PluginContext,
  { query, user }: SiteRequest,
  scope: RequestCache,
): Promise<Post | null> {
  if (user.id === 0) return null
  const { contentTypes, posts } = services
  const id = ['preview_id', 'p', 'page_id'].map((name) => query.get(name)).find((value) => value !== null) ?? ''
  const post = ID.test(id) ? await posts.get(Number(id), scope) : undefined
  if (post === undefined || post.status === 'trash' || contentTypes.get(post.type)?.viewable !== true) return null
  if (!(await posts.isReadableForEditing(post, user, scope))) return null
  const nonce = query.get('preview_nonce')
  if (!query.has('preview_id') || nonce === null || !has('cookie-auth')) return post
  if (services.nonces.verify(nonce, `post_preview_${post.id}`, user) === false) return post
  const saved = await posts.newestAutosave(post.id)
  if (saved === undefined || saved.author_id !== user.id || saved.modified_gmt < post.modified_gmt) return post
  const { title, content, excerpt } = saved
  return { ...post, title, content, excerpt }
}
