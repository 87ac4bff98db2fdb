import { HeaderMap, RequestCache, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { etagOf, includesEtag } from '../../requests/conditional/index.ts'
import { fragmentsOf } from '../../library/caching/index.ts'

/** A text to be sent, the same for all readers. */
export interface Document {
  /** What tells it from others; null where it is made anew each time. */
  readonly key: string | null
  readonly type: string
  /** Makes it; null where there is none. */
  make(this: void, scope: RequestCache): Promise<string | null>
}

/** A document that is kept as responses are; who has it already gets 304. Null where there is none. */
export async function keptText(
  { has, server, services }: PluginContext,
  request: SiteRequest,
  { key, type, make }: Document,
): Promise<SitePage | null> {
  const makePage = async (): Promise<SitePage | null> => {
    const scope = new RequestCache()
    fragmentsOf(server).begin({ method: 'GET', scope })
    const body = await make(scope)
    if (body === null) return null
    const headers = new HeaderMap({ 'Content-Type': `${type}; charset=UTF-8`, 'X-Content-Type-Options': 'nosniff' })
    return { status: 200, headers, body }
  }
  const isKept = key !== null && has('response-cache')
  const page = isKept ? await services.responseCache.page(request, key, makePage) : await makePage()
  // What is kept has its tag, and is compared with what the client has, where it is sent.
  if (page === null || typeof page.body !== 'string' || page.headers.has('ETag')) return page
  const etag = etagOf(page.body)
  page.headers.set('ETag', etag)
  page.headers.set('Cache-Control', 'public, max-age=0, must-revalidate')
  const known = request.headers.get('if-none-match')
  return known !== null && includesEtag(known, etag, 'weak') ? { ...page, status: 304, body: null } : page
}
