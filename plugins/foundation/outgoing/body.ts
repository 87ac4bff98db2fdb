import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { errors } from './errors.ts'
import { failureOf } from './failure.ts'

/** What is understood of bodies; what is asked for. */
export const ACCEPT_ENCODING = 'gzip, br'

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
}

/** How a body is read. */
export interface BodyLimits {
  /** Origin of the server, for errors. */
  readonly origin: string
  /** The most bytes, decompressed. */
  readonly size: number
}

/**
 * Reads a body to its end. It is counted as it is decompressed, piece by piece: what is small on the wire and large in
 * memory ends at the limit.
 * @param encoding the header `content-encoding`
 * @throws OUTGOING_TOO_LARGE, OUTGOING_FAILED when its encoding is none of those asked for; what ends the stream
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

/** The pieces of a body; what ends it too early becomes an error of ours. */
async function* failing(stream: Readable, origin: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw failureOf(origin, cause)
  }
}

/** The body as it is meant. Several encodings, one in the other, are used by those who attack alone. */
function decoded(stream: Readable, encoding: string, origin: string): Readable {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return stream
  const make = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (make === undefined) throw errors.OUTGOING_FAILED(origin, 'its body is encoded in a way that was not asked for')
  // The loop that reads meets the failure of either.
  return pipeline(stream, make(), () => {})
}
