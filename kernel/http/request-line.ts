import type { IncomingMessage } from 'node:http'
import type { HeaderMap } from './headers.ts'
import type { Params } from './query-string.ts'

/** Headers that a request may have once: of two, each server on its way could read another. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'content-type', 'authorization', 'x-http-method-override'])
/** A host, with its port (RFC 3986). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i
/** The one expectation that there is; Node fulfils it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i
/** Methods that a POST request may name in its place. */
const METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Whether every server reads a request in the same way: it has a path, one host, and one way to tell the end of its
 * body. What Node refuses by itself does not come here.
 */
export function isWellFormed({ url = '', headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (!url.startsWith('/') || url.includes('#')) return false
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
  const { host, expect, 'transfer-encoding': coding } = headers
  if (expect !== undefined && httpVersion === '1.1' && !CONTINUE.test(expect)) return false
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return false
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) return false
  // Nearly every request has each header once.
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

/** The method that counts: POST may name another in `_method` or `X-HTTP-Method-Override`; no other method may. */
export function effectiveMethod(method: string, query: Params, form: Params | null, headers: HeaderMap): string {
  if (method !== 'POST') return method
  const named = query['_method'] ?? form?.['_method'] ?? headers.get('x-http-method-override')
  const upper = typeof named === 'string' ? named.toUpperCase() : method
  return METHODS.has(upper) ? upper : method
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** Whether a method only reads, and caches may respond to it. */
export function isReadMethod(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}
