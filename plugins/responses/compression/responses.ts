import type { Awaitable, HeaderMap, RestRequest, Served } from '../../../kernel/index.ts'
import { variantEtag } from '../../requests/conditional/index.ts'
import { compress, compressPieces } from './compress.ts'
import type { Encoding, QuickEncoding } from './negotiate.ts'

/** What is compressed, and how it is chosen. */
export interface Negotiation {
  readonly least: number
  readonly pick: (acceptEncoding: string | null) => QuickEncoding | null
}

/** Types of text. What is compressed already, as images and archives are, only gets longer. */
const TEXT =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|ecmascript|wasm)\b|image\/(?:svg\+xml|bmp)\b)/i

/** Whether a body of this type becomes shorter. A response without a type is JSON. */
export function isCompressible(headers: HeaderMap): boolean {
  return TEXT.test(headers.get('Content-Type') ?? 'application/json')
}

/** The encoding for a body; null where it stays as it is. */
export function encodingFor(
  asked: HeaderMap,
  status: number,
  headers: HeaderMap,
  { pick }: Negotiation,
): QuickEncoding | null {
  // A part is a part of the plain bytes, and who asks for parts wants to join them.
  if (status === 204 || status === 206 || status === 304 || asked.has('Range') || headers.has('Content-Range'))
    return null
  if (headers.has('Content-Encoding') || !isCompressible(headers)) return null
  if (/\bno-transform\b/i.test(headers.get('Cache-Control') ?? '')) return null
  return pick(asked.get('Accept-Encoding'))
}

/** Headers as they are with the body in an encoding. */
export function tellEncoding(headers: HeaderMap, encoding: Encoding): void {
  headers.set('Content-Encoding', encoding)
  const etag = headers.get('ETag')
  if (etag !== null) headers.set('ETag', variantEtag(etag, encoding))
}

/** The response with its body compressed, where the client takes it. */
export function encodeResponse(served: Served, request: RestRequest, negotiation: Negotiation): Awaitable<Served> {
  const { response, text } = served
  if (text === null || sizeOf(text) < negotiation.least) return served
  const encoding = encodingFor(request.headers, response.status, response.headers, negotiation)
  if (encoding === null) return served
  return compressed(served, text, encoding, request)
}

async function compressed(
  served: Served,
  text: string | readonly Buffer[],
  encoding: QuickEncoding,
  request: RestRequest,
): Promise<Served> {
  // The body of HEAD is not sent, nor its length: only the headers have to be those of GET.
  const pieces = request.method === 'HEAD' ? text : await encoded(text, encoding, request)
  tellEncoding(served.response.headers, encoding)
  return { ...served, text: pieces }
}

/** Bytes of a body. What is kept comes as bytes, however short it is. */
function sizeOf(text: string | readonly Buffer[]): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.reduce((sum, { length }) => sum + length, 0)
}

async function encoded(
  text: string | readonly Buffer[],
  encoding: QuickEncoding,
  { signal }: RestRequest,
): Promise<readonly Buffer[]> {
  if (typeof text === 'string') return [await compress(Buffer.from(text), encoding, 'quick')]
  return compressPieces(text, encoding, signal)
}
