import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { errors } from './errors.ts'
import { failureOf } from './failure.ts'

/** Supported encodings of bodies, for the request header. */
export const ACCEPT_ENCODING = 'gzip, br'

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
}

/** Options for reading a body. */
export interface BodyLimits {
  /** Origin of the server, for errors. */
  readonly origin: string
  /** Maximum bytes after decompression. */
  readonly size: number
}

/**
 * Reads a whole body. The size is counted during decompression, so that compressed data that expands beyond the limit
 * is rejected early.
 * @param encoding the `content-encoding` header
 * @throws OUTGOING_TOO_LARGE, OUTGOING_FAILED for an unsupported encoding; the error of the stream
 */
export async function readBody(stream: Readable, encoding: string, { origin, size }: BodyLimits): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of failing(decoded(stream, encoding, origin), origin)) {
    length += piece.length
    if (length > size) throw errors.OUTGOING_TOO_LARGE(origin, size)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Yields the pieces of a body, and converts errors of the stream. */
async function* failing(stream: Readable, origin: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw failureOf(origin, cause)
  }
}

/** Decodes a body. Nested encodings are not supported, because only attacks use them. */
function decoded(stream: Readable, encoding: string, origin: string): Readable {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return stream
  const make = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (make === undefined) throw errors.OUTGOING_FAILED(origin, 'its body is encoded in a way that was not asked for')
  // The reading loop receives the errors of both streams.
  return pipeline(stream, make(), () => {})
}
