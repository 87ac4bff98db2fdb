import {
  applySyncFilter,
  definePlugin,
  syncFilter,
  type HookSpecs,
  type RestRequest,
  type SyncFilter,
} from '../../kernel/index.ts'

/** The hooks of response headers. */
interface RestHeadersHooks {
  /**
   * Filter: whether caches are told to keep no copy of a response: true where somebody is logged in or credentials came
   * along. @since 0.1.0
   */
  rest_send_nocache_headers: SyncFilter<boolean, [request: RestRequest]>
}

declare module '../../kernel/index.ts' {
  interface Hooks extends RestHeadersHooks {}
}

/** What forbids every cache to keep the response, also those that know HTTP/1.0 alone. */
const NO_CACHE = 'no-cache, must-revalidate, max-age=0, no-store, private'
const LONG_AGO = 'Wed, 11 Jan 1984 05:00:00 GMT'

/** Says what every response of the REST API is: JSON, not to be sniffed, not for search engines, and whom it is for. */
export default definePlugin({
  name: 'rest-headers',
  hooks: { rest_send_nocache_headers: syncFilter('send', 'request') } satisfies HookSpecs<RestHeadersHooks>,
  apply({ hooks }) {
    hooks.rest_pre_serve_request.tap('rest-headers', (served, { request, response: { headers } }) => {
      if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json; charset=UTF-8')
      headers.set('X-Content-Type-Options', 'nosniff')
      headers.set('X-Robots-Tag', 'noindex')
      const personal = request.user.id !== 0 || request.headers.has('authorization')
      if (applySyncFilter(hooks.rest_send_nocache_headers, personal, request)) {
        headers.set('Cache-Control', NO_CACHE)
        headers.set('Expires', LONG_AGO)
      }
      return served
    })
  },
})
