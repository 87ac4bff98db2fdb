import { randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReceivedBytes } from '../../../kernel/index.ts'

/** Bytes of a body that stay in memory, whoever sends it. */
export const IN_MEMORY = 262_144

/**
 * Keeps bytes as they come: in memory while they are few, else in a temporary file. The file has no name, so nothing of
 * it is left behind, however the process ends.
 */
export class Spool implements ReceivedBytes {
  size = 0
  readonly #inMemory: () => number
  #pieces: Buffer[] = []
  #file: FileHandle | null = null
  #written: Promise<void> = Promise.resolve()

  /** @param inMemory how many bytes stay in memory, as far as that is known by now */
  constructor(inMemory = () => IN_MEMORY) {
    this.#inMemory = inMemory
  }

  /** Keeps more. Resolves once there is room for the next. */
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
    for (let at = 0; at < all.length;) {
      const { bytesRead } = await this.#file.read(all, at, all.length - at, at)
      if (bytesRead === 0) throw new Error('The file of a body has become shorter.')
      at += bytesRead
    }
    return all
  }

  /** Forgets the bytes. */
  async close(): Promise<void> {
    await this.#written.catch(() => {})
    this.#pieces = []
    await this.#file?.close()
    this.#file = null
  }

  async #flush(): Promise<void> {
    this.#file ??= await openNameless()
    const pieces = this.#pieces.splice(0)
    await this.#file.writeFile(Buffer.concat(pieces))
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `body-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
