import {
  action,
  filter,
  syncAction,
  syncFilter,
  type Action,
  type Filter,
  type HookSpecs,
  type SyncAction,
  type SyncFilter,
} from '../hooks/hook.ts'
import { HeaderMap } from './headers.ts'
import type { ReceivedRequest, SentResponse } from './received-request.ts'
import type { SitePage, SiteRequest } from './site-request.ts'

/** The hooks of every request, of requests before it is known that they are for the REST API, and of those that are not. */
interface SiteHooks {
  /**
   * Filter: the response to a request that has just arrived, for REST, pages and files alike; null goes on. Nothing else has
   * been done yet: no route, no user, no body, no kept response. A tap refuses by throwing an error for clients, and may have
   * headers added to whatever response there will be. @since 0.1.0
   */
  request_received: Filter<SitePage | null, [request: ReceivedRequest], 'method'>
  /**
   * Action: the last byte of a response has left, or its client has: once for each request that `request_received` was run
   * for, also where it was refused. Taps wait for nobody and nobody waits for them; their failures are logged. @since 0.1.0
   */
  response_sent: Action<[sent: SentResponse, request: ReceivedRequest], 'method'>
  /** Filter: the REST route that a URL names, or null for a page of the site. @since 0.1.0 */
  rest_route_of_address: SyncFilter<string | null, [path: string, query: URLSearchParams]>
  /** Filter: the response to a URL outside the REST API; null becomes a 404. @since 0.1.0 */
  site_request: Filter<SitePage | null, [request: SiteRequest], 'method'>
  /** Filter: a page of the site, or the 404 in its place, about to be sent; a tap may encode its body. @since 0.1.0 */
  site_page: Filter<SitePage, [request: SiteRequest], 'method'>
  /** Action: the headers of a page of the site are about to be sent and may still change. @since 0.1.0 */
  site_headers: SyncAction<[headers: HeaderMap, request: SiteRequest], 'method'>
}

declare module '../hooks/hook.ts' {
  interface Hooks extends SiteHooks {}
}

export const siteHooks: HookSpecs<SiteHooks> = {
  request_received: {
    ...filter('page', 'request'),
    about: { method: (_page, { method }) => method },
    accepts: (page) => page === null || (page as Partial<SitePage>).headers instanceof HeaderMap,
    lasting: true,
    failsAlone: (_page, { id }: ReceivedRequest) => ({ request: id }),
  },
  response_sent: {
    ...action('sent', 'request'),
    about: { method: ({ method }) => method },
    lasting: true,
    failsAlone: ({ id }: SentResponse) => ({ request: id }),
  },
  rest_route_of_address: {
    ...syncFilter('route', 'path', 'query'),
    accepts: (route) => route === null || typeof route === 'string',
  },
  site_request: { ...filter('page', 'request'), about: { method: (_page, { method }) => method } },
  site_page: { ...filter('page', 'request'), about: { method: (_page, { method }) => method } },
  site_headers: { ...syncAction('headers', 'request'), about: { method: (_headers, { method }) => method } },
}
