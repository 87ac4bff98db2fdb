import type { Readable } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { errors } from '../errors.ts'
import { phrase, phraseOf } from '../phrases.ts'

/** Maximum entries of an archive. */
const MAX_ENTRIES = 2_000_000
/** File type of symbolic links in the attributes of an entry. */
const SYMBOLIC_LINK = 0o120000
const FILE_TYPE = 0o170000
const ENCRYPTED_FLAG = 1

/** A file in a zip archive. */
export interface ZipEntry {
  /** Path within the archive, with slashes. */
  name: string
  /** Bytes when unpacked. The archive is refused if an entry has more. */
  size: number
  packedSize: number
  isLink: boolean
  isEncrypted: boolean
  open(): Promise<Readable>
}

/** A zip archive that is open for reading. */
export class ZipArchive {
  readonly #zip: ZipFile

  private constructor(zip: ZipFile) {
    this.#zip = zip
  }

  /** Opens an archive. Its central directory names the entries and their sizes. */
  static async open(file: string): Promise<ZipArchive> {
    return new ZipArchive(await openPromise(file, { autoClose: false, lazyEntries: true, validateEntrySizes: true }))
  }

  /** Yields the entries except folders. @throws IMPORT_SOURCE_INVALID for too many entries */
  async *entries(): AsyncGenerator<ZipEntry> {
    let count = 0
    for await (const entry of this.#entries()) {
      count += 1
      if (count > MAX_ENTRIES)
        throw errors.IMPORT_SOURCE_INVALID({
          reason: phrase('the archive has more than {count} entries', { count: MAX_ENTRIES }),
        })
      if (!entry.fileName.endsWith('/')) yield this.#entryOf(entry)
    }
  }

  /** @throws IMPORT_SOURCE_INVALID for a damaged archive, or a name that leads outside of it */
  async *#entries(): AsyncGenerator<Entry> {
    try {
      yield* this.#zip.eachEntry()
    } catch (cause) {
      throw errors.IMPORT_SOURCE_INVALID(
        { reason: phrase('the archive cannot be read: {reason}', { reason: phraseOf(cause) }) },
        { cause },
      )
    }
  }

  [Symbol.dispose](): void {
    this.#zip.close()
  }

  #entryOf(entry: Entry): ZipEntry {
    return {
      name: entry.fileName,
      size: entry.uncompressedSize,
      packedSize: entry.compressedSize,
      isLink: ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK,
      isEncrypted: (entry.generalPurposeBitFlag & ENCRYPTED_FLAG) !== 0,
      open: () => this.#zip.openReadStreamPromise(entry),
    }
  }
}
