import { randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReceivedBytes } from '../../../kernel/index.ts'

/** Bytes of each body that stay in memory. */
export const MAX_MEMORY_BYTES = 262_144
/** Bytes of a piece that is read from the file. */
const PIECE_BYTES = 262_144

/**
 * Stores the bytes of a body: in memory up to a limit, then in a temporary file. The file is unlinked as soon as it is
 * open, so that nothing remains on disk if the process crashes.
 */
export class Spool implements ReceivedBytes {
  size = 0
  readonly #inMemory: () => number
  #pieces: Buffer[] = []
  #file: FileHandle | null = null
  #written: Promise<void> = Promise.resolve()

  /** @param inMemory returns the bytes that stay in memory, which can change while the body arrives */
  constructor(inMemory = () => MAX_MEMORY_BYTES) {
    this.#inMemory = inMemory
  }

  /** Stores a piece. Resolves when the next one can be written. */
  write(piece: Buffer): Promise<void> {
    this.size += piece.length
    this.#pieces.push(piece)
    if (this.size > this.#inMemory()) this.#written = this.#written.then(() => this.#flush())
    return this.#written
  }

  async read(): Promise<Buffer> {
    await this.#written
    if (this.#file === null) return Buffer.concat(this.#pieces)
    const all = Buffer.allocUnsafe(this.size)
    for (let at = 0; at < all.length;) at += await readAt(this.#file, all.subarray(at), at)
    return all
  }

  /** Yields all bytes in pieces, which needs less memory than `read`. */
  async *pieces(): AsyncGenerator<Buffer> {
    await this.#written
    if (this.#file === null) return yield* this.#pieces
    for (let at = 0; at < this.size;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const length = await readAt(this.#file, piece, at)
      at += length
      yield piece.subarray(0, length)
    }
  }

  /** Releases the memory and the file. */
  async close(): Promise<void> {
    await this.#written.catch(() => {})
    this.#pieces = []
    await this.#file?.close()
    this.#file = null
  }

  async #flush(): Promise<void> {
    this.#file ??= await openUnlinked()
    const pieces = this.#pieces.splice(0)
    await this.#file.writeFile(Buffer.concat(pieces))
  }
}

async function openUnlinked(): Promise<FileHandle> {
  const path = join(tmpdir(), `body-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** Reads bytes of the file at a position into a buffer, and returns their number. */
async function readAt(file: FileHandle, buffer: Buffer, position: number): Promise<number> {
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
  if (bytesRead === 0) throw new Error('The temporary file of a request body lacks bytes that were written to it.')
  return bytesRead
}
