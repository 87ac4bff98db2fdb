import { constants, createReadStream, createWriteStream } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, open, opendir, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import tar from 'tar-stream'
import { exportedNames } from '../kernel/index.ts'
import { errors } from './errors.ts'

/** What became of the files. */
export interface UploadsReport {
  imported: number
  /** Files that were there before with the same content. */
  alreadyHere: number
  /** How many files were left out, by the reason. */
  skipped: Record<string, number>
}

/** Bounds of what is taken in; more is an error. */
export interface UploadLimits {
  /** Number of files, 2 million by default. */
  files?: number
  /** Bytes of one file, 8 GiB by default. */
  fileBytes?: number
  /** Bytes of all files, 512 GiB by default. */
  totalBytes?: number
}

/** Files that were read completely and wait, on the same disk, to be put in place. */
export interface StagedUploads extends AsyncDisposable {
  /** Whether the file is among these or in the uploads folder already. @param name `2025/01/photo.jpg` */
  has(name: string): Promise<boolean>
  /** Puts the files in place. A file that is there already is never replaced. */
  place(): Promise<UploadsReport>
  /** Removes what was not put in place. */
  discard(): Promise<void>
}

/** Left out, with the reason that the report gives. */
const HIDDEN = 'hidden files'
const PROGRAM = 'program files'
const LINK = 'links and special files'
const OTHER = 'another file with this name is in the uploads folder already'

/**
 * Reads media files from a folder or from a `.tar` or `.tar.gz` archive into a place beside the uploads folder; a
 * folder `uploads` around them is left away. Nothing appears among the uploads before `place()`.
 *
 * @param source path of the folder or the archive
 * @param folder path of the uploads folder; made when it is not there
 * @throws RestError IMPORT_UPLOADS_INVALID when the source cannot be read, is truncated or too large, or when an archive
 * holds names that lead out of the folder, links or devices
 */
export async function stageUploads(source: string, folder: string, limits: UploadLimits = {}): Promise<StagedUploads> {
  const kind = await stat(source).catch((cause: unknown) => {
    throw errors.IMPORT_UPLOADS_INVALID(`there is nothing to read at ${source}`, { cause })
  })
  await mkdir(folder, { recursive: true })
  if ((await realpath(source)) === (await realpath(folder))) {
    throw errors.IMPORT_UPLOADS_INVALID(`${source} is the uploads folder itself`)
  }
  const stage = new Stage(folder, await mkdtemp(path.join(folder, '.import-')), limits)
  try {
    await (kind.isDirectory() ? readFolder(source, stage) : readArchive(source, stage))
  } catch (cause) {
    await stage.discard()
    if (cause instanceof Error && 'data' in cause) throw cause
    throw errors.IMPORT_UPLOADS_INVALID(`${source}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
  return stage
}

/** The place where files wait. */
class Stage implements StagedUploads {
  private readonly folder: string
  private readonly waiting: string
  private readonly limits: Required<UploadLimits>
  private readonly skipped: Record<string, number> = {}
  private files = 0
  private bytes = 0

  constructor(folder: string, waiting: string, limits: UploadLimits) {
    this.folder = folder
    this.waiting = waiting
    this.limits = { files: 2_000_000, fileBytes: 8 * 1024 ** 3, totalBytes: 512 * 1024 ** 3, ...limits }
  }

  /**
   * Makes room for one more file.
   * @param name relative path with slashes, already safe
   * @returns where to write it, or undefined when it is to be left out
   */
  async admit(name: string, size: number): Promise<string | undefined> {
    const refused = refusal(name)
    if (refused !== undefined) return void this.skip(refused)
    this.files += 1
    this.bytes += size
    if (this.files > this.limits.files)
      throw errors.IMPORT_UPLOADS_INVALID(`there are more than ${this.limits.files} files`)
    if (size > this.limits.fileBytes)
      throw errors.IMPORT_UPLOADS_INVALID(`${name} is larger than ${this.limits.fileBytes} bytes`)
    if (this.bytes > this.limits.totalBytes) {
      throw errors.IMPORT_UPLOADS_INVALID(`the files are larger than ${this.limits.totalBytes} bytes together`)
    }
    const target = path.join(this.waiting, name)
    await mkdir(path.dirname(target), { recursive: true })
    return target
  }

  skip(reason: string): void {
    this.skipped[reason] = (this.skipped[reason] ?? 0) + 1
  }

  async has(name: string): Promise<boolean> {
    return (await exists(path.join(this.waiting, name))) || (await exists(path.join(this.folder, name)))
  }

  async place(): Promise<UploadsReport> {
    const report: UploadsReport = { imported: 0, alreadyHere: 0, skipped: this.skipped }
    for await (const name of filesBelow(this.waiting)) {
      const from = path.join(this.waiting, name)
      const to = path.join(this.folder, name)
      if (await exists(to)) {
        if (await sameContent(from, to)) report.alreadyHere += 1
        else this.skip(OTHER)
      } else {
        await mkdir(path.dirname(to), { recursive: true })
        await rename(from, to)
        report.imported += 1
      }
    }
    await this.discard()
    return report
  }

  async discard(): Promise<void> {
    await rm(this.waiting, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.discard()
  }
}

async function readFolder(source: string, stage: Stage): Promise<void> {
  const root = await lstat(path.join(source, 'uploads'))
    .then((inner) => inner.isDirectory())
    .catch(() => false)
  const from = root ? path.join(source, 'uploads') : source
  for await (const name of filesBelow(from, () => stage.skip(LINK))) {
    const file = path.join(from, name)
    const target = await stage.admit(name, (await lstat(file)).size)
    if (target !== undefined) await copyFile(file, target, constants.COPYFILE_FICLONE)
  }
}

async function readArchive(source: string, stage: Stage): Promise<void> {
  const extract = tar.extract()
  const reading = (await isGzip(source))
    ? pipeline(createReadStream(source), createGunzip(), extract)
    : pipeline(createReadStream(source), extract)
  // The loop below meets the same failure first; this one must not go unhandled.
  reading.catch(() => {})
  for await (const entry of extract) {
    const { name, type, size } = entry.header
    const isFile = type === 'file' || type === 'contiguous-file'
    if (!isFile && type !== 'directory') {
      throw errors.IMPORT_UPLOADS_INVALID(
        `the archive holds a ${type} (${shown(name)}); only files and folders are taken`,
      )
    }
    const inside = safeName(name)
    if (inside === undefined) {
      throw errors.IMPORT_UPLOADS_INVALID(`the archive holds a name that leads out of the folder: ${shown(name)}`)
    }
    const target = isFile && inside !== '' ? await stage.admit(inside, size) : undefined
    if (target === undefined) entry.resume()
    else await pipeline(entry as unknown as Readable, createWriteStream(target))
  }
  await reading
}

/**
 * The name of an archive's entry below the uploads folder, with slashes; `''` for that folder itself and undefined when
 * it leads elsewhere.
 */
export function safeName(name: string): string | undefined {
  if (name.startsWith('/') || /^[A-Za-z]:|[\0\\]/.test(name)) return undefined
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) return undefined
  const [program, folder] = exportedNames.uploads.slice(1).split('/')
  const around = parts[0] === program && parts[1] === folder ? 2 : parts[0] === folder ? 1 : 0
  return parts.slice(around).join('/')
}

/** Why a file is not taken, if so. Hidden files configure servers, program files are none of the media. */
function refusal(name: string): string | undefined {
  if (name.split('/').some((part) => part.startsWith('.'))) return HIDDEN
  return /\.(?:php\d?|phtml|phar)$/i.test(name) ? PROGRAM : undefined
}

/** Relative names of all files below a folder, with slashes. Links are not followed. */
async function* filesBelow(folder: string, special?: () => void, prefix = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(path.join(folder, prefix))) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, special, name)
    else if (entry.isFile()) yield name
    else special?.()
  }
}

async function exists(file: string): Promise<boolean> {
  return await lstat(file)
    .then(() => true)
    .catch(() => false)
}

async function sameContent(one: string, other: string): Promise<boolean> {
  const [first, second] = [await lstat(one), await lstat(other)]
  if (!second.isFile() || first.size !== second.size) return false
  await using left = await open(one)
  await using right = await open(other)
  const [a, b] = [Buffer.alloc(65536), Buffer.alloc(65536)]
  for (let at = 0; at < first.size; at += a.length) {
    const [{ bytesRead }] = await Promise.all([left.read(a, 0, a.length, at), right.read(b, 0, b.length, at)])
    if (bytesRead === 0 || a.compare(b, 0, bytesRead, 0, bytesRead) !== 0) return false
  }
  return true
}

async function isGzip(file: string): Promise<boolean> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
}

/** A name from an archive as it may appear in a message. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120))
}
