import { VISITOR, type PluginContext, type RequestCache } from '../../../../kernel/index.ts'
import type { Post, PostQuery } from '../../../content/posts/index.ts'

/** The most posts that stay at the top. */
const MAX_STICKY_POSTS = 100

/** The first page of a list of posts that begins with those that stay at the top. @param found its posts without them */
export async function withSticky(
  found: readonly Post[],
  query: Omit<PostQuery, 'limit'>,
  { plugin, scope }: { plugin: PluginContext; scope: RequestCache },
): Promise<readonly Post[]> {
  const { posts } = plugin.services
  const excluded = new Set(query.exclude)
  const ids = (await posts.sticky()).filter((id) => !excluded.has(id)).slice(0, MAX_STICKY_POSTS)
  if (ids.length === 0) return found
  const asked = posts.forUser({ ...query, exclude: [], include: ids, limit: ids.length }, VISITOR)
  const sticky = await posts.query(asked, scope)
  const first = new Set(sticky.items.map(({ id }) => id))
  return [...sticky.items, ...found.filter(({ id }) => !first.has(id))]
}
