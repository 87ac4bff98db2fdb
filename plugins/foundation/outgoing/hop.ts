import { errors } from './errors.ts'
import { targetOf } from './target.ts'

/** One request on the way: the first, or one that a redirect has led to. */
export interface Hop {
  readonly url: URL
  readonly method: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** How many redirects were followed to it. */
  readonly redirects: number
}

/** Methods that are sent; the others are for proxies. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** Headers that say how the message is sent: this plugin does. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(
  'accept-encoding connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)
/** Headers that another origin is sent too; any other one may be a key, or a signature. */
const FOR_OTHERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent'])
const OF_THE_BODY: ReadonlySet<string> = new Set(['content-type', 'content-language', 'content-encoding'])

/**
 * The first request.
 * @throws OUTGOING_URL_INVALID, OUTGOING_REQUEST_INVALID
 */
export function firstHop(url: string | URL, given: Pick<Hop, 'method'> & Partial<Pick<Hop, 'headers' | 'body'>>): Hop {
  const method = given.method.toUpperCase()
  if (!METHODS.has(method)) throw errors.OUTGOING_REQUEST_INVALID(`its method is none of ${[...METHODS].join(', ')}`)
  const body = given.body ?? null
  if (body !== null && SAFE.has(method)) throw errors.OUTGOING_REQUEST_INVALID(`a ${method} request has no body`)
  return { url: targetOf(url), method, headers: checkedHeaders(given.headers ?? {}), body, redirects: 0 }
}

/**
 * Headers by their names in lower case.
 * @throws OUTGOING_REQUEST_INVALID for those that belong to the connection, and for what is no header
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

/** Whether redirects of a method are followed where nobody says how many. */
export const isSafe = (method: string) => SAFE.has(method.toUpperCase())

/**
 * The request that a response redirects to; null where it is none that is followed. 303 is answered by a GET, and so are
 * 301 and 302 of a POST; 307 and 308 are answered by the same request again. 301 and 302 of any other method are no
 * answer that says what to do.
 * @throws OUTGOING_REDIRECTS from https to http; OUTGOING_URL_INVALID
 */
export function nextHop(hop: Hop, status: number, location: string | string[] | undefined): Hop | null {
  const keepsMethod = status === 307 || status === 308 || isSafe(hop.method)
  const isRedirect =
    keepsMethod || status === 303 || hop.method === 'POST' ? [301, 302, 303, 307, 308].includes(status) : false
  if (!isRedirect || location === undefined) return null
  if (typeof location !== 'string') throw errors.OUTGOING_REDIRECTS(hop.url.origin, 'it names several places')
  const url = targetOf(location, hop.url)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw errors.OUTGOING_REDIRECTS(hop.url.origin, 'it leads from https to http')
  }
  const isSame = url.origin === hop.url.origin
  const headers = Object.entries(hop.headers).filter(([name]) =>
    OF_THE_BODY.has(name) ? keepsMethod : isSame || FOR_OTHERS.has(name),
  )
  return {
    url,
    method: keepsMethod ? hop.method : 'GET',
    headers: Object.fromEntries(headers),
    body: keepsMethod ? hop.body : null,
    redirects: hop.redirects + 1,
  }
}
