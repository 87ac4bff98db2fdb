import type { HeaderMap, CachedResponse } from '../../../kernel/index.ts'
import type { Encoding } from '../compression/index.ts'
import { findClientTag } from './conditions.ts'
import type { Entry } from './entry.ts'
import type { PlainRequest } from './plain-requests.ts'

/** Headers of a 304 (RFC 9110, 15.4.5), in addition to CORS headers. */
const NOT_MODIFIED_HEADERS: ReadonlySet<string> = new Set([
  'etag',
  'cache-control',
  'vary',
  'last-modified',
  'expires',
  'content-location',
])

/** Headers that are set again for each response. */
const PER_RESPONSE_HEADERS: ReadonlySet<string> = new Set(['etag', 'x-request-id'])

/** Returns whether a header is sent with a 304. */
export function belongsTo304(name: string, cacheHeader: string): boolean {
  const key = name.toLowerCase()
  return NOT_MODIFIED_HEADERS.has(key) || key.startsWith('access-control-') || key === cacheHeader.toLowerCase()
}

/** The response to all plain requests for a URL, as heads and bodies that are ready to send. */
export class PlainResponse {
  readonly entry: Entry
  readonly #head: readonly string[]
  readonly #cacheHeader: string
  readonly #isEncodable: boolean
  readonly #ready = new Map<Encoding | null, CachedResponse>()
  readonly #unchanged = new Map<string, CachedResponse>()

  /**
   * @param headers headers of the uncompressed body
   * @param cacheHeader name of the header that reports cache hits
   */
  constructor(entry: Entry, headers: HeaderMap, cacheHeader: string, isEncodable: boolean) {
    this.entry = entry
    this.#cacheHeader = cacheHeader
    this.#isEncodable = isEncodable
    const head: string[] = []
    for (const [name, value] of headers) {
      if (PER_RESPONSE_HEADERS.has(name.toLowerCase())) continue
      head.push(name, name === cacheHeader ? 'HIT' : String(value))
    }
    this.#head = head
  }

  /**
   * Returns the response to a plain request; null if its encoding is not available yet.
   * @param pick returns the encoding for an `Accept-Encoding`
   * @param encode starts encoding the body for later requests
   */
  respond(
    { acceptEncoding, ifNoneMatch, ifModifiedSince }: PlainRequest,
    pick: (acceptEncoding: string | null) => Encoding | null,
    encode: (entry: Entry, encoding: Encoding) => void,
  ): CachedResponse | null {
    const { entry } = this
    // Fast path: nearly every client sends the one tag that it received.
    const unchanged = ifNoneMatch === null ? undefined : this.#unchanged.get(ifNoneMatch)
    if (unchanged !== undefined) return unchanged
    if (ifNoneMatch !== null || ifModifiedSince !== null) {
      const etag = findClientTag({ ifNoneMatch, ifModifiedSince }, entry)
      if (etag !== null) return this.#notModified(etag)
    }
    const encoding = this.#isEncodable && acceptEncoding !== null ? pick(acceptEncoding) : null
    const ready = this.#ready.get(encoding)
    if (ready !== undefined) return ready
    const variant = entry.inEncoding(encoding)
    if (variant === undefined) {
      encode(entry, encoding!)
      return null
    }
    const head = [...this.#head, 'ETag', variant.etag, 'Content-Length', String(variant.body.length)]
    if (encoding !== null) head.push('Content-Encoding', encoding)
    const response: CachedResponse = { route: entry.route?.pattern ?? null, status: 200, head, body: variant.body }
    this.#ready.set(encoding, response)
    return response
  }

  #notModified(etag: string): CachedResponse {
    let response = this.#unchanged.get(etag)
    if (response === undefined) {
      const head = ['ETag', etag]
      for (let at = 0; at < this.#head.length; at += 2) {
        if (belongsTo304(this.#head[at]!, this.#cacheHeader)) head.push(this.#head[at]!, this.#head[at + 1]!)
      }
      response = { route: this.entry.route?.pattern ?? null, status: 304, head, body: null }
      // One per encoding; the limit protects against invented tags.
      if (this.#unchanged.size < 8) this.#unchanged.set(etag, response)
    }
    return response
  }
}
