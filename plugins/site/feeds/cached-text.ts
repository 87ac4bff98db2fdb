import { HeaderMap, RequestCache, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { etagOf, includesEtag } from '../../requests/conditional/index.ts'
import { fragmentsOf } from '../../library/caching/index.ts'

/** A text document that is the same for all readers. */
export interface Document {
  /** Cache key; null if the document is not cacheable. */
  readonly key: string | null
  readonly type: string
  /** Renders the document; null if it does not exist. */
  render(this: void, scope: RequestCache): Promise<string | null>
}

/**
 * Returns a document from the response cache, or renders it if it is not cached or has no key. The status is 304 if
 * `If-None-Match` contains the ETag of the document. Null if the document does not exist.
 */
export async function cachedText(
  { has, server, services }: PluginContext,
  request: SiteRequest,
  { key, type, render }: Document,
): Promise<SitePage | null> {
  const renderPage = async (): Promise<SitePage | null> => {
    const scope = new RequestCache()
    fragmentsOf(server).begin({ method: 'GET', scope })
    const body = await render(scope)
    if (body === null) return null
    const headers = new HeaderMap({ 'Content-Type': `${type}; charset=UTF-8`, 'X-Content-Type-Options': 'nosniff' })
    return { status: 200, headers, body }
  }
  const isCached = key !== null && has('response-cache')
  const page = isCached ? await services.responseCache.page(request, key, renderPage) : await renderPage()
  // The response cache adds the ETag and handles If-None-Match itself.
  if (page === null || typeof page.body !== 'string' || page.headers.has('ETag')) return page
  const etag = etagOf(page.body)
  page.headers.set('ETag', etag)
  page.headers.set('Cache-Control', 'public, max-age=0, must-revalidate')
  const ifNoneMatch = request.headers.get('if-none-match')
  return ifNoneMatch !== null && includesEtag(ifNoneMatch, etag, 'weak') ? { ...page, status: 304, body: null } : page
}
