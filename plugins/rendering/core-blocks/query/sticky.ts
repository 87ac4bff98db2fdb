import type { PluginContext, RequestCache } from '../../../../kernel/index.ts'
import type { Post, PostQuery } from '../../../content/posts/index.ts'

/** Maximum sticky posts at the top of a list. */
const MAX_STICKY_POSTS = 100

/** Puts sticky posts at the top of the first page of a list. @param found posts of that page */
export async function withSticky(
  found: readonly Post[],
  query: Omit<PostQuery, 'limit'>,
  { plugin, scope }: { plugin: PluginContext; scope: RequestCache },
): Promise<readonly Post[]> {
  const { posts } = plugin.services
  const excluded = new Set(query.exclude)
  const ids = (await posts.sticky()).filter((id) => !excluded.has(id)).slice(0, MAX_STICKY_POSTS)
  if (ids.length === 0) return found
  const stickyQuery = await posts.forPage({ ...query, exclude: [], include: ids, limit: ids.length }, scope)
  const sticky = await posts.query(stickyQuery, scope)
  const first = new Set(sticky.items.map(({ id }) => id))
  return [...sticky.items, ...found.filter(({ id }) => !first.has(id))]
}
