import { HeaderMap, type SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'

/** Parameters that let somebody in: they are for this site alone. */
const SECRETS = /nonce|password|token/i

/**
 * Sends a client to the same path of the front end. The status is 307: browsers keep a 308 for ever, also when the pages
 * have come back here. The host is that of the option, whatever the path is.
 * @param origin scheme and host
 */
export function otherSite(origin: string, { path, query }: SiteRequest): SitePage {
  const url = new URL(origin)
  // Not resolved against it: `//elsewhere.example` would be another host.
  url.pathname = path.split('/').map(encodeURIComponent).join('/')
  for (const [name, value] of query) if (!SECRETS.test(name)) url.searchParams.append(name, value)
  return { status: 307, headers: new HeaderMap({ Location: url.href, 'Cache-Control': 'no-cache' }), body: null }
}
