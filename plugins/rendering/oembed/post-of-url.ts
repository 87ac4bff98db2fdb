import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { SiteUrl } from '../../content/permalinks/index.ts'

/** The post whose page a URL of the site is, where everybody may see that page. */
export async function postOfUrl({ services }: PluginContext, url: SiteUrl): Promise<Post | null> {
  const scope = new RequestCache()
  const isShown = async (post: Post) => services.posts.isReadable(post, VISITOR, scope)
  const found = await services.permalinks.find(url, isShown, scope)
  return found?.kind === 'post' ? found.post : null
}
