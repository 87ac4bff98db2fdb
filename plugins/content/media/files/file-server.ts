import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import mime from 'mime'
import { HeaderMap, type CurrentUser, type SitePage } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { errors } from '../errors.ts'
import type { Audience, FileAccess } from './file-access.ts'
import type { FileTasks } from './file-tasks.ts'
import { errorCode } from './place-file.ts'
import { checkPreconditions, rangeApplies, type FileState } from './preconditions.ts'
import { parseRanges, type ByteRange } from './ranges.ts'
import { isSafePath } from './safe-path.ts'

/** A file that can be sent. */
interface FoundFile extends FileState {
  path: string
  /** Real name relative to the folder: with links resolved and the letter case of the disk. */
  name: string
  type: string
  /** In bytes. */
  size: number
}

/** A part of a response: a text, followed by bytes of the file. */
interface Part extends ByteRange {
  head: string
}

/** Types that browsers show without running scripts. All others are sent as downloads. */
const INLINE = /^(?:(?:image|audio|video|font)\/(?!.*xml)|text\/(?:plain|css|csv|vtt)$|application\/pdf$)/
/** Restrictions for documents that a browser opens although they are sent as downloads. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
const UNKNOWN_TYPE = 'application/octet-stream'
/** File system errors for missing or unreadable files. */
const NOT_FOUND = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES', 'EPERM', 'EINVAL'])

/** Sends the files of a folder. */
export class FileServer {
  readonly #folder: string
  readonly #maxAge: number
  readonly #tasks: Pick<FileTasks, 'pending'>
  readonly #access: Pick<FileAccess, 'audienceOf'> | null

  /**
   * @param folder path of the folder; it can be created later
   * @param maxAge seconds for which caches may use a copy without revalidating it
   * @param tasks lists the files with pending tasks, which are not sent
   * @param access decides who may read a file; null if every client may read every file
   */
  constructor(
    folder: string,
    maxAge: number,
    tasks: Pick<FileTasks, 'pending'>,
    access: Pick<FileAccess, 'audienceOf'> | null = null,
  ) {
    this.#folder = folder
    this.#maxAge = maxAge
    this.#tasks = tasks
    this.#access = access
  }

  /**
   * Responds to a request for a file: with the whole file, parts of it, or 304 if the client's copy is current. Returns
   * null if the file does not exist or the user may not read it. The file is opened when the body is read.
   * @param name decoded, relative to the folder, with slashes: `2025/01/photo.jpg`
   */
  async respond(
    name: string,
    { method, headers, user }: Pick<SiteRequest, 'method' | 'headers' | 'user'>,
  ): Promise<SitePage | null> {
    const file = await findFile(this.#folder, name)
    if (file === null) return null
    if ((await this.#tasks.pending([...new Set([name, file.name])])).length > 0) return null
    const audience = await this.#audienceOf([name, file.name], user)
    if (audience === 'others') return null
    if (method !== 'GET' && method !== 'HEAD') return page(405, { Allow: 'GET, HEAD' })
    const status = checkPreconditions(headers, file)
    if (status === 412) return page(412)
    const common = {
      ETag: file.etag,
      'Last-Modified': new Date(file.modified * 1000).toUTCString(),
      'Cache-Control': audience === 'everybody' ? `public, max-age=${this.#maxAge}` : 'private, no-store',
      'Accept-Ranges': 'bytes',
      'X-Content-Type-Options': 'nosniff',
    }
    if (status === 304) return page(304, common)
    const download = { 'Content-Disposition': 'attachment', 'Content-Security-Policy': SANDBOX }
    const sent = { ...common, ...(!INLINE.test(file.type) && download) }
    // Ranges are defined only for GET.
    const range = method === 'GET' && rangeApplies(headers, file) ? headers.get('range') : null
    const ranges = range === null ? null : parseRanges(range, file.size)
    if (ranges?.length === 0) return page(416, { 'Content-Range': `bytes */${file.size}` })
    if (ranges !== null) return partial(file, ranges, sent)
    const length = { 'Content-Type': typeHeader(file.type), 'Content-Length': String(file.size) }
    return { ...page(200, { ...sent, ...length }), body: method === 'HEAD' ? null : contents(file, [wholeOf(file)]) }
  }

  /** Returns who may read a file under all of its names. */
  async #audienceOf(names: readonly string[], user: CurrentUser): Promise<Audience> {
    let audience: Audience = 'everybody'
    for (const name of new Set(this.#access === null ? [] : names)) {
      const other = await this.#access!.audienceOf(name, user)
      if (audience === 'everybody' || other === 'others') audience = other
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
  const contentRange = ({ start, end }: ByteRange) => `bytes ${start}-${end}/${file.size}`
  const [only] = ranges
  const boundary = randomUUID()
  const single = ranges.length === 1 && only !== undefined
  const parts = ranges.map((range, index) => {
    const head = `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${contentRange(range)}\r\n\r\n`
    return { ...range, head: single ? '' : head }
  })
  const tail = single ? '' : `\r\n--${boundary}--\r\n`
  const length = parts.reduce((sum, { head, start, end }) => sum + head.length + end - start + 1, tail.length)
  const response = page(206, {
    ...headers,
    'Content-Type': single ? type : `multipart/byteranges; boundary=${boundary}`,
    'Content-Length': String(length),
    ...(single && { 'Content-Range': contentRange(only) }),
  })
  return { ...response, body: contents(file, parts, tail) }
}

function typeHeader(type: string): string {
  return type.startsWith('text/') ? `${type}; charset=UTF-8` : type
}

/** Reads the bytes of a response from the disk at the pace of the client. */
function contents(file: FoundFile, parts: readonly Part[], tail = ''): Readable {
  return Readable.from(read(file, parts, tail), { objectMode: false })
}

async function* read({ path, size }: FoundFile, parts: readonly Part[], tail: string): AsyncGenerator<Buffer> {
  // The path can have been replaced since the check: do not follow links or wait for pipes.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  await using handle = await open(path, flags).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? errors.rest_file_gone() : error
  })
  for (const { head, start, end } of parts) {
    if (head !== '') yield Buffer.from(head, 'latin1')
    let remaining = end - start + 1
    if (remaining > 0) {
      for await (const chunk of handle.createReadStream({ start, end, autoClose: false }) as AsyncIterable<Buffer>) {
        remaining -= chunk.length
        yield chunk
      }
    }
    // The length has already been sent: the client must not treat the next response as the missing bytes.
    if (remaining > 0) throw new Error(`${path} became shorter than ${size} bytes while it was read.`)
  }
  if (tail !== '') yield Buffer.from(tail, 'latin1')
}

/** Finds a file; null if it does not exist, its name is unsafe, or a link leads out of the folder. */
async function findFile(folder: string, name: string): Promise<FoundFile | null> {
  if (!isSafePath(name.split('/'))) return null
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, name))])
    if (!path.startsWith(root + sep) || !isSafePath(path.slice(root.length + 1).split(sep))) return null
    const stats = await stat(path, { bigint: true })
    if (!stats.isFile()) return null
    return {
      path,
      name: path.slice(root.length + 1).replaceAll(sep, '/'),
      type: mime.getType(name) ?? UNKNOWN_TYPE,
      size: Number(stats.size),
      etag: `"${stats.mtimeNs.toString(36)}-${stats.size.toString(36)}"`,
      modified: Math.floor(Number(stats.mtimeMs) / 1000),
    }
  } catch (error) {
    if (NOT_FOUND.has(errorCode(error))) return null
    throw error
  }
}
