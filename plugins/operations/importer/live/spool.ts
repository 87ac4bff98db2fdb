import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../../storage/store/index.ts'
import { errors } from '../errors.ts'
import type { OldObject } from './values.ts'

/** Where reading a collection continues after a page. */
export interface Cursor {
  /** Number of objects at the old site before the next page. */
  readonly offset: number
  /** ID of the last object of the page. */
  readonly lastId: number
  /** Number of objects in the spool. */
  readonly count: number
}

/** The objects of one page in one file. Its first line is the cursor. */
interface Page {
  readonly file: string
  readonly number: number
}

const PAGE_NAME = /^(\d{6,})\.jsonl$/
const DONE_NAME = 'done.json'
const NEWLINE_BYTE = 0x0a

/**
 * The objects of one collection of the old site, in files of one page each. A page appears complete or not at all, so
 * that a run that is killed at any moment continues after the last page.
 */
export class SpooledCollection {
  readonly #folder: string
  #next = 1

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<SpooledCollection> {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
    const collection = new SpooledCollection(folder)
    collection.#next = ((await collection.#pages()).at(-1)?.number ?? 0) + 1
    return collection
  }

  /** The cursor after the last page; null without pages. */
  async cursor(): Promise<Cursor | null> {
    const last = (await this.#pages()).at(-1)
    return last === undefined ? null : (await this.#readPage(last)).cursor
  }

  async add(objects: readonly OldObject[], cursor: Cursor): Promise<void> {
    const name = `${String(this.#next).padStart(6, '0')}.jsonl`
    const lines = [cursor, ...objects].map((object) => JSON.stringify(object))
    await writeAtomically(path.join(this.#folder, name), `${lines.join('\n')}\n`)
    this.#next += 1
  }

  /** Facts about the complete collection; null while it is incomplete. */
  async done<T>(): Promise<T | null> {
    return await readJson<T>(path.join(this.#folder, DONE_NAME))
  }

  async finish(facts: object): Promise<void> {
    await writeAtomically(path.join(this.#folder, DONE_NAME), JSON.stringify(facts))
  }

  /** Yields the objects in the order in which they were added. @throws IMPORT_LIVE_SPOOL */
  async *objects(): AsyncGenerator<OldObject> {
    for (const page of await this.#pages()) yield* (await this.#readPage(page)).objects
  }

  /** Yields the lines of the objects with their places, for an index. */
  async *lines(): AsyncGenerator<{ object: OldObject; page: number; start: number; length: number }> {
    for (const { file, number: page } of await this.#pages()) {
      const bytes = await readFile(file)
      let start = bytes.indexOf(NEWLINE_BYTE) + 1
      for (let end = bytes.indexOf(NEWLINE_BYTE, start); end !== -1; end = bytes.indexOf(NEWLINE_BYTE, start)) {
        yield { object: this.#parse(bytes.toString('utf8', start, end), file), page, start, length: end - start }
        start = end + 1
      }
    }
  }

  /** Path of a page. */
  fileOf(page: number): string {
    return path.join(this.#folder, `${String(page).padStart(6, '0')}.jsonl`)
  }

  async #pages(): Promise<Page[]> {
    const names = await readdir(this.#folder)
    const pages = names.flatMap((name) => {
      const match = PAGE_NAME.exec(name)
      return match === null ? [] : [{ file: path.join(this.#folder, name), number: Number(match[1]) }]
    })
    return pages.sort((one, other) => one.number - other.number)
  }

  async #readPage({ file }: Page): Promise<{ cursor: Cursor; objects: OldObject[] }> {
    const lines = (await readFile(file, 'utf8')).split('\n')
    if (lines.pop() !== '') throw errors.IMPORT_LIVE_SPOOL({ file })
    const [cursor, ...objects] = lines.map((line) => this.#parse(line, file))
    if (cursor === undefined || typeof cursor['offset'] !== 'number') throw errors.IMPORT_LIVE_SPOOL({ file })
    return { cursor: cursor as unknown as Cursor, objects }
  }

  #parse(line: string, file: string): OldObject {
    try {
      return JSON.parse(line) as OldObject
    } catch (cause) {
      throw errors.IMPORT_LIVE_SPOOL({ file }, { cause })
    }
  }
}

/** The folder with everything that was read from one old site. */
export class Spool {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  async open(): Promise<void> {
    await mkdir(this.#objects, { recursive: true, mode: PRIVATE_FOLDER })
  }

  collection(key: string): Promise<SpooledCollection> {
    return SpooledCollection.open(path.join(this.#objects, key))
  }

  async read<T>(name: string): Promise<T | null> {
    return await readJson<T>(path.join(this.folder, `${name}.json`))
  }

  async write(name: string, value: unknown): Promise<void> {
    await writeAtomically(path.join(this.folder, `${name}.json`), JSON.stringify(value))
  }

  /** Deletes the objects, but keeps the state. */
  async clear(): Promise<void> {
    await rm(this.#objects, { recursive: true, force: true })
    await mkdir(this.#objects, { recursive: true, mode: PRIVATE_FOLDER })
  }

  get #objects(): string {
    return path.join(this.folder, 'objects')
  }
}

/** Writes a file that appears complete or not at all, also after a power cut. */
async function writeAtomically(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: PRIVATE_FILE, flush: true })
  await rename(`${file}.new`, file)
}

async function readJson<T>(file: string): Promise<T | null> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (content === null) return null
  try {
    return JSON.parse(content) as T
  } catch (cause) {
    throw errors.IMPORT_LIVE_SPOOL({ file }, { cause })
  }
}
