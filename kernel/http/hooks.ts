import { syncFilter, type HookSpecs, type SyncFilter } from '../hooks/hook.ts'

/** The hooks of requests before it is known that they are for the REST API. */
interface HttpHooks {
  /** Filter: the REST route that a URL names, or null for a page of the site. @since 0.1.0 */
  rest_route_of_address: SyncFilter<string | null, [path: string, query: URLSearchParams]>
}

declare module '../hooks/hook.ts' {
  interface Hooks extends HttpHooks {}
}

export const httpHooks: HookSpecs<HttpHooks> = {
  rest_route_of_address: {
    ...syncFilter('route', 'path', 'query'),
    accepts: (route) => route === null || typeof route === 'string',
  },
}
