import { HeaderMap, VISITOR, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { addressOf, decoded, findByAddress } from './old-sites/addresses.ts'
import type { MappedKind } from './old-sites/tables.ts'

/** Objects to check for one address. */
const MAX_OBJECTS = 5

/**
 * Returns a redirect for the URL of an imported object on its old site, if no page of this site has the URL; null if no
 * object that visitors may see had it.
 */
export async function redirectOf(plugin: PluginContext, request: SiteRequest): Promise<SitePage | null> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  const question = request.url.indexOf('?')
  const query = question === -1 ? '' : decoded(request.url.slice(question))
  const path = addressOf(request.path, '')
  const whole = addressOf(request.path, query)
  const objects = await findByAddress(plugin.services.store, [...new Set([whole, path])])
  for (const { kind, id } of objects.slice(0, MAX_OBJECTS)) {
    const target = await urlOf(plugin, kind, id, request)
    // The object has the URL, but not for this visitor.
    if (target === null || addressOf(decoded(new URL(target).pathname), '') === path) continue
    // Clients must revalidate this redirect: another post may get the URL later.
    return { status: 301, headers: new HeaderMap({ Location: target, 'Cache-Control': 'no-cache' }), body: null }
  }
  return null
}

/** Returns the public URL of an object; null if visitors cannot see it. */
async function urlOf(
  { has, services }: PluginContext,
  kind: MappedKind,
  id: number,
  { scope }: SiteRequest,
): Promise<string | null> {
  const { contentTypes, permalinks, posts, taxonomies, terms } = services
  if (kind === 'post') {
    const post = await posts.get(id, scope)
    if (post === undefined || contentTypes.get(post.type)?.viewable !== true) return null
    if (post.status !== 'publish' && post.status !== 'inherit') return null
    return (await posts.isReadable(post, VISITOR, scope)) ? await permalinks.post(post, scope) : null
  }
  if (kind === 'term' && has('terms')) {
    const term = await terms.get(id, scope)
    if (term === undefined || taxonomies.get(term.taxonomy)?.public !== true) return null
    return await permalinks.term(term, scope)
  }
  return null
}
