import { pipeline, Readable } from 'node:stream'
import type { SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { etagIn } from '../../requests/conditional/index.ts'
import { compress, createCoder } from './compress.ts'
import { encodingFor, isCompressible, setEncoding, type Negotiation } from './responses.ts'

/** Sets `Vary` for caches, and on a 304 the entity tag of the variant that the client has. */
export function varyPage({ status, headers }: SitePage, { headers: requestHeaders }: SiteRequest): void {
  const etag = headers.get('ETag')
  const clientTag = etag === null ? null : etagIn(requestHeaders.get('If-None-Match') ?? '', etag, 'weak')
  if (status === 304 && clientTag !== null) headers.set('ETag', clientTag.replace(/^W\//, ''))
  // A 304 has no content type.
  if (headers.has('Content-Type') ? isCompressible(headers) : clientTag !== null)
    headers.append('Vary', 'Accept-Encoding')
}

/** Compresses a page or a file if the client accepts it, unless the page is for a single user. */
export async function encodePage(page: SitePage, request: SiteRequest, negotiation: Negotiation): Promise<SitePage> {
  const { status, headers, body } = page
  if (!headers.has('Content-Type') || isPersonal(page) || lengthOf(page) < negotiation.minBytes) return page
  const encoding = encodingFor(request.headers, status, headers, negotiation)
  if (encoding === null) return page
  setEncoding(headers, encoding)
  headers.delete('Content-Length')
  headers.delete('Accept-Ranges')
  // Without the body: Node would otherwise send the length of the uncompressed bytes.
  if (request.method === 'HEAD') return { ...page, body: body instanceof Readable ? body : null }
  if (body instanceof Readable) {
    // The reader of the stream handles its errors. If the client disconnects, the source is destroyed too.
    return { ...page, body: pipeline(body, createCoder(encoding), () => {}) }
  }
  return { ...page, body: body === null ? null : await compress(Buffer.from(body), encoding, 'quick') }
}

function isPersonal({ headers }: SitePage): boolean {
  return headers.has('Set-Cookie') || /\b(?:private|no-store)\b/i.test(headers.get('Cache-Control') ?? '')
}

/** Returns the bytes of a body; Infinity if unknown. */
function lengthOf({ headers, body }: SitePage): number {
  const contentLength = headers.get('Content-Length')
  if (contentLength !== null) return Number(contentLength)
  if (body === null) return 0
  return body instanceof Readable ? Infinity : Buffer.byteLength(body)
}
