import { open, readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { SpooledCollection } from './spool.ts'
import { idOf, type OldObject } from './values.ts'

/** Numbers per entry: group, page, start and length of the line. */
const ENTRY_NUMBERS = 4
const INITIAL_ENTRIES = 1024
/** Bytes of pages in memory. Of a larger page, single lines are read. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024

/**
 * Finds spooled objects by a field with an ID, such as comments by their post. Memory holds 16 bytes per object, and the
 * pages that were read last.
 */
export class LineIndex {
  readonly #spooled: SpooledCollection
  #entries = new Uint32Array(INITIAL_ENTRIES * ENTRY_NUMBERS)
  #count = 0
  /** Positions of the entries by group, then in the order of the spool. */
  #order = new Uint32Array()
  readonly #pages = new LRUCache<number, Buffer>({ maxSize: MAX_CACHED_BYTES, sizeCalculation: ({ length }) => length })
  readonly #largePages = new Set<number>()

  private constructor(spooled: SpooledCollection) {
    this.#spooled = spooled
  }

  static async build(spooled: SpooledCollection, field: string): Promise<LineIndex> {
    const index = new LineIndex(spooled)
    for await (const { object, page, start, length } of spooled.lines()) {
      const group = idOf(object[field])
      if (group !== 0) index.#add([group, page, start, length])
    }
    index.#order = new Uint32Array(index.#count)
      .map((_, at) => at)
      .sort((one, other) => {
        return index.#groupAt(one) - index.#groupAt(other) || one - other
      })
    return index
  }

  /** Groups of the index, in ascending order. */
  *groups(): Generator<number> {
    let last = 0
    for (const at of this.#order) {
      const group = this.#groupAt(at)
      if (group !== last) yield group
      last = group
    }
  }

  /** Reads the objects of a group. */
  async read(group: number): Promise<OldObject[]> {
    const objects: OldObject[] = []
    for (let place = this.#firstOf(group); place < this.#count; place += 1) {
      const at = this.#order[place]!
      if (this.#groupAt(at) !== group) break
      objects.push(await this.#readLine(at))
    }
    return objects
  }

  #add(entry: readonly number[]): void {
    const start = this.#count * ENTRY_NUMBERS
    if (start === this.#entries.length) {
      const larger = new Uint32Array(this.#entries.length * 2)
      larger.set(this.#entries)
      this.#entries = larger
    }
    this.#entries.set(entry, start)
    this.#count += 1
  }

  #groupAt(at: number): number {
    return this.#entries[at * ENTRY_NUMBERS] ?? 0
  }

  /** Place of the first entry of a group, by binary search. */
  #firstOf(group: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#groupAt(this.#order[middle]!) < group) low = middle + 1
      else high = middle
    }
    return low
  }

  async #readLine(at: number): Promise<OldObject> {
    const [, page = 0, start = 0, length = 0] = this.#entries.subarray(at * ENTRY_NUMBERS, (at + 1) * ENTRY_NUMBERS)
    const bytes = await this.#pageOf(page)
    const line = bytes?.subarray(start, start + length) ?? (await this.#readPart(page, start, length))
    return JSON.parse(line.toString('utf8')) as OldObject
  }

  /** The bytes of a page; null if it is too large to be kept. */
  async #pageOf(page: number): Promise<Buffer | null> {
    if (this.#largePages.has(page)) return null
    const cached = this.#pages.get(page)
    if (cached !== undefined) return cached
    // Reading a page takes as long as reading a line: objects of a group are often on the same pages.
    const bytes = await readFile(this.#spooled.fileOf(page))
    if (bytes.length > MAX_CACHED_BYTES) this.#largePages.add(page)
    else this.#pages.set(page, bytes)
    return bytes
  }

  async #readPart(page: number, start: number, length: number): Promise<Buffer> {
    await using file = await open(this.#spooled.fileOf(page))
    return (await file.read(Buffer.alloc(length), 0, length, start)).buffer
  }
}
