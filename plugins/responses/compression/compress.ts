import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { Semaphore } from '../../library/long-work/index.ts'
import type { Encoding, QuickEncoding } from './negotiate.ts'

/**
 * Compression level: `quick` for a body that is sent once, `best` for a cached one. A list of 21 kB takes 0.3 ms (zstd)
 * or 0.4 ms (gzip) with `quick`, and 0.6 to 1.8 ms with `best`; the next level of br takes 28 ms and saves another
 * 0.5%.
 */
export type Effort = 'quick' | 'best'

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, ZSTD_c_compressionLevel } = zlib.constants

const LEVELS: Readonly<Record<Encoding, Readonly<Record<Effort, number>>>> = {
  br: { quick: 1, best: 7 },
  zstd: { quick: 1, best: 9 },
  gzip: { quick: 1, best: 9 },
}

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)
const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)
const br = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

const zstdOptions = (effort: Effort) => ({ params: { [ZSTD_c_compressionLevel]: LEVELS.zstd[effort] } })
const brOptions = (effort: Effort, size: number) => ({
  params: { [BROTLI_PARAM_QUALITY]: LEVELS.br[effort], [BROTLI_PARAM_SIZE_HINT]: size },
})

/**
 * Limits concurrent compressions to two. They use the thread pool that also serves file reads and database writes, and
 * each one holds some hundred kilobytes of tables.
 */
const gate = new Semaphore(2, Infinity, () => new Error('Too many bodies are waiting to be compressed.'))

/** Compresses a body in a thread. */
export function compress(bytes: Buffer, encoding: Encoding, effort: Effort): Promise<Buffer> {
  return gate.run(() => {
    if (encoding === 'gzip') return gzip(bytes, { level: LEVELS.gzip[effort] })
    return encoding === 'zstd' ? zstd(bytes, zstdOptions(effort)) : br(bytes, brOptions(effort, bytes.length))
  })
}

/**
 * Compresses a long body piece by piece, so that memory never holds a second contiguous copy.
 * @param signal aborts the compression
 */
export function compressPieces(
  pieces: readonly Buffer[],
  encoding: QuickEncoding,
  signal: AbortSignal,
): Promise<readonly Buffer[]> {
  return gate.run(
    async () => {
      const compressed: Buffer[] = []
      const collect = async (coded: AsyncIterable<Buffer>) => {
        for await (const piece of coded) compressed.push(piece)
      }
      try {
        await pipeline(Readable.from(pieces), createCoder(encoding), collect, { signal })
      } catch (error) {
        signal.throwIfAborted()
        throw error
      }
      return compressed
    },
    { signal },
  )
}

/** Creates a stream that compresses with the level `quick`. */
export function createCoder(encoding: QuickEncoding): Transform {
  return encoding === 'gzip'
    ? zlib.createGzip({ level: LEVELS.gzip.quick })
    : zlib.createZstdCompress(zstdOptions('quick'))
}
