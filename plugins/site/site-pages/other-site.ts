import { HeaderMap, type SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'

/** Query parameters that grant access; they must not leave this site. */
const SECRET_PARAMS = /nonce|password|token/i

/**
 * Redirects a client to the same path of the front end. The status is 307: browsers cache a 308 permanently, even after
 * pages are served here again. The host is always that of the option.
 * @param origin scheme and host
 */
export function otherSite(origin: string, { path, query }: SiteRequest): SitePage {
  const url = new URL(origin)
  // Not resolved against the origin: `//elsewhere.example` would change the host.
  url.pathname = path.split('/').map(encodeURIComponent).join('/')
  for (const [name, value] of query) if (!SECRET_PARAMS.test(name)) url.searchParams.append(name, value)
  return { status: 307, headers: new HeaderMap({ Location: url.href, 'Cache-Control': 'no-cache' }), body: null }
}
