import {
  applySyncFilter,
  definePlugin,
  syncFilter,
  type HookSpecs,
  type RestRequest,
  type SyncFilter,
} from '../../kernel/index.ts'

/** Hooks of response headers. */
interface RestHeadersHooks {
  /**
   * Filter: whether to forbid caches to store a response; initially true for logged-in users and requests with
   * credentials. @since 0.1.0
   */
  rest_send_nocache_headers: SyncFilter<boolean, [request: RestRequest]>
}

declare module '../../kernel/index.ts' {
  interface Hooks extends RestHeadersHooks {}
}

/** Headers that forbid every cache to store the response, including HTTP/1.0 caches. */
const NO_CACHE = 'no-cache, must-revalidate, max-age=0, no-store, private'
const PAST_DATE = 'Wed, 11 Jan 1984 05:00:00 GMT'

/**
 * Sets the headers of every response of the REST API: content type, no sniffing, no indexing, and caching for logged-in
 * users.
 */
export default definePlugin({
  name: 'rest-headers',
  hooks: { rest_send_nocache_headers: syncFilter('send', 'request') } satisfies HookSpecs<RestHeadersHooks>,
  apply({ hooks }) {
    hooks.rest_pre_serve_request.tap('rest-headers', (served, { request, response: { headers } }) => {
      if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json; charset=UTF-8')
      headers.set('X-Content-Type-Options', 'nosniff')
      headers.set('X-Robots-Tag', 'noindex')
      const isPrivate = request.user.id !== 0 || request.headers.has('authorization')
      if (applySyncFilter(hooks.rest_send_nocache_headers, isPrivate, request)) {
        headers.set('Cache-Control', NO_CACHE)
        headers.set('Expires', PAST_DATE)
      }
      return served
    })
  },
})
