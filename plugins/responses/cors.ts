import {
  applySyncFilter,
  definePlugin,
  syncFilter,
  type HeaderMap,
  type HookSpecs,
  type SyncFilter,
} from '../../kernel/index.ts'

export interface CorsOptions {
  /**
   * Origins that may read responses, such as `https://app.example`; `'*'` among them admits any, the origin `null` of
   * files and sandboxed frames too.
   */
  origins: readonly string[]
  /**
   * Whose pages may have cookies sent along: `listed` for the origins that are named, `all` for every origin that is
   * admitted, as other servers of this REST API do: then any page may ask as the user before the browser. Never that
   * of the origin `null`, which anybody's frame can have.
   */
  credentials: 'listed' | 'all'
  /** Seconds for which a browser may remember what a preflight request found out. */
  max_age: number
}

/** The hooks of requests from other origins. */
interface CorsHooks {
  /** Filter: the headers that pages of other origins may read. @since 0.1.0 */
  rest_exposed_cors_headers: SyncFilter<string[]>
  /** Filter: the headers that pages of other origins may send. @since 0.1.0 */
  rest_allowed_cors_headers: SyncFilter<string[]>
}

const corsHooks: HookSpecs<CorsHooks> = {
  rest_exposed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
  rest_allowed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
}

declare module '../../kernel/index.ts' {
  interface Hooks extends CorsHooks {}
}

/** Headers of requests that have conditions. */
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
    credentials: { default: 'listed', type: 'string', enum: ['listed', 'all'] },
    max_age: { default: 600, type: 'integer', minimum: 0 },
  },
  apply({ hooks, branding }, { origins, credentials, max_age: maxAge }) {
    const any = origins.includes('*')
    const exposable = [branding.header('Total'), branding.header('TotalPages'), 'Link']
    const allowable = ['Authorization', branding.header('Nonce'), 'Content-Disposition', 'Content-MD5', 'Content-Type']
    const exposed = () => applySyncFilter(hooks.rest_exposed_cors_headers, exposable).join(', ')
    const allowed = () => applySyncFilter(hooks.rest_allowed_cors_headers, allowable).join(', ')
    // What no tap changes is the same for every response.
    const [presetExposed, presetAllowed] = [exposable.join(', '), allowable.join(', ')]
    const listed = new Set(origins.filter((origin) => origin !== '*'))
    const admits = (origin: string) => listed.has(origin) || (any && (origin === 'null' || isOrigin(origin)))
    const trusts = (origin: string) => listed.has(origin) || (credentials === 'all' && origin !== 'null')

    hooks.rest_pre_serve_request.tap('cors', (served, { request, response: { headers }, raw }) => {
      const { rest_exposed_cors_headers: onExposed, rest_allowed_cors_headers: onAllowed } = hooks
      headers.set('Access-Control-Expose-Headers', onExposed.isUsed() ? exposed() : presetExposed)
      headers.set('Access-Control-Allow-Headers', onAllowed.isUsed() ? allowed() : presetAllowed)
      const origin = request.headers.get('origin')
      if (origin === null) {
        // A response that a cache may keep must not be given to a page that it was not made for.
        const method = raw?.incoming.method ?? request.method
        if (!any || listed.size > 0 || (method === 'GET' && request.user.id === 0)) headers.append('Vary', 'Origin')
        return served
      }
      headers.append('Vary', 'Origin')
      if (!admits(origin)) return served
      headers.set('Access-Control-Allow-Origin', origin)
      headers.set('Access-Control-Allow-Methods', METHODS)
      // Of another origin, a page sees and sends no more than it is told: tags and conditions come in pairs.
      headers.append('Access-Control-Expose-Headers', 'ETag')
      for (const name of CONDITIONAL) headers.append('Access-Control-Allow-Headers', name)
      if (trusts(origin)) headers.set('Access-Control-Allow-Credentials', 'true')
      if (request.method === 'OPTIONS') headers.set('Access-Control-Max-Age', maxAge)
      return served
    })

    // Clients look for the REST API in the headers of the front page; what a user sees there stays closed.
    hooks.site_headers.tap('cors', (headers, { path, headers: asked }) => {
      if (path === '/') admitToFrontPage(headers, asked.get('origin'), admits)
    })
  },
})

function admitToFrontPage(headers: HeaderMap, origin: string | null, admits: (origin: string) => boolean): void {
  headers.append('Vary', 'Origin')
  if (origin === null || !admits(origin)) return
  headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', 'Link')
}

/** Whether a header's text is an origin: a scheme and a host, nothing behind them. */
function isOrigin(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#"'<>\\,;]+$/i.test(text)
}
