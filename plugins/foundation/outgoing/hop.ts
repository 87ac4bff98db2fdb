import { errors } from './errors.ts'
import { targetOf } from './target.ts'

/** One request of a chain: the first, or one after a redirect. */
export interface Hop {
  readonly url: URL
  readonly method: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** Number of redirects followed so far. */
  readonly redirects: number
}

/** Supported methods; all others are for proxies. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** Headers of the connection, which this plugin sets. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(
  'accept-encoding connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)
/** Headers that are sent to another origin after a redirect; any other header can be a key or a signature. */
const FOR_OTHERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent'])
const OF_THE_BODY: ReadonlySet<string> = new Set(['content-type', 'content-language', 'content-encoding'])

/**
 * Creates the first request.
 * @throws OUTGOING_URL_INVALID, OUTGOING_REQUEST_INVALID
 */
export function firstHop(
  url: string | URL,
  options: Pick<Hop, 'method'> & Partial<Pick<Hop, 'headers' | 'body'>>,
): Hop {
  const method = options.method.toUpperCase()
  if (!METHODS.has(method)) throw errors.OUTGOING_REQUEST_INVALID(`its method is none of ${[...METHODS].join(', ')}`)
  const body = options.body ?? null
  if (body !== null && SAFE.has(method)) throw errors.OUTGOING_REQUEST_INVALID(`a ${method} request has no body`)
  return { url: targetOf(url), method, headers: checkedHeaders(options.headers ?? {}), body, redirects: 0 }
}

/**
 * Validates headers and returns them by lower-case name.
 * @throws OUTGOING_REQUEST_INVALID for headers of the connection and for invalid headers
 */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw errors.OUTGOING_REQUEST_INVALID('the name of a header is none')
    if (OF_THE_CONNECTION.has(key)) {
      throw errors.OUTGOING_REQUEST_INVALID(`the header ${key} belongs to the connection: leave it out`)
    }
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw errors.OUTGOING_REQUEST_INVALID(`the value of the header ${key} is none`)
    }
    checked[key] = value
  }
  return checked
}

/** Checks whether redirects of a method are followed by default. */
export const isSafe = (method: string) => SAFE.has(method.toUpperCase())

/**
 * Returns the request that follows a redirect; null if the response is not a redirect to follow. 303, and 301 or 302
 * after a POST, continue with GET; 307 and 308 repeat the request. 301 and 302 after other methods are not followed,
 * because the method to use is undefined.
 * @throws OUTGOING_REDIRECTS from https to http; OUTGOING_URL_INVALID
 */
export function nextHop(hop: Hop, status: number, location: string | string[] | undefined): Hop | null {
  const preservesMethod = status === 307 || status === 308 || isSafe(hop.method)
  const isRedirect =
    preservesMethod || status === 303 || hop.method === 'POST' ? [301, 302, 303, 307, 308].includes(status) : false
  if (!isRedirect || location === undefined) return null
  if (typeof location !== 'string') throw errors.OUTGOING_REDIRECTS(hop.url.origin, 'it names several places')
  const url = targetOf(location, hop.url)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw errors.OUTGOING_REDIRECTS(hop.url.origin, 'it leads from https to http')
  }
  const isSame = url.origin === hop.url.origin
  const headers = Object.entries(hop.headers).filter(([name]) =>
    OF_THE_BODY.has(name) ? preservesMethod : isSame || FOR_OTHERS.has(name),
  )
  return {
    url,
    method: preservesMethod ? hop.method : 'GET',
    headers: Object.fromEntries(headers),
    body: preservesMethod ? hop.body : null,
    redirects: hop.redirects + 1,
  }
}
