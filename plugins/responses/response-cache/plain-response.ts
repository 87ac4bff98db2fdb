import type { HeaderMap, KeptResponse } from '../../../kernel/index.ts'
import type { Encoding } from '../compression/index.ts'
import { knownAs } from './conditions.ts'
import type { Entry } from './entry.ts'
import type { PlainRequest } from './plain-requests.ts'

/** Headers of a 304 (RFC 9110, 15.4.5), beside those that let pages of other origins read it. */
const OF_304: ReadonlySet<string> = new Set([
  'etag',
  'cache-control',
  'vary',
  'last-modified',
  'expires',
  'content-location',
])

/** Headers that are added to each response when it is sent. */
const OF_EACH_RESPONSE: ReadonlySet<string> = new Set(['etag', 'x-request-id'])

/** Whether a header belongs to the 304 in place of a response. */
export function belongsTo304(name: string, cacheHeader: string): boolean {
  const key = name.toLowerCase()
  return OF_304.has(key) || key.startsWith('access-control-') || key === cacheHeader.toLowerCase()
}

/** What every plain request for a URL gets: heads and bodies as they go out. */
export class PlainResponse {
  readonly entry: Entry
  readonly #head: readonly string[]
  readonly #cacheHeader: string
  readonly #isEncodable: boolean
  readonly #ready = new Map<Encoding | null, KeptResponse>()
  readonly #unchanged = new Map<string, KeptResponse>()

  /**
   * @param headers as the plain body has them
   * @param cacheHeader name of the header that tells where a response comes from
   */
  constructor(entry: Entry, headers: HeaderMap, cacheHeader: string, isEncodable: boolean) {
    this.entry = entry
    this.#cacheHeader = cacheHeader
    this.#isEncodable = isEncodable
    const head: string[] = []
    for (const [name, value] of headers) {
      if (OF_EACH_RESPONSE.has(name.toLowerCase())) continue
      head.push(name, name === cacheHeader ? 'HIT' : String(value))
    }
    this.#head = head
  }

  /**
   * The response to a plain request; null where its encoding is not there yet.
   * @param pick the encoding for an `Accept-Encoding`
   * @param encode has the body encoded, for requests to come
   */
  answer(
    { acceptEncoding, ifNoneMatch, ifModifiedSince }: PlainRequest,
    pick: (acceptEncoding: string | null) => Encoding | null,
    encode: (entry: Entry, encoding: Encoding) => void,
  ): KeptResponse | null {
    const { entry } = this
    // Nearly every client sends back the one tag that it got.
    const unchanged = ifNoneMatch === null ? undefined : this.#unchanged.get(ifNoneMatch)
    if (unchanged !== undefined) return unchanged
    if (ifNoneMatch !== null || ifModifiedSince !== null) {
      const etag = knownAs({ ifNoneMatch, ifModifiedSince }, entry)
      if (etag !== null) return this.#notModified(etag)
    }
    const encoding = this.#isEncodable && acceptEncoding !== null ? pick(acceptEncoding) : null
    const ready = this.#ready.get(encoding)
    if (ready !== undefined) return ready
    const variant = entry.in(encoding)
    if (variant === undefined) {
      encode(entry, encoding!)
      return null
    }
    const head = [...this.#head, 'ETag', variant.etag, 'Content-Length', String(variant.body.length)]
    if (encoding !== null) head.push('Content-Encoding', encoding)
    const made: KeptResponse = { route: entry.route?.pattern ?? null, status: 200, head, body: variant.body }
    this.#ready.set(encoding, made)
    return made
  }

  #notModified(etag: string): KeptResponse {
    let made = this.#unchanged.get(etag)
    if (made === undefined) {
      const head = ['ETag', etag]
      for (let at = 0; at < this.#head.length; at += 2) {
        if (belongsTo304(this.#head[at]!, this.#cacheHeader)) head.push(this.#head[at]!, this.#head[at + 1]!)
      }
      made = { route: this.entry.route?.pattern ?? null, status: 304, head, body: null }
      // There are as many as there are encodings.
      if (this.#unchanged.size < 8) this.#unchanged.set(etag, made)
    }
    return made
  }
}
