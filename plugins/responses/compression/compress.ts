import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { Semaphore } from '../../library/long-work/index.ts'
import type { Encoding, QuickEncoding } from './negotiate.ts'

/**
 * How much time a body is worth: `quick` for one that is sent once, `best` for one that is kept. A list of 21 kB takes
 * 0.3 ms (zstd) or 0.4 ms (gzip) quickly, and 0.6 to 1.8 ms at its best; the next level of br takes 28 ms for another half
 * of a percent.
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
 * Bodies that are compressed at once. The threads are those that read files and bring writes to the disk, and each body
 * under way holds some hundred kilobytes of tables: the others wait.
 */
const gate = new Semaphore(2, Infinity, () => new Error('Too many bodies wait to be compressed.'))

/** A body in an encoding, made in a thread. */
export function compress(bytes: Buffer, encoding: Encoding, effort: Effort): Promise<Buffer> {
  return gate.run(() => {
    if (encoding === 'gzip') return gzip(bytes, { level: LEVELS.gzip[effort] })
    return encoding === 'zstd' ? zstd(bytes, zstdOptions(effort)) : br(bytes, brOptions(effort, bytes.length))
  })
}

/**
 * A long body in an encoding, piece by piece, so that it is never there a second time in one piece.
 * @param signal stops it: nobody waits for it any more
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

/** What compresses a stream, quickly. */
export function createCoder(encoding: QuickEncoding): Transform {
  return encoding === 'gzip'
    ? zlib.createGzip({ level: LEVELS.gzip.quick })
    : zlib.createZstdCompress(zstdOptions('quick'))
}
