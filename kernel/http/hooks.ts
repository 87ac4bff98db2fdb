import { action, filter, syncFilter, type Action, type Filter, type HookSpecs, type SyncFilter } from '../hooks/hook.ts'
import { HeaderMap } from './headers.ts'
import type { SitePage } from './pages.ts'
import type { ReceivedRequest, SentResponse } from './received-request.ts'

/** The hooks of every request. */
interface HttpHooks {
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
}

declare module '../hooks/hook.ts' {
  interface Hooks extends HttpHooks {}
}

export const httpHooks: HookSpecs<HttpHooks> = {
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
}
