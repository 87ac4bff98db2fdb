import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'

/** Key of the hidden meta with the former slugs of a post; imports fill it, too. */
const META_KEY = '_old_slug'
/** Maximum number of former slugs per post; the oldest are dropped. */
const MAX_OLD_SLUGS = 20
/** Maximum number of posts to check for one former slug. */
const MAX_POSTS = 5

/**
 * Stores the former slug of a post that was published before the change and still is, so that old links redirect to it.
 */
export async function rememberSlug({ has, services }: PluginContext, post: Post, before: Post): Promise<void> {
  if (before.slug === '' || !has('meta')) return
  if (before.status !== 'publish' || post.status !== 'publish') return
  if (services.contentTypes.get(post.type)?.viewable !== true) return
  const scope = new RequestCache()
  const rows = await services.meta.rows('post', post.id, scope)
  const storedSlugs = rows.flatMap(({ key, value }) => (key === META_KEY && typeof value === 'string' ? [value] : []))
  const slugs = [...storedSlugs.filter((slug) => slug !== before.slug), before.slug].filter(
    (slug) => slug !== post.slug,
  )
  await services.meta.write('post', post.id, META_KEY, slugs.slice(-MAX_OLD_SLUGS), scope)
}

/** Returns the URL of the published post that once had the last segment of the path as its slug, or null. */
export async function urlOfOldSlug(
  { has, services }: PluginContext,
  path: string,
  scope: RequestCache,
): Promise<string | null> {
  const slug = path.replace(/\/$/, '').split('/').at(-1)!.toLowerCase()
  if (slug === '' || !has('meta')) return null
  const { contentTypes, meta, permalinks, posts } = services
  for (const id of await meta.ownersOf('post', META_KEY, slug, MAX_POSTS)) {
    const post = await posts.get(id, scope)
    if (post?.status !== 'publish' || contentTypes.get(post.type)?.viewable !== true) continue
    if (await posts.isReadable(post, VISITOR, scope)) return permalinks.post(post, scope)
  }
  return null
}
