import { decodePath, VISITOR, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { encodeName } from '../../resources/index.ts'
import type { FoundPage } from '../../content/permalinks/index.ts'
import type { FeedUrl } from './feed-url.ts'

/**
 * The subject of a feed. The feed of a post lists its comments, except those of a static front page and of the posts
 * page, which list the newest posts; date archives have no feed.
 */
export type FeedSubject = Exclude<FoundPage, { kind: 'date' }> | { readonly kind: 'comments' }

/**
 * Returns the subject of a feed if visitors may read it; null if there is no subject, or the URL is not its canonical
 * URL.
 */
export async function subjectOf(
  plugin: PluginContext,
  { path, ofComments }: FeedUrl,
  query: SiteRequest['query'],
  scope: RequestCache,
): Promise<FeedSubject | null> {
  if (ofComments) return { kind: 'comments' }
  const { services, urls } = plugin
  const { permalinks, posts } = services
  const isShown = async (post: Parameters<typeof posts.isReadable>[0]) => posts.isReadable(post, VISITOR, scope)
  const found = await permalinks.find({ path, query }, isShown, scope)
  if (found === null || found.kind === 'date') return null
  if (found.kind === 'post') {
    const isNamed = permalinks.parameters().some((name) => query.has(name))
    const chosen = await permalinks.frontPages(scope)
    const isFront = found.post.id === chosen.front && !isNamed
    if (found.post.id === chosen.posts || isFront)
      return { kind: 'home', url: await permalinks.home(scope), page: found.page }
  }
  if (path === '/' || found.url === null) return found
  const own = decodePath(new URL(found.url).pathname)?.replace(/\/?$/, '/')
  // Feeds accept the spellings of a path that pages accept.
  return own !== undefined && encodeName(own) === encodeName(`${urls.basePath}${path}`) ? found : null
}
