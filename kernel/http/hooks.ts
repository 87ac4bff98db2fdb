import {
  filter,
  syncAction,
  syncFilter,
  type Filter,
  type HookSpecs,
  type SyncAction,
  type SyncFilter,
} from '../hooks/hook.ts'
import type { HeaderMap } from './headers.ts'
import type { SitePage, SiteRequest } from './site-request.ts'

/** The hooks of requests before it is known that they are for the REST API, and of those that are not. */
interface SiteHooks {
  /** Filter: the REST route that a URL names, or null for a page of the site. @since 0.1.0 */
  rest_route_of_address: SyncFilter<string | null, [path: string, query: URLSearchParams]>
  /** Filter: the response to a URL outside the REST API; null becomes a 404. @since 0.1.0 */
  site_request: Filter<SitePage | null, [request: SiteRequest]>
  /** Filter: a page of the site, or the 404 in its place, about to be sent; a tap may encode its body. @since 0.1.0 */
  site_page: Filter<SitePage, [request: SiteRequest]>
  /** Action: the headers of a page of the site are about to be sent and may still change. @since 0.1.0 */
  site_headers: SyncAction<[headers: HeaderMap, request: SiteRequest]>
}

declare module '../hooks/hook.ts' {
  interface Hooks extends SiteHooks {}
}

export const siteHooks: HookSpecs<SiteHooks> = {
  rest_route_of_address: {
    ...syncFilter('route', 'path', 'query'),
    accepts: (route) => route === null || typeof route === 'string',
  },
  site_request: filter('page', 'request'),
  site_page: filter('page', 'request'),
  site_headers: syncAction('headers', 'request'),
}
