import { decodePath, RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'

/** Query variables of URLs that name a post by its ID. */
const ID_VARIABLES = ['p', 'page_id', 'attachment_id'] as const
/** The most posts of one slug that are looked at. */
const MAX_POSTS = 50
/** Characters of a URL that may be one of the site. */
const LONGEST_URL = 2000

/** The parts of a URL that say which page of the site it is. */
interface SiteUrl {
  /** Decoded, without the slashes at its end; '' for the home page. */
  path: string
  query: URLSearchParams
}

/** A URL of the site as it is compared; null for one of another site. The scheme may be the other one. */
export function siteUrl(text: string, { urls }: Pick<PluginContext, 'urls'>): SiteUrl | null {
  const url = text.length > LONGEST_URL ? null : URL.parse(text)
  const home = new URL(urls.home)
  if (url === null || url.host !== home.host || !/^https?:$/.test(url.protocol)) return null
  const path = decodePath(url.pathname)
  if (path === null || !`${path}/`.startsWith(`${urls.basePath}/`)) return null
  return { path: path.slice(urls.basePath.length).replace(/\/$/, ''), query: url.searchParams }
}

/**
 * The post whose page a URL of the site is, where everybody may see that page. Candidates are found by ID or slug; what
 * decides is the URL that they have.
 */
export async function postOfUrl(plugin: PluginContext, { path, query }: SiteUrl): Promise<Post | null> {
  const { contentTypes, posts } = plugin.services
  const scope = new RequestCache()
  const named = ID_VARIABLES.map((name) => query.get(name)).find((value) => value !== null)
  const found =
    named === undefined
      ? await candidates(plugin, { path, query }, scope)
      : [/^\d{1,15}$/.test(named) && path === '' ? await posts.getAttached(Number(named), scope) : undefined]
  for (const post of found) {
    if (post === undefined || contentTypes.get(post.type)?.viewable !== true) continue
    if (!(await posts.isReadable(post, VISITOR, scope))) continue
    if (named !== undefined || (await hasUrl(plugin, post, { path, query }, scope))) return post
  }
  return null
}

async function candidates(plugin: PluginContext, url: SiteUrl, scope: RequestCache): Promise<(Post | undefined)[]> {
  const { contentTypes, options, posts } = plugin.services
  const types = contentTypes.all().filter((type) => type.viewable)
  const last = url.path.slice(url.path.lastIndexOf('/') + 1)
  const variables = types.flatMap(({ query_var: name }) => (name === false ? [] : [url.query.get(name)]))
  const slugs = [last, ...variables].filter((slug): slug is string => slug !== null && slug !== '')
  if (slugs.length === 0) {
    const front = Number(await options.get('page_on_front', 0))
    return front > 0 ? [await posts.get(front, scope)] : []
  }
  const ids = url.path.split('/').filter((part) => /^\d{1,15}$/.test(part))
  const byId = await Promise.all(ids.slice(0, 5).map(async (id) => posts.getAttached(Number(id), scope)))
  const { items } = await posts.query(
    {
      types: types.map(({ name }) => name),
      statuses: ['publish', 'inherit'],
      slug: slugs.slice(0, 5).map((slug) => slug.toLowerCase()),
      readScope: null,
      opens: null,
      limit: MAX_POSTS,
    },
    scope,
  )
  return [...items, ...byId]
}

async function hasUrl(plugin: PluginContext, post: Post, asked: SiteUrl, scope: RequestCache): Promise<boolean> {
  await plugin.services.posts.getAttached(post.id, scope)
  const own = siteUrl(await plugin.services.permalinks.post(post, scope), plugin)
  if (own === null || own.path.toLowerCase() !== asked.path.toLowerCase()) return false
  return [...own.query].every(([name, value]) => asked.query.get(name) === value)
}
