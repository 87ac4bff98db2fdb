import type { Awaitable, HeaderMap, RestRequest, Served } from '../../../kernel/index.ts'
import { variantEtag } from '../../requests/conditional/index.ts'
import { compress, compressPieces } from './compress.ts'
import type { Encoding, QuickEncoding } from './negotiate.ts'

/** Settings of the negotiation. */
export interface Negotiation {
  readonly minBytes: number
  readonly pick: (acceptEncoding: string | null) => QuickEncoding | null
}

/** Types of text. Images and archives are already compressed and would only grow. */
const TEXT =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|ecmascript|wasm)\b|image\/(?:svg\+xml|bmp)\b)/i

/** Returns whether compression makes a body of this type shorter. A response without a type is JSON. */
export function isCompressible(headers: HeaderMap): boolean {
  return TEXT.test(headers.get('Content-Type') ?? 'application/json')
}

/** Returns the encoding for a body; null for no encoding. */
export function encodingFor(
  requestHeaders: HeaderMap,
  status: number,
  headers: HeaderMap,
  { pick }: Negotiation,
): QuickEncoding | null {
  // Ranges refer to the uncompressed bytes, and the client joins them.
  if (status === 204 || status === 206 || status === 304 || requestHeaders.has('Range') || headers.has('Content-Range'))
    return null
  if (headers.has('Content-Encoding') || !isCompressible(headers)) return null
  if (/\bno-transform\b/i.test(headers.get('Cache-Control') ?? '')) return null
  return pick(requestHeaders.get('Accept-Encoding'))
}

/** Sets the headers of an encoded body. */
export function setEncoding(headers: HeaderMap, encoding: Encoding): void {
  headers.set('Content-Encoding', encoding)
  const etag = headers.get('ETag')
  if (etag !== null) headers.set('ETag', variantEtag(etag, encoding))
}

/** Compresses the body of a response if the client accepts it. */
export function encodeResponse(served: Served, request: RestRequest, negotiation: Negotiation): Awaitable<Served> {
  const { response, text } = served
  if (text === null || sizeOf(text) < negotiation.minBytes) return served
  const encoding = encodingFor(request.headers, response.status, response.headers, negotiation)
  if (encoding === null) return served
  return compressResponse(served, text, encoding, request)
}

async function compressResponse(
  served: Served,
  text: string | readonly Buffer[],
  encoding: QuickEncoding,
  request: RestRequest,
): Promise<Served> {
  // The body of HEAD is not sent; only its headers must equal the ones of GET.
  const pieces = request.method === 'HEAD' ? text : await encodeBody(text, encoding, request)
  setEncoding(served.response.headers, encoding)
  return { ...served, text: pieces }
}

/** Returns the bytes of a body. Cached bodies are buffers, however short. */
function sizeOf(text: string | readonly Buffer[]): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.reduce((sum, { length }) => sum + length, 0)
}

async function encodeBody(
  text: string | readonly Buffer[],
  encoding: QuickEncoding,
  { signal }: RestRequest,
): Promise<readonly Buffer[]> {
  if (typeof text === 'string') return [await compress(Buffer.from(text), encoding, 'quick')]
  return compressPieces(text, encoding, signal)
}
