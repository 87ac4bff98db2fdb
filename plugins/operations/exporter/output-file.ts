import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { PRIVATE_FILE } from '../../storage/store/index.ts'

/** Bytes collected before they are written. */
const BUFFER_BYTES = 256 * 1024

/** A file that gets its name when it is complete, so that an interrupted export leaves no file that looks complete. */
export class OutputFile {
  readonly path: string
  /** Bytes written so far. */
  bytes = 0
  readonly #handle: FileHandle
  #waiting: Buffer[] = []
  #waitingBytes = 0

  private constructor(path: string, handle: FileHandle) {
    this.path = path
    this.#handle = handle
  }

  /** Opens a file that only the account of this process can read: exports contain private posts and email addresses. */
  static async open(path: string): Promise<OutputFile> {
    await rm(temporary(path), { force: true })
    return new OutputFile(path, await open(temporary(path), 'wx', PRIVATE_FILE))
  }

  async write(data: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(data as string)
    this.bytes += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= BUFFER_BYTES) await this.#flush()
  }

  /** Completes the file and replaces an existing one. */
  async finish(): Promise<void> {
    await this.#flush()
    await this.#handle.close()
    await rename(temporary(this.path), this.path)
  }

  /** Removes the incomplete file. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {})
    await rm(temporary(this.path), { force: true })
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    await this.#handle.writeFile(bytes)
  }
}

function temporary(path: string): string {
  return `${path}.part`
}
