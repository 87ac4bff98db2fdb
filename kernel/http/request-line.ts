import type { IncomingMessage } from 'node:http'
import type { HeaderMap } from './headers.ts'
import type { Params } from './query-string.ts'

/** Headers that must not be repeated, because proxies and this server could use different values. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'content-type', 'authorization', 'x-http-method-override'])
/** A host with an optional port (RFC 3986). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i
/** The only defined expectation; Node handles it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i
/** Methods that can override POST. */
const METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Returns whether a request is unambiguous for all servers and proxies: it has a path, one host, and one way to find
 * the end of its body. Node itself has already refused other malformed requests.
 */
export function isWellFormed({ url = '', headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (!url.startsWith('/') || url.includes('#')) return false
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
  const { host, expect, 'transfer-encoding': coding } = headers
  if (expect !== undefined && httpVersion === '1.1' && !CONTINUE.test(expect)) return false
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return false
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) return false
  // Fast path: no header is repeated.
  if (rawHeaders.length === 2 * Object.keys(headers).length) return true
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) return false
    seen.add(name)
  }
  return true
}

/** Returns the method of a request; only POST can be overridden, by `_method` or `X-HTTP-Method-Override`. */
export function effectiveMethod(method: string, query: Params, form: Params | null, headers: HeaderMap): string {
  if (method !== 'POST') return method
  const named = query['_method'] ?? form?.['_method'] ?? headers.get('x-http-method-override')
  const upper = typeof named === 'string' ? named.toUpperCase() : method
  return METHODS.has(upper) ? upper : method
}

/** Returns whether the headers of a request announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** Returns whether a method only reads, so that its responses are cacheable: GET or HEAD. */
export function isReadMethod(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}
