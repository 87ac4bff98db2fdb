import {
  applySyncFilter,
  definePlugin,
  HeaderMap,
  RequestCache,
  syncFilter,
  type HookSpecs,
  type PluginContext,
  type SitePage,
  type SyncFilter,
} from '../../kernel/index.ts'
import type { SiteRequest } from '../requests/site-requests/index.ts'
import { escapeHtml, escapeHtmlOnce, inlineStyle } from '../library/markup/index.ts'

/** Hooks of discovery. */
interface DiscoveryHooks {
  /**
   * Filter: the REST API route of the object that a page of the site shows, which the page links to in a header; `''`
   * for none. @since 0.2.0
   */
  rest_queried_resource_route: SyncFilter<string, [request: SiteRequest]>
}

declare module '../../kernel/index.ts' {
  interface Hooks extends DiscoveryHooks {}
}

const discoveryHooks: HookSpecs<DiscoveryHooks> = {
  rest_queried_resource_route: { ...syncFilter('route', 'request'), accepts: (route) => typeof route === 'string' },
}

/** Types of pages and feeds, which link to the REST API. */
const LINKED_TYPES = /^(?:text\/html|application\/(?:rss|atom|rdf)\+xml)\b/

/**
 * Lets clients discover the REST API: through a `Link` header on pages of the site (specification 4.8) and on responses
 * without links, and through a plain front page if no other plugin serves one.
 */
export default definePlugin({
  name: 'discovery',
  needs: ['site-requests', 'settings'],
  uses: ['posts', 'content-types'],
  hooks: discoveryHooks,
  apply(plugin) {
    const { hooks, services, urls, branding } = plugin
    // Caches the header: the root rarely changes.
    let last = { root: '', link: '' }
    const rootLink = (root: string) => {
      if (root !== last.root) last = { root, link: `<${root}>; rel="${branding.rootRelation}"` }
      return last.link
    }

    hooks.rest_pre_serve_request.tap({ name: 'discovery', stage: 100 }, (served, { response: { headers } }) => {
      if (headers.has('Link')) return served
      const root = urls.rest()
      if (root !== '') headers.set('Link', rootLink(root))
      return served
    })
    hooks.site_headers.tap('discovery', (headers) => {
      if (!LINKED_TYPES.test(headers.get('Content-Type') ?? '') || headers.has('Location')) return
      const root = urls.rest()
      if (root === '') return
      // The link to the root comes first: some clients read only the first link.
      const others = headers.get('Link')
      headers.set('Link', others === null ? rootLink(root) : `${rootLink(root)}, ${others}`)
    })
    hooks.site_request.tapPromise({ name: 'discovery', stage: 100 }, async (page, request) => {
      const { method, path } = request
      const isFront = path === '/' || path === '/index.php'
      if (page !== null || !isFront || (method !== 'GET' && method !== 'HEAD')) return page
      const postRoute = await routeOfQuery(plugin, request)
      if (postRoute === null) return null
      const { title, description } = await services.options.many(['title', 'description'])
      const front = frontPage(textOf(title), textOf(description), urls.rest(), branding.rootRelation)
      const route = applySyncFilter(hooks.rest_queried_resource_route, postRoute, request)
      if (route !== '')
        front.headers.append('Link', `<${urls.rest(route)}>; rel="alternate"; title="JSON"; type="application/json"`)
      return front
    })
  },
})

/** Query parameters of plain URLs that contain a post ID: `/?p=12`. */
const ID_PARAMETERS = ['p', 'page_id', 'attachment_id']

/** Returns the route of the post in a plain URL; `''` if the URL has none, null if the user cannot read the post. */
async function routeOfQuery({ has, services }: PluginContext, { query, user }: SiteRequest): Promise<string | null> {
  const id = ID_PARAMETERS.map((name) => query.get(name)).find(
    (value) => value !== null && /^[1-9]\d{0,14}$/.test(value),
  )
  if (id === undefined || id === null || !has('posts') || !has('content-types')) return ''
  const { contentTypes, posts } = services
  const scope = new RequestCache()
  const post = await posts.get(Number(id), scope)
  const isShown = post !== undefined && contentTypes.get(post.type)?.viewable === true
  return isShown && (await posts.isReadable(post, user, scope)) ? contentTypes.itemRoute(post) : null
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

const FRONT_STYLE = inlineStyle(
  'body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }',
)

function frontPage(title: string, description: string, root: string, relation: string): SitePage {
  const name = escapeHtmlOnce(title === '' ? 'A site without a name' : title)
  const url = escapeHtml(root)
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${name}</title>
<link rel="${escapeHtml(relation)}" href="${url}">
${FRONT_STYLE.element}
<h1>${name}</h1>
<p>${escapeHtmlOnce(description)}</p>
<p>The content of this site is served as JSON. Its REST API begins at <a href="${url}">${url}</a>.</p>
</html>
`
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': `default-src 'none'; style-src ${FRONT_STYLE.source}; base-uri 'none'; form-action 'none'`,
  })
  return { status: 200, headers, body }
}
