import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { PREVIEW_TOKEN } from '../../content/previews/index.ts'

const ID = /^[1-9]\d{0,14}$/

/**
 * Returns the post to preview: for the holder of a preview link the texts that its token shows; for a user who may edit
 * it the stored post, or the user's newest autosave if the URL has `preview_id` and the nonce of the preview link, and
 * the post was not changed since. Null for other users and for posts in the trash.
 */
export async function previewOf(
  { has, services }: PluginContext,
  { query, user }: SiteRequest,
  scope: RequestCache,
): Promise<Post | null> {
  const { contentTypes, posts } = services
  const token = query.get(PREVIEW_TOKEN)
  if (token !== null && has('previews')) {
    const shown = await services.previews.shownOnPage(token, Number(query.get('p')), scope)
    if (shown !== null && contentTypes.get(shown.type)?.viewable === true) return shown
  }
  if (user.id === 0) return null
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
