import type { IncomingMessage } from 'node:http'
import { isPerRequest, type Hooks, type RestRequest } from '../../../kernel/index.ts'

/**
 * Headers of a plain request that affect its response. A request is plain if its URL alone identifies it (see
 * `plainRequest`); this has nothing to do with plain URLs such as `/?p=12`.
 */
export interface PlainRequest {
  acceptEncoding: string | null
  ifNoneMatch: string | null
  ifModifiedSince: string | null
  /** Whether it has the header `X-Forwarded-Proto` with another value than `http`. */
  isForwarded: boolean
}

/** Headers that do not affect responses, except the five that are read below. */
const HARMLESS = [
  'host accept accept-charset accept-encoding accept-language user-agent referer connection keep-alive te',
  'if-none-match if-modified-since cache-control pragma dnt save-data priority upgrade-insecure-requests',
  'sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform',
  'via forwarded x-forwarded-for x-forwarded-proto x-forwarded-port x-real-ip true-client-ip cf-connecting-ip cf-ray',
  'cf-visitor cf-ipcountry cdn-loop fastly-client-ip x-amz-cf-id x-request-id x-correlation-id traceparent tracestate',
]
  .join(' ')
  .split(' ')

type Role = 'host' | 'accept-encoding' | 'if-none-match' | 'if-modified-since' | 'x-forwarded-proto' | ''
const ROLES: ReadonlySet<string> = new Set([
  'host',
  'accept-encoding',
  'if-none-match',
  'if-modified-since',
  'x-forwarded-proto',
])
/** Role of each known header by its name, in lower case and capitalized. */
const roles = new Map<string, Role>()
for (const name of HARMLESS) {
  const role = (ROLES.has(name) ? name : '') as Role
  roles.set(name, role)
  const capitalised = name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase())
  roles.set(capitalised, role)
  // Many proxies send `X-Request-ID`.
  roles.set(capitalised.replace(/Id$/, 'ID'), role)
}

/** Common form of a host with its port. Other forms take the slow path. */
const HOST = /^[\w.-]+(?::\d{1,5})?$/
/** Characters of a header value; longer ones take the slow path. */
const MAX_HEADER_LENGTH = 1000

/**
 * Returns the relevant headers of a request that is identified by its URL alone: from a visitor, unambiguous for every
 * server on the way, and without headers that a response can depend on. Returns null for any other request.
 */
export function plainRequest({ method, httpVersion, rawHeaders }: IncomingMessage): PlainRequest | null {
  if ((method !== 'GET' && method !== 'HEAD') || httpVersion !== '1.1') return null
  let host: string | null = null
  const headers: PlainRequest = { acceptEncoding: null, ifNoneMatch: null, ifModifiedSince: null, isForwarded: false }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const role = roles.get(rawHeaders[at]!)
    if (role === undefined) return null
    if (role === '') continue
    const value = rawHeaders[at + 1]!
    if (value.length > MAX_HEADER_LENGTH) return null
    // With duplicate headers, each server on the way could use another one.
    if (role === 'host') {
      if (host !== null) return null
      host = value
    } else if (role === 'accept-encoding') {
      if (headers.acceptEncoding !== null) return null
      headers.acceptEncoding = value
    } else if (role === 'if-none-match') {
      if (headers.ifNoneMatch !== null) return null
      headers.ifNoneMatch = value
    } else if (role === 'x-forwarded-proto') {
      headers.isForwarded ||= value !== 'http'
    } else {
      if (headers.ifModifiedSince !== null) return null
      headers.ifModifiedSince = value
    }
  }
  return host !== null && HOST.test(host) ? headers : null
}

/** Hooks that run for each request, including cached ones. */
const PER_REQUEST = [
  'rest_route_of_address',
  'determine_current_user',
  'rest_authentication_errors',
  'rest_path_to_match',
  'rest_pre_dispatch',
  'rest_request_before_callbacks',
  'rest_pre_serve_request',
  'rest_send_nocache_headers',
  'rest_exposed_cors_headers',
  'rest_allowed_cors_headers',
  'rest_response_body',
] as const satisfies readonly (keyof Hooks)[]

/**
 * Returns whether all plain requests for a URL get the same response. False if a third-party plugin taps a hook of each
 * request: it can count or delay them.
 * @param reads names of the headers that were read while the response was created
 */
export function dependsOnUrlAlone(hooks: Hooks, { user }: RestRequest, reads: Iterable<string>): boolean {
  if (user.id !== 0 || Object.keys(user).length > 1) return false
  // Plain requests never have other headers.
  for (const name of reads) if (!isAbsent(name)) return false
  return !PER_REQUEST.some((name) => name in hooks && isPerRequest(hooks[name]))
}

/** Returns whether plain requests never have this header. All have an address and a list of headers. */
function isAbsent(name: string): boolean {
  return name !== '*' && name !== '(address)' && !roles.has(name)
}
