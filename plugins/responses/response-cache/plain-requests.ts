import type { IncomingMessage } from 'node:http'
import { isPerRequest, type Hooks, type RestRequest } from '../../../kernel/index.ts'

/** What a plain request says beside its URL. */
export interface PlainRequest {
  acceptEncoding: string | null
  ifNoneMatch: string | null
  ifModifiedSince: string | null
}

/** Headers that no response depends on, but for the four that are looked at. */
const HARMLESS = [
  'host accept accept-charset accept-encoding accept-language user-agent referer connection keep-alive te',
  'if-none-match if-modified-since cache-control pragma dnt save-data priority upgrade-insecure-requests',
  'sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform',
  'via forwarded x-forwarded-for x-forwarded-proto x-forwarded-port x-real-ip true-client-ip cf-connecting-ip cf-ray',
  'cf-visitor cf-ipcountry cdn-loop fastly-client-ip x-amz-cf-id x-request-id x-correlation-id traceparent tracestate',
]
  .join(' ')
  .split(' ')

type Role = 'host' | 'accept-encoding' | 'if-none-match' | 'if-modified-since' | ''
const ROLES: ReadonlySet<string> = new Set(['host', 'accept-encoding', 'if-none-match', 'if-modified-since'])
/** What each harmless header is to us, by its name as clients write it: as it stands here, and with capitals. */
const roles = new Map<string, Role>()
for (const name of HARMLESS) {
  const role = (ROLES.has(name) ? name : '') as Role
  roles.set(name, role)
  const capitalised = name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase())
  roles.set(capitalised, role)
  // Many proxies write X-Request-ID.
  roles.set(capitalised.replace(/Id$/, 'ID'), role)
}

/** A host with its port, as nearly every client sends it; the others take the long way. */
const HOST = /^[\w.-]+(?::\d{1,5})?$/
/** Characters of a header that is looked at. */
const MAX_HEADER_LENGTH = 1000

/**
 * What a request says that is told from others by its URL alone: a visitor's, read in the same way by every server, and
 * without any header that a response might depend on. Null for any other.
 */
export function plainRequest({ method, httpVersion, rawHeaders }: IncomingMessage): PlainRequest | null {
  if ((method !== 'GET' && method !== 'HEAD') || httpVersion !== '1.1') return null
  let host: string | null = null
  const said: PlainRequest = { acceptEncoding: null, ifNoneMatch: null, ifModifiedSince: null }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const role = roles.get(rawHeaders[at]!)
    if (role === undefined) return null
    if (role === '') continue
    const value = rawHeaders[at + 1]!
    if (value.length > MAX_HEADER_LENGTH) return null
    // Of two, each server on the way could read another.
    if (role === 'host') {
      if (host !== null) return null
      host = value
    } else if (role === 'accept-encoding') {
      if (said.acceptEncoding !== null) return null
      said.acceptEncoding = value
    } else if (role === 'if-none-match') {
      if (said.ifNoneMatch !== null) return null
      said.ifNoneMatch = value
    } else {
      if (said.ifModifiedSince !== null) return null
      said.ifModifiedSince = value
    }
  }
  return host !== null && HOST.test(host) ? said : null
}

/** The taps that are run for each request, also where its response is known. */
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
 * Whether all plain requests for a URL get the same. Not where a plugin of others does something for each request: it may
 * count them, or let them wait.
 * @param reads names of the headers that were looked for while the response was made
 */
export function dependsOnUrlAlone(hooks: Hooks, { user }: RestRequest, reads: Iterable<string>): boolean {
  if (user.id !== 0 || Object.keys(user).length > 1) return false
  // Of the others, no plain request has any.
  for (const name of reads) if (!isAbsent(name)) return false
  return !PER_REQUEST.some((name) => name in hooks && isPerRequest(hooks[name]))
}

/** Whether no plain request has this header. Addresses and whole lists of headers each request has. */
function isAbsent(name: string): boolean {
  return name !== '*' && name !== '(address)' && !roles.has(name)
}
