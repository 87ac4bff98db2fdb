import { constants, createReadStream, createWriteStream } from 'node:fs'
import { chmod, copyFile, lstat, open, realpath, rename, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import tar from 'tar-stream'
import { exportedNames } from '../../library/branding/index.ts'
import {
  exists,
  filesBelow,
  makeFolder,
  makeStaging,
  fileModes,
  deletePlaceTask,
  addPlaceTask,
  placeStaged,
  type FileModes,
} from '../../content/media/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { KindCount } from './report.ts'

/** Limits of uploads; anything larger is refused. */
export interface UploadLimits {
  /** Files of a folder, or entries of an archive: also folders, empty files and files that are left out. 2 million by default. */
  files?: number
  /** Bytes of one file, 8 GiB by default. */
  fileBytes?: number
  /** Bytes of all files, 512 GiB by default. */
  totalBytes?: number
  /** How many times as large as a compressed archive its content may be; 20 by default. Contents up to 10 MiB may be larger. */
  ratio?: number
  /** Bytes that the files may take on the disk; by default all that is free, except 1 GiB or 5 % of the disk. */
  diskBytes?: number
}

/** Bytes up to which the ratio of an archive does not matter. */
const MIN_RATIO_BYTES = 10 * 1024 ** 2
/** Bytes of the disk that uploads leave free, and the part of the disk where that is less. */
const RESERVED_BYTES = 1024 ** 3
const RESERVED_PART = 0.05
/** Bytes that even an empty file takes. */
const DISK_BLOCK_BYTES = 4096
/** Bytes of a name and of each of its parts, and how many parts it has. */
const MAX_NAME_BYTES = 1024
const MAX_PART_BYTES = 255
const MAX_PARTS = 32

const DEFAULT_LIMITS = { files: 2_000_000, fileBytes: 8 * 1024 ** 3, totalBytes: 512 * 1024 ** 3, ratio: 20 }

/** Left out, with the reason that the report gives. */
const HIDDEN = 'hidden files'
const PROGRAM = 'program files'
const LINK = 'links and special files'
const REPLACED = 'earlier versions of a file that is in the archive more than once'
const UNNAMED = 'files that no attachment names'
const OTHER = 'another file with this name is in the uploads folder already'

/**
 * Reads media files from a folder or from a `.tar` or `.tar.gz` archive into a hidden folder among the uploads; a
 * folder `uploads` around them is left out. Nothing appears among the uploads before `place()`.
 *
 * @param source path of the folder or the archive
 * @param folder path of the uploads folder; made when it is not there
 * @param modes permissions of what is made
 * @throws RestError IMPORT_UPLOADS_INVALID when the source cannot be read, is truncated, is too large for the limits or the
 * disk, or when an archive holds names that lead out of the folder, links or devices. Nothing of it is left then
 */
export async function stageUploads(
  source: string,
  folder: string,
  limits: UploadLimits = {},
  modes: FileModes = fileModes({ share_uploads: false }),
): Promise<StagedUploads> {
  const kind = await stat(source).catch((cause: unknown) => {
    throw errors.IMPORT_UPLOADS_INVALID(`there is nothing to read at ${source}`, { cause })
  })
  await makeFolder(folder, modes)
  if ((await realpath(source)) === (await realpath(folder))) {
    throw errors.IMPORT_UPLOADS_INVALID(`${source} is the uploads folder itself`)
  }
  const bounds = { ...DEFAULT_LIMITS, diskBytes: await writableBytes(folder), ...limits }
  const stage = new StagedUploads(folder, await makeStaging(folder, 'import', modes), bounds, modes)
  try {
    await (kind.isDirectory() ? readFolder(source, stage) : readArchive(source, stage))
  } catch (cause) {
    await stage.discard()
    if (cause instanceof Error && 'data' in cause) throw cause
    throw errors.IMPORT_UPLOADS_INVALID(`${source}: ${reasonOf(cause)}`, { cause })
  }
  return stage
}

/** Files that were read completely and wait, on the same disk, to be moved into the uploads folder. */
export class StagedUploads {
  readonly #folder: string
  /** Name of the folder below the uploads folder. */
  #name: string
  /** Names of all folders that were made for the files. */
  readonly #names: string[]
  readonly limits: Required<UploadLimits>
  readonly modes: FileModes
  readonly #skipped: Record<string, number> = {}
  #files = 0
  #bytes = 0
  #diskBytes = 0
  /** Whether the database may say that the files belong among the uploads: then they are not removed. */
  #isPromised = false

  constructor(folder: string, name: string, limits: Required<UploadLimits>, modes: FileModes) {
    this.#folder = folder
    this.#name = name
    this.#names = [name]
    this.modes = modes
    this.limits = limits
  }

  /** Counts a file of a folder, or an entry of an archive. @throws IMPORT_UPLOADS_INVALID for one too many */
  count(): void {
    this.#files += 1
    const { files } = this.limits
    if (this.#files > files) throw errors.IMPORT_UPLOADS_INVALID(`there are more than ${files} files`)
  }

  /**
   * Makes room for one more file.
   * @param name relative path with slashes, already safe
   * @returns where to write it, or undefined when it is to be left out
   * @throws IMPORT_UPLOADS_INVALID if the name or a size is beyond a limit
   */
  async admit(name: string, size: number): Promise<string | undefined> {
    const refused = refusal(name)
    if (refused !== undefined) return void this.skip(refused)
    const { fileBytes, totalBytes, diskBytes } = this.limits
    if (isTooLong(name))
      throw errors.IMPORT_UPLOADS_INVALID(`a name is too long, or in too many folders: ${shown(name)}`)
    if (!Number.isSafeInteger(size) || size < 0) throw errors.IMPORT_UPLOADS_INVALID(`${shown(name)} has no valid size`)
    if (size > fileBytes) throw errors.IMPORT_UPLOADS_INVALID(`${shown(name)} is larger than ${fileBytes} bytes`)
    this.#bytes += size
    if (this.#bytes > totalBytes) {
      throw errors.IMPORT_UPLOADS_INVALID(`the files are larger than ${totalBytes} bytes together`)
    }
    this.#diskBytes += Math.max(1, Math.ceil(size / DISK_BLOCK_BYTES)) * DISK_BLOCK_BYTES
    if (this.#diskBytes > diskBytes) {
      throw errors.IMPORT_UPLOADS_INVALID(
        `the files need more than the ${diskBytes} bytes that are free for them on the disk of the uploads folder`,
      )
    }
    const target = path.join(this.#waiting, name)
    await makeFolder(path.dirname(target), this.modes)
    return target
  }

  skip(reason: string, count = 1): void {
    this.#skipped[reason] = (this.#skipped[reason] ?? 0) + count
  }

  /** Whether the file is among these or in the uploads folder already. @param name `2025/01/photo.jpg` */
  async has(name: string): Promise<boolean> {
    return (await exists(path.join(this.#waiting, name))) || (await exists(path.join(this.#folder, name)))
  }

  /**
   * Keeps the files that have one of these names, and removes all others, which the report counts.
   * @param names of files, each a safe relative path with slashes
   */
  async keepOnly(names: AsyncIterable<string>): Promise<void> {
    const all = this.#waiting
    this.#name = await makeStaging(this.#folder, 'import', this.modes)
    this.#names.push(this.#name)
    for await (const name of names) {
      const from = path.join(all, name)
      if (
        !(await lstat(from).then(
          (found) => found.isFile(),
          () => false,
        ))
      )
        continue
      const to = path.join(this.#waiting, name)
      await makeFolder(path.dirname(to), this.modes)
      await rename(from, to)
    }
    for await (const _ of filesBelow(all)) this.skip(UNNAMED)
    await rm(all, { recursive: true, force: true })
  }

  /**
   * Notes in the transaction of an import that the files belong among the uploads: from then on they are moved there
   * whatever happens to this process, by the next server that starts if need be.
   */
  async promise(tx: Store): Promise<void> {
    // Even a commit that seems to have failed may be one: what nobody asks for is removed by the next server.
    this.#isPromised = true
    await addPlaceTask(tx, this.#name)
  }

  /** Moves the files to the uploads once what they belong to is stored. A file that is there already is never replaced. */
  async place(store: Store): Promise<KindCount> {
    const { placed, alreadyHere, others } = await placeStaged(this.#folder, this.#name, this.modes)
    await deletePlaceTask(store, this.#name)
    if (others > 0) this.skip(OTHER, others)
    return { imported: placed, alreadyHere, skipped: this.#skipped }
  }

  /** Removes what was not moved. */
  async discard(): Promise<void> {
    for (const name of this.#names) await rm(path.join(this.#folder, name), { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isPromised) await this.discard()
  }

  get #waiting(): string {
    return path.join(this.#folder, this.#name)
  }
}

async function readFolder(source: string, stage: StagedUploads): Promise<void> {
  const root = await lstat(path.join(source, 'uploads'))
    .then((inner) => inner.isDirectory())
    .catch(() => false)
  const from = root ? path.join(source, 'uploads') : source
  for await (const name of filesBelow(from, () => stage.skip(LINK))) {
    stage.count()
    const file = path.join(from, name)
    const target = await stage.admit(name, (await lstat(file)).size)
    if (target === undefined) continue
    await copyFile(file, target, constants.COPYFILE_FICLONE)
    // A copy has the permissions of what was copied.
    await chmod(target, stage.modes.file)
  }
}

async function readArchive(source: string, stage: StagedUploads): Promise<void> {
  const extract = tar.extract()
  const unpacking = (await isGzip(source)) ? [createGunzip(), await ratioGuard(source, stage.limits.ratio)] : []
  const reading = pipeline([createReadStream(source), ...unpacking, extract])
  // An entry that the archive breaks off would wait for the rest for ever.
  const broken = new AbortController()
  reading.catch((cause: unknown) => broken.abort(cause))
  for await (const entry of extract) {
    const { name, type, size } = entry.header
    stage.count()
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
    if (target === undefined) {
      entry.resume()
      continue
    }
    // As with tar, the last one stays.
    if (await exists(target)) stage.skip(REPLACED)
    const file = createWriteStream(target, { mode: stage.modes.file })
    await pipeline(entry as unknown as Readable, file, { signal: broken.signal }).catch((cause: unknown) => {
      throw broken.signal.aborted ? broken.signal.reason : cause
    })
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

async function isGzip(file: string): Promise<boolean> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
}

function isTooLong(name: string): boolean {
  const parts = name.split('/')
  if (parts.length > MAX_PARTS || Buffer.byteLength(name) > MAX_NAME_BYTES) return true
  return parts.some((part) => Buffer.byteLength(part) > MAX_PART_BYTES)
}

/** Passes on what a compressed archive unpacks to, as long as it is not too large for the size of the archive. */
async function ratioGuard(source: string, ratio: number): Promise<Transform> {
  const { size } = await stat(source)
  const most = Math.max(size * ratio, MIN_RATIO_BYTES)
  let bytes = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length
      if (bytes <= most) done(null, piece)
      else
        done(errors.IMPORT_UPLOADS_INVALID(`the archive unpacks to more than ${ratio} times its size of ${size} bytes`))
    },
  })
}

/** How many bytes uploads may take of the disk that a folder is on. */
async function writableBytes(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return Math.max(0, bavail * bsize - Math.min(RESERVED_BYTES, blocks * bsize * RESERVED_PART))
}

/** Why files could not be read or written, in words. */
function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk of the uploads folder is full'
  if (code === 'EISDIR' || code === 'ENOTDIR' || code === 'EEXIST') return 'one name is that of a file and of a folder'
  return message.replace(/\.$/, '')
}

/** A name from an archive as it may appear in a message. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120))
}
