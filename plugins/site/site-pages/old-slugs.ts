import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import { OLD_SLUG_KEY } from '../../content/meta-keys.ts'
import { matchStructure, namesIn } from '../../content/permalinks/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { encodeName, slugsOfName } from '../../resources/index.ts'

/** Maximum number of former slugs per post; the oldest are dropped. */
const MAX_OLD_SLUGS = 20
/** Maximum number of posts to check for one former slug. */
const MAX_POSTS = 5
/** Maximum number of names in a path to look up. */
const MAX_NAMES = 3

/**
 * Stores the former slug of a post that was published before the change and still is, so that old links redirect to it.
 */
export async function rememberSlug({ has, services }: PluginContext, post: Post, before: Post): Promise<void> {
  if (before.slug === '' || !has('meta')) return
  if (before.status !== 'publish' || post.status !== 'publish') return
  if (services.contentTypes.get(post.type)?.viewable !== true) return
  const scope = new RequestCache()
  const rows = await services.meta.rows('post', post.id, scope)
  const storedSlugs = rows.flatMap(({ key, value }) =>
    key === OLD_SLUG_KEY && typeof value === 'string' ? [value] : [],
  )
  const slugs = [...storedSlugs.filter((slug) => slug !== before.slug), before.slug].filter(
    (slug) => slug !== post.slug,
  )
  await services.meta.write('post', post.id, OLD_SLUG_KEY, slugs.slice(-MAX_OLD_SLUGS), scope)
}

/** Returns the URL of the published post that once had the slug in a path, or null. */
export async function urlOfOldSlug(
  { has, services }: PluginContext,
  path: string,
  scope: RequestCache,
): Promise<string | null> {
  if (!has('meta')) return null
  const { contentTypes, meta, permalinks, posts } = services
  const { path: own } = await permalinks.resolved({ path, query: new URLSearchParams() }, scope)
  const name = encodeName(own.replace(/\/$/, ''))
  const { parts } = await permalinks.structure(scope)
  const slugs = namesIn(name, matchStructure(parts, name))
    .slice(0, MAX_NAMES)
    .flatMap((one) => slugsOfName(one))
  for (const slug of slugs) {
    for (const id of await meta.ownersOf('post', OLD_SLUG_KEY, slug, MAX_POSTS)) {
      const post = await posts.get(id, scope)
      if (post?.status !== 'publish' || contentTypes.get(post.type)?.viewable !== true) continue
      if (await posts.isReadable(post, VISITOR, scope)) return permalinks.post(post, scope)
    }
  }
  return null
}
