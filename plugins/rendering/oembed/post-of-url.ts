import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { SiteUrl } from '../../content/permalinks/index.ts'

/** Returns the public post at a URL of the site, or null. */
export async function postOfUrl({ services }: PluginContext, url: SiteUrl): Promise<Post | null> {
  const scope = new RequestCache()
  const isShown = async (post: Post) => services.posts.isReadable(post, VISITOR, scope)
  const found = await services.permalinks.find(url, isShown, scope)
  return found?.kind === 'post' ? found.post : null
}
