import path from 'node:path'
import { errors } from './errors.ts'
import { OutputFile } from './output-file.ts'
import type { WxrPiece } from './wxr/write-wxr.ts'
import { FOOT } from './wxr/head.ts'

/**
 * Writes the pieces of a WXR file into files of a maximum size. Each has the head with all authors and terms, so that
 * they can be imported in any order. An item larger than the maximum gets a file of its own.
 * @param file path of the first file; further ones are named `site-2.xml`, `site-3.xml` …
 * @param maxSize in bytes
 * @returns the written files
 * @throws EXPORT_SIZE_TOO_SMALL
 */
export async function writeFiles(
  pieces: AsyncIterable<WxrPiece>,
  file: string,
  maxSize = Infinity,
): Promise<readonly OutputFile[]> {
  const files = new SplitFiles(file, maxSize)
  try {
    for await (const piece of pieces) await files.write(piece)
    return await files.finish()
  } catch (error) {
    await files.discard()
    throw error
  }
}

class SplitFiles {
  readonly #name: string
  readonly #maxSize: number
  readonly #files: OutputFile[] = []
  /** The head of each file; empty without a maximum. */
  #head = ''
  /** Number of items in the current file. */
  #items = 0
  /** The pieces of the current item, while it can still move to the next file. */
  #item: string[] = []
  #itemBytes = 0
  /** Whether the current item is being written without waiting for its end. */
  #isStreaming = false

  constructor(name: string, maxSize: number) {
    this.#name = name
    this.#maxSize = maxSize
  }

  async write({ part, text }: WxrPiece): Promise<void> {
    if (part === 'head') await this.#addToHead(text)
    else if (part === 'foot') await this.#current().write(text)
    else {
      await this.#addToItem(text)
      if (part === 'item end') await this.#endItem()
    }
  }

  async #addToHead(text: string): Promise<void> {
    if (this.#files.length === 0) this.#files.push(await OutputFile.open(this.#name))
    if (this.#maxSize !== Infinity) this.#head += text
    await this.#current().write(text)
    const needed = this.#current().bytes + FOOT.length
    if (needed >= this.#maxSize) throw errors.EXPORT_SIZE_TOO_SMALL(this.#maxSize, needed)
  }

  async #addToItem(text: string): Promise<void> {
    if (this.#maxSize === Infinity || this.#isStreaming) return this.#current().write(text)
    this.#item.push(text)
    this.#itemBytes += Buffer.byteLength(text)
    const isTooLong = this.#current().bytes + this.#itemBytes + FOOT.length > this.#maxSize
    if (!isTooLong) return
    if (this.#items > 0) await this.#nextFile()
    else await this.#writeItem()
    this.#isStreaming = this.#item.length === 0
  }

  async #endItem(): Promise<void> {
    await this.#writeItem()
    this.#items += 1
    this.#isStreaming = false
  }

  async #writeItem(): Promise<void> {
    for (const text of this.#item) await this.#current().write(text)
    this.#item = []
    this.#itemBytes = 0
  }

  async #nextFile(): Promise<void> {
    await this.#current().write(FOOT)
    const { dir, name, ext } = path.parse(this.#name)
    this.#files.push(await OutputFile.open(path.join(dir, `${name}-${this.#files.length + 1}${ext}`)))
    await this.#current().write(this.#head)
    this.#items = 0
    const isTooLong = this.#current().bytes + this.#itemBytes + FOOT.length > this.#maxSize
    if (isTooLong) await this.#writeItem()
  }

  #current(): OutputFile {
    return this.#files.at(-1)!
  }

  async finish(): Promise<readonly OutputFile[]> {
    for (const file of this.#files) await file.finish()
    return this.#files
  }

  async discard(): Promise<void> {
    for (const file of this.#files) await file.discard()
  }
}
