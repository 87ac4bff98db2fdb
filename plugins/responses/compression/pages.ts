import { pipeline, Readable } from 'node:stream'
import type { SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { etagIn } from '../../requests/conditional/index.ts'
import { compress, createCoder } from './compress.ts'
import { encodingFor, isCompressible, tellEncoding, type Negotiation } from './responses.ts'

/** Tells caches that a page may differ by what the client takes, and a client which variant it still may use. */
export function varyPage({ status, headers }: SitePage, { headers: asked }: SiteRequest): void {
  const etag = headers.get('ETag')
  const had = etag === null ? null : etagIn(asked.get('If-None-Match') ?? '', etag, 'weak')
  if (status === 304 && had !== null) headers.set('ETag', had.replace(/^W\//, ''))
  // Of what the client has already, the type is not told.
  if (headers.has('Content-Type') ? isCompressible(headers) : had !== null) headers.append('Vary', 'Accept-Encoding')
}

/** A page or a file compressed, where the client takes it, and unless it is for one user alone. */
export async function encodePage(page: SitePage, request: SiteRequest, negotiation: Negotiation): Promise<SitePage> {
  const { status, headers, body } = page
  if (!headers.has('Content-Type') || isPersonal(page) || lengthOf(page) < negotiation.least) return page
  const encoding = encodingFor(request.headers, status, headers, negotiation)
  if (encoding === null) return page
  tellEncoding(headers, encoding)
  headers.delete('Content-Length')
  headers.delete('Accept-Ranges')
  // Without the body: its length would be told, which is that of the plain bytes.
  if (request.method === 'HEAD') return { ...page, body: body instanceof Readable ? body : null }
  if (body instanceof Readable) {
    // What becomes of the stream is the matter of who reads it: a client that leaves ends the source with it.
    return { ...page, body: pipeline(body, createCoder(encoding), () => {}) }
  }
  return { ...page, body: body === null ? null : await compress(Buffer.from(body), encoding, 'quick') }
}

function isPersonal({ headers }: SitePage): boolean {
  return headers.has('Set-Cookie') || /\b(?:private|no-store)\b/i.test(headers.get('Cache-Control') ?? '')
}

/** Bytes of a body, as far as they are known. */
function lengthOf({ headers, body }: SitePage): number {
  const told = headers.get('Content-Length')
  if (told !== null) return Number(told)
  if (body === null) return 0
  return body instanceof Readable ? Infinity : Buffer.byteLength(body)
}
