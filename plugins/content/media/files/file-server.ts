import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import mime from 'mime'
import { HeaderMap, type CurrentUser, type SitePage, type SiteRequest } from '../../../../kernel/index.ts'
import type { Audience, FileAccess } from './file-access.ts'
import type { PendingFiles } from './file-tasks.ts'
import { judgeConditions, rangeHolds, type FileState } from './preconditions.ts'
import { parseRanges, type ByteRange } from './ranges.ts'

/** A file that may be sent. */
interface FoundFile extends FileState {
  path: string
  /** What the disk calls it, below the folder: links are followed, and letters are as they are there. */
  name: string
  type: string
  /** In bytes. */
  size: number
}

/** A part of an answer: some text, then bytes of the file. */
interface Part extends ByteRange {
  head: string
}

/** What browsers show without running anything in it. Everything else is only ever saved. */
const SHOWN = /^(?:(?:image|audio|video|font)\/(?!.*xml)|text\/(?:plain|css|csv|vtt)$|application\/pdf$)/
/** What a browser that opens a saved document after all may do with it. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
const UNKNOWN_TYPE = 'application/octet-stream'
/** Errors by which the disk says that there is no such file, or none for us. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES', 'EPERM', 'EINVAL'])

/** Sends the files of one folder. */
export class FileServer {
  readonly #folder: string
  readonly #maxAge: number
  readonly #pending: Pick<PendingFiles, 'among'>
  readonly #access: Pick<FileAccess, 'of'> | null

  /**
   * @param folder path of the folder; it may appear later
   * @param maxAge seconds for which a copy may be used without asking again
   * @param pending knows the files that are sent to nobody
   * @param access tells who may have a file; null for everybody every file
   */
  constructor(
    folder: string,
    maxAge: number,
    pending: Pick<PendingFiles, 'among'>,
    access: Pick<FileAccess, 'of'> | null = null,
  ) {
    this.#folder = folder
    this.#maxAge = maxAge
    this.#pending = pending
    this.#access = access
  }

  /**
   * The answer to a request for a file: whole or in parts, or that the client has it already. Null when there is no
   * such file, or none that the person may have. Nothing is opened before the body is read.
   *
   * @param name decoded, below the folder, with slashes: `2025/01/photo.jpg`
   */
  async answer(
    name: string,
    { method, headers, user }: Pick<SiteRequest, 'method' | 'headers' | 'user'>,
  ): Promise<SitePage | null> {
    const file = await locate(this.#folder, name)
    if (file === null) return null
    if ((await this.#pending.among([...new Set([name, file.name])])).length > 0) return null
    const audience = await this.#audienceOf([name, file.name], user)
    if (audience === 'others') return null
    if (method !== 'GET' && method !== 'HEAD') return page(405, { Allow: 'GET, HEAD' })
    const judged = judgeConditions(headers, file)
    if (judged === 412) return page(412)
    const common = {
      ETag: file.etag,
      'Last-Modified': new Date(file.modified * 1000).toUTCString(),
      'Cache-Control': audience === 'everybody' ? `public, max-age=${this.#maxAge}` : 'private, no-store',
      'Accept-Ranges': 'bytes',
      'X-Content-Type-Options': 'nosniff',
    }
    if (judged === 304) return page(304, common)
    const saved = { 'Content-Disposition': 'attachment', 'Content-Security-Policy': SANDBOX }
    const shown = { ...common, ...(!SHOWN.test(file.type) && saved) }
    // A range has a meaning for GET alone.
    const range = method === 'GET' && rangeHolds(headers, file) ? headers.get('range') : null
    const ranges = range === null ? null : parseRanges(range, file.size)
    if (ranges?.length === 0) return page(416, { 'Content-Range': `bytes */${file.size}` })
    if (ranges !== null) return partial(file, ranges, shown)
    const length = { 'Content-Type': typeHeader(file.type), 'Content-Length': String(file.size) }
    return { ...page(200, { ...shown, ...length }), body: method === 'HEAD' ? null : contents(file, [wholeOf(file)]) }
  }

  /** Who may have a file that has several names: who may have it under each. */
  async #audienceOf(names: readonly string[], user: CurrentUser): Promise<Audience> {
    let audience: Audience = 'everybody'
    for (const name of new Set(this.#access === null ? [] : names)) {
      const found = await this.#access!.of(name, user)
      if (audience === 'everybody' || found === 'others') audience = found
    }
    return audience
  }
}

type Headers = Readonly<Record<string, string>>

function page(status: number, headers: Headers = {}): SitePage {
  return { status, headers: new HeaderMap(headers), body: status === 304 ? null : '' }
}

function wholeOf({ size }: FoundFile): Part {
  return { head: '', start: 0, end: size - 1 }
}

function partial(file: FoundFile, ranges: readonly ByteRange[], headers: Headers): SitePage {
  const type = typeHeader(file.type)
  const told = ({ start, end }: ByteRange) => `bytes ${start}-${end}/${file.size}`
  const [only] = ranges
  const boundary = randomUUID()
  const single = ranges.length === 1 && only !== undefined
  const parts = ranges.map((range, index) => {
    const head = `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${told(range)}\r\n\r\n`
    return { ...range, head: single ? '' : head }
  })
  const tail = single ? '' : `\r\n--${boundary}--\r\n`
  const length = parts.reduce((sum, { head, start, end }) => sum + head.length + end - start + 1, tail.length)
  const answered = page(206, {
    ...headers,
    'Content-Type': single ? type : `multipart/byteranges; boundary=${boundary}`,
    'Content-Length': String(length),
    ...(single && { 'Content-Range': told(only) }),
  })
  return { ...answered, body: contents(file, parts, tail) }
}

function typeHeader(type: string): string {
  return type.startsWith('text/') ? `${type}; charset=UTF-8` : type
}

/** The bytes of an answer, read from the disk as fast as the client takes them. */
function contents(file: FoundFile, parts: readonly Part[], tail = ''): Readable {
  return Readable.from(read(file, parts, tail), { objectMode: false })
}

async function* read({ path, size }: FoundFile, parts: readonly Part[], tail: string): AsyncGenerator<Buffer> {
  // What has been put in the file's place meanwhile is no link and nothing that would have to be waited for.
  await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  for (const { head, start, end } of parts) {
    if (head !== '') yield Buffer.from(head, 'latin1')
    let left = end - start + 1
    if (left > 0) {
      for await (const chunk of handle.createReadStream({ start, end, autoClose: false }) as AsyncIterable<Buffer>) {
        left -= chunk.length
        yield chunk
      }
    }
    // The length is told already: a client must not take the rest for another answer.
    if (left > 0) throw new Error(`${path} has become shorter than ${size} bytes while it was read.`)
  }
  if (tail !== '') yield Buffer.from(tail, 'latin1')
}

/** The file of a name; null when there is none, when the name is unsafe, or when a link leads out of the folder. */
async function locate(folder: string, name: string): Promise<FoundFile | null> {
  if (!isPlain(name.split('/'))) return null
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, name))])
    if (!path.startsWith(root + sep) || !isPlain(path.slice(root.length + 1).split(sep))) return null
    const facts = await stat(path, { bigint: true })
    if (!facts.isFile()) return null
    return {
      path,
      name: path.slice(root.length + 1).replaceAll(sep, '/'),
      type: mime.getType(name) ?? UNKNOWN_TYPE,
      size: Number(facts.size),
      etag: `"${facts.mtimeNs.toString(36)}-${facts.size.toString(36)}"`,
      modified: Math.floor(Number(facts.mtimeMs) / 1000),
    }
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** Whether all parts of a path are ordinary names: not empty, not hidden, not `..`, without marks that end or divide names. */
export function isPlain(parts: readonly string[]): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  return parts.every((part) => part !== '' && !part.startsWith('.') && !/[\0-\x1f\x7f\\]/.test(part))
}
