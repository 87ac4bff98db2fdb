import {
  applySyncFilter,
  definePlugin,
  syncFilter,
  type HeaderMap,
  type HookSpecs,
  type SyncFilter,
} from '../../kernel/index.ts'
import { sanitizeValue } from '../requests/arguments/index.ts'

export interface CorsOptions {
  /**
   * Origins that can read responses, such as `https://app.example`. `'*'` allows any origin, including the origin
   * `null` of local files and sandboxed frames.
   */
  origins: readonly string[]
  /**
   * Origins whose pages can read responses to requests with cookies: `all` for every allowed origin (specification 5.3),
   * or `listed` for the listed origins only. A request with a cookie but without a nonce is the request of a visitor, and
   * pages of other origins cannot read the nonce, so `all` lets them read public content only.
   */
  credentials: 'listed' | 'all'
  /** Seconds for which a browser can cache the result of a preflight request. */
  max_age: number
}

/** Hooks of requests from other origins. */
interface CorsHooks {
  /** Filter: the response headers that pages of other origins can read. @since 0.1.0 */
  rest_exposed_cors_headers: SyncFilter<string[]>
  /** Filter: the request headers that pages of other origins can send. @since 0.1.0 */
  rest_allowed_cors_headers: SyncFilter<string[]>
}

const corsHooks: HookSpecs<CorsHooks> = {
  rest_exposed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
  rest_allowed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
}

declare module '../../kernel/index.ts' {
  interface Hooks extends CorsHooks {}
}

/** Headers of conditional requests. */
const CONDITIONAL = ['If-Match', 'If-None-Match', 'If-Unmodified-Since']
const METHODS = 'OPTIONS, GET, POST, PUT, PATCH, DELETE'

/** Lets pages from other origins read responses (specification 5.3). */
export default definePlugin<CorsOptions>({
  name: 'cors',
  needs: ['site-requests'],
  hooks: corsHooks,
  options: {
    origins: {
      default: ['*'],
      type: 'array',
      items: { type: 'string', pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^\\s/]+)$' },
    },
    credentials: { default: 'all', type: 'string', enum: ['listed', 'all'] },
    max_age: { default: 600, type: 'integer', minimum: 0 },
  },
  apply({ hooks, branding }, { origins, credentials, max_age: maxAge }) {
    const any = origins.includes('*')
    const exposable = [branding.header('Total'), branding.header('TotalPages'), 'Link']
    const allowable = ['Authorization', branding.header('Nonce'), 'Content-Disposition', 'Content-MD5', 'Content-Type']
    const exposed = () => applySyncFilter(hooks.rest_exposed_cors_headers, exposable).join(', ')
    const allowed = () => applySyncFilter(hooks.rest_allowed_cors_headers, allowable).join(', ')
    // Without taps, the lists are the same for every response.
    const [presetExposed, presetAllowed] = [exposable.join(', '), allowable.join(', ')]
    const listed = new Set(origins.filter((origin) => origin !== '*'))
    const isAllowed = (origin: string) => any || listed.has(origin)
    const allowsCredentials = (origin: string) => credentials === 'all' || listed.has(origin)

    hooks.rest_pre_serve_request.tap('cors', (served, { request, response: { headers }, raw }) => {
      const { rest_exposed_cors_headers: onExposed, rest_allowed_cors_headers: onAllowed } = hooks
      headers.set('Access-Control-Expose-Headers', onExposed.isUsed() ? exposed() : presetExposed)
      headers.set('Access-Control-Allow-Headers', onAllowed.isUsed() ? allowed() : presetAllowed)
      const origin = request.headers.get('origin')
      if (origin === null) {
        // A cacheable response must not be served to a page of another origin than it was created for.
        const method = raw?.incoming.method ?? request.method
        if (!any || listed.size > 0 || (method === 'GET' && request.user.id === 0)) headers.append('Vary', 'Origin')
        return served
      }
      headers.append('Vary', 'Origin')
      const sent = sanitize(origin)
      if (!isAllowed(origin) || sent === '') return served
      headers.set('Access-Control-Allow-Origin', sent)
      headers.set('Access-Control-Allow-Methods', METHODS)
      // Pages of other origins can only use listed headers. Conditional requests need both the tag and the conditions.
      headers.append('Access-Control-Expose-Headers', 'ETag')
      for (const name of CONDITIONAL) headers.append('Access-Control-Allow-Headers', name)
      if (allowsCredentials(origin)) headers.set('Access-Control-Allow-Credentials', 'true')
      if (request.method === 'OPTIONS') headers.set('Access-Control-Max-Age', maxAge)
      return served
    })

    // Clients discover the REST API from the headers of the front page. Without credentials, a page cannot read
    // personal content there.
    hooks.site_headers.tap('cors', (headers, { path, headers: requestHeaders }) => {
      if (path === '/') setFrontPageHeaders(headers, requestHeaders.get('origin'), isAllowed)
    })
  },
})

function setFrontPageHeaders(headers: HeaderMap, origin: string | null, isAllowed: (origin: string) => boolean): void {
  headers.append('Vary', 'Origin')
  if (origin === null || !isAllowed(origin)) return
  const sent = sanitize(origin)
  if (sent === '') return
  headers.set('Access-Control-Allow-Origin', sent)
  headers.set('Access-Control-Expose-Headers', 'Link')
}

/** An origin: `null`, or a scheme and a host. */
const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#"'<>\\,;]+)$/i

/** Returns an origin as it is, and any other text sanitized as a URL, which matches the origin of no page. */
function sanitize(origin: string): string {
  return ORIGIN.test(origin) ? origin : String(sanitizeValue(origin, { type: 'string', format: 'uri' }))
}
