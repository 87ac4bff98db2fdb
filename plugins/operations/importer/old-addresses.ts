import { addQuery, HeaderMap, VISITOR, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import { siteUrl, type FoundPage } from '../../content/permalinks/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { addressOf, decoded, findByAddress, findByOldId, type FoundObject } from './old-sites/addresses.ts'
import type { MappedKind } from './old-sites/tables.ts'

/** Objects to check for one address. */
const MAX_OBJECTS = 5
/** Query parameters with the ID of an object, as plain URLs have them. */
const ID_PARAMETERS: Readonly<Record<string, { kind: MappedKind; taxonomy: string }>> = {
  p: { kind: 'post', taxonomy: '' },
  page_id: { kind: 'post', taxonomy: '' },
  attachment_id: { kind: 'post', taxonomy: '' },
  cat: { kind: 'term', taxonomy: 'category' },
  author: { kind: 'user', taxonomy: '' },
}
const ID = /^[1-9]\d{0,9}$/

/** The page of an object that a URL requests: its feed, or a further page of its list. */
interface Part {
  /** Format of the feed, such as `atom`; `''` for the default format, null for the page. */
  readonly feed: string | null
  readonly page: number
}

const WHOLE: Part = { feed: null, page: 1 }

/**
 * Returns a redirect for the URL of an imported object on its old site, if no page of this site has the URL; null if no
 * object that visitors may see had it. Feeds and further pages of the URL redirect, too, as do URLs with IDs of the old
 * site if it is the only one.
 */
export async function redirectOf(plugin: PluginContext, request: SiteRequest): Promise<SitePage | null> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  for (const { object, part } of await candidatesOf(plugin, request)) {
    const url = await urlOf(plugin, object, request)
    // The pages of a post are not those of a list.
    const isWhole = url === null || (object.kind === 'post' && part.feed === null)
    const target = isWhole ? url : await urlOfPart(plugin, url, part, request)
    // The object has the URL, but not for this visitor.
    if (target === null || isSame(plugin, target, request)) continue
    // Clients must revalidate this redirect: another post may get the URL later.
    return { status: 301, headers: new HeaderMap({ Location: target, 'Cache-Control': 'no-cache' }), body: null }
  }
  return null
}

/** The objects that the URL can have belonged to, the most probable first. */
async function candidatesOf(
  plugin: PluginContext,
  request: SiteRequest,
): Promise<{ object: FoundObject; part: Part }[]> {
  const { store } = plugin.services
  const path = addressOf(request.path, '')
  const { part, rest } = partOf(path, request.query)
  const whole = await findByAddress(store, [...new Set([addressOf(request.path, queryOf(request)), path])])
  const candidates = whole.slice(0, MAX_OBJECTS).map((object) => ({ object, part: path === rest ? part : WHOLE }))
  // The page itself is here: only the requested part is missing.
  if (path !== rest && !(await isPage(plugin, rest, request))) {
    const found = await findByAddress(store, [rest])
    candidates.push(...found.slice(0, MAX_OBJECTS).map((object) => ({ object, part })))
  }
  const named = path === '/' && !request.query.has('preview') ? await objectWithId(plugin, request.query) : null
  return named === null ? candidates : [...candidates, { object: named, part }]
}

/** Splits a path into the path of a page and the requested part: `/news/feed/atom`, `/news/page/2`. */
function partOf(path: string, query: URLSearchParams): { rest: string; part: Part } {
  const feed = /^(.+)\/feed(?:\/(feed|rss|rss2|rdf|atom))?$/.exec(path)
  if (feed !== null) return { rest: feed[1]!, part: { feed: feed[2] === 'atom' ? 'atom' : '', page: 1 } }
  const paged = /^(.+)\/page\/([1-9]\d{0,8})$/.exec(path)
  if (paged !== null) return { rest: paged[1]!, part: { feed: null, page: Number(paged[2]) } }
  const comments = /^(.+)\/comment-page-[1-9]\d{0,8}$/.exec(path)
  if (comments !== null) return { rest: comments[1]!, part: WHOLE }
  const page = query.get('paged') ?? ''
  const format = query.get('feed')
  return {
    rest: path,
    part: { feed: format === null ? null : format === 'atom' ? 'atom' : '', page: ID.test(page) ? Number(page) : 1 },
  }
}

/** The object that a plain URL of the old site names: `?p=12`, `?cat=3`, `?author=1`. */
async function objectWithId(
  { branding, services }: PluginContext,
  query: URLSearchParams,
): Promise<FoundObject | null> {
  for (const [name, { kind, taxonomy }] of Object.entries(ID_PARAMETERS)) {
    const value = query.get(name)
    if (value === null) continue
    if (!ID.test(value)) return null
    return await findByOldId(services.store, kind, Number(value), taxonomy && branding.ownTypeName(taxonomy))
  }
  return null
}

/** Returns the public URL of an object; null if visitors cannot see it. */
async function urlOf(
  plugin: PluginContext,
  { kind, id, type }: FoundObject,
  request: SiteRequest,
): Promise<string | null> {
  const { has, services } = plugin
  const { scope } = request
  const { contentTypes, permalinks, posts } = services
  if (kind === 'post') {
    const post = await posts.get(id, scope)
    if (post === undefined || contentTypes.get(post.type)?.viewable !== true) return null
    if (post.status !== 'publish' && post.status !== 'inherit') return null
    return (await posts.isReadable(post, VISITOR, scope)) ? await permalinks.post(post, scope) : null
  }
  let url: string | null = null
  if (kind === 'term' && has('terms')) {
    const term = await services.terms.get(id, scope)
    if (term !== undefined) url = await permalinks.term(term, scope)
  } else if (kind === 'user' && has('users')) {
    const { items } = await services.users.query({ include: [id], orderBy: 'id', order: 'asc', limit: 1, offset: 0 })
    if (items[0] !== undefined) url = await permalinks.author(items[0], scope)
  } else if (kind === 'type') {
    const registered = contentTypes.get(type)
    if (registered?.viewable === true && registered.has_archive !== false) {
      url = await permalinks.typeArchive(registered, scope)
    }
  }
  // Not every list is public: an author without published posts has no page.
  const page = url === null ? null : siteUrl(url, plugin)
  return page !== null && (await find(plugin, page, request)) !== null ? url : null
}

/** Returns the URL of the feed or of a further page. */
async function urlOfPart(
  { services }: PluginContext,
  url: string,
  { feed, page }: Part,
  { scope }: SiteRequest,
): Promise<string> {
  const { permalinks } = services
  if (feed === null) return permalinks.paged(url, page, await permalinks.structure(scope))
  if (url.includes('?')) return addQuery(url, { feed: feed || 'rss2' })
  return `${url.replace(/\/?$/, '/')}feed/${feed === '' ? '' : `${feed}/`}`
}

/** Whether a page of this site has this path as its own. */
async function isPage(plugin: PluginContext, path: string, request: SiteRequest): Promise<boolean> {
  const found = await find(plugin, { path, query: new URLSearchParams() }, request)
  const own = found === null || found.url === null ? null : siteUrl(found.url, plugin)
  return own !== null && addressOf(own.path, '') === path
}

/** Finds a page as visitors do. */
async function find(
  { services }: PluginContext,
  url: { path: string; query: URLSearchParams },
  { scope }: SiteRequest,
): Promise<FoundPage | null> {
  const { permalinks, posts } = services
  return await permalinks.find(url, async (post) => posts.isReadable(post, VISITOR, scope), scope)
}

/** Whether a URL of this site is the requested one. */
function isSame(plugin: PluginContext, target: string, request: SiteRequest): boolean {
  const { basePath } = plugin.urls
  const { pathname, search } = new URL(target)
  const path = decoded(pathname)
  const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
  if (search === '' && request.path !== '/') return addressOf(below, '') === addressOf(request.path, '')
  return addressOf(below, decoded(search)) === addressOf(request.path, queryOf(request))
}

function queryOf({ url }: SiteRequest): string {
  const question = url.indexOf('?')
  return question === -1 ? '' : decoded(url.slice(question))
}
