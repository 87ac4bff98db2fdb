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
import { foreignPhrase, phrase, type ReportPhrase, type ReportReason } from './phrases.ts'
import { addSkipped, type KindCount } from './report.ts'
import { ZipArchive } from './sources/zip.ts'

/** Limits of uploads; larger sources are rejected. */
export interface UploadLimits {
  /**
   * Files of a folder, or entries of an archive including folders, empty files and skipped files. Default: 2 million.
   */
  files?: number
  /** Bytes of one file. Default: 8 GiB. */
  fileBytes?: number
  /** Bytes of all files. Default: 512 GiB. */
  totalBytes?: number
  /**
   * Maximum ratio of the unpacked size to the size of a compressed archive; does not apply up to 10 MiB. Default: 20.
   */
  ratio?: number
  /**
   * Disk space in bytes that the files may use. Default: all free space except 1 GiB or 5 % of the disk, whichever is
   * less.
   */
  diskBytes?: number
}

/** Bytes up to which the ratio of an archive does not apply. */
const MIN_RATIO_BYTES = 10 * 1024 ** 2
/** Disk space in bytes that uploads leave free, and the share of the disk if that is less. */
const RESERVED_BYTES = 1024 ** 3
const RESERVED_PART = 0.05
/** Disk space in bytes that even an empty file uses. */
const DISK_BLOCK_BYTES = 4096
/** Maximum bytes of a path, bytes of each of its parts, and number of parts. */
const MAX_NAME_BYTES = 1024
const MAX_PART_BYTES = 255
const MAX_PARTS = 32

const DEFAULT_LIMITS = { files: 2_000_000, fileBytes: 8 * 1024 ** 3, totalBytes: 512 * 1024 ** 3, ratio: 20 }

/** Reasons in the report for skipped files. */
const HIDDEN = 'hidden files'
const PROGRAM = 'program files'
const LINK = 'links and special files'
const REPLACED = 'earlier versions of files that the archive contains more than once'
const UNNAMED = 'files that belong to no attachment'
const OTHER = 'a different file with this name already exists in the uploads folder'

/**
 * Reads media files from a folder, or from a `.tar`, `.tar.gz` or `.zip` archive, into a hidden staging folder in the uploads
 * folder. A surrounding folder `uploads` is stripped. Files are visible only after `place()`.
 *
 * @param source path of the folder or the archive
 * @param folder path of the uploads folder, which is created if it does not exist
 * @param modes permissions of created files and folders
 * @throws RestError IMPORT_UPLOADS_INVALID if the source cannot be read, is truncated, exceeds the limits or the free
 * disk space, or if an archive contains paths outside the folder, links or devices. No files are left in that case.
 */
export async function stageUploads(
  source: string,
  folder: string,
  limits: UploadLimits = {},
  modes: FileModes = fileModes({ share_uploads: false }),
): Promise<StagedUploads> {
  const kind = await stat(source).catch((cause: unknown) => {
    throw invalid(phrase('{name} does not exist or cannot be read', { name: source }), cause)
  })
  await makeFolder(folder, modes)
  if ((await realpath(source)) === (await realpath(folder))) {
    throw invalid(phrase('{name} is the uploads folder itself', { name: source }))
  }
  const bounds = { ...DEFAULT_LIMITS, diskBytes: await writableBytes(folder), ...limits }
  const stage = new StagedUploads(folder, await makeStaging(folder, 'import', modes), bounds, modes)
  try {
    await (kind.isDirectory() ? readFolder(source, stage) : readArchive(source, stage))
  } catch (cause) {
    await stage.discard()
    if (cause instanceof Error && 'data' in cause) throw cause
    throw invalid(phrase('{name}: {reason}', { name: source, reason: reasonOf(cause) }), cause)
  }
  return stage
}

/** Staged files, on the same disk as the uploads folder, that can be moved there. */
export class StagedUploads {
  readonly #folder: string
  /** Name of the staging folder in the uploads folder. */
  #name: string
  /** Names of all staging folders that were created. */
  readonly #names: string[]
  readonly limits: Required<UploadLimits>
  readonly modes: FileModes
  readonly #skipped: Record<string, number> = {}
  #files = 0
  #bytes = 0
  #diskBytes = 0
  /** Whether the database may already record that the files will be placed. They are not removed then. */
  #isPromised = false

  constructor(folder: string, name: string, limits: Required<UploadLimits>, modes: FileModes) {
    this.#folder = folder
    this.#name = name
    this.#names = [name]
    this.modes = modes
    this.limits = limits
  }

  /** Counts a file of a folder, or an entry of an archive. @throws IMPORT_UPLOADS_INVALID beyond the limit */
  count(): void {
    this.#files += 1
    const { files } = this.limits
    if (this.#files > files) throw invalid(phrase('there are more than {count} files', { count: files }))
  }

  /**
   * Reserves space for a file.
   * @param name validated relative path with slashes
   * @returns the path to write the file to, or undefined if it is skipped
   * @throws IMPORT_UPLOADS_INVALID if the path or a size exceeds a limit
   */
  async admit(name: string, size: number): Promise<string | undefined> {
    const refused = skipReason(name)
    if (refused !== undefined) return void this.skip(refused)
    const { fileBytes, totalBytes, diskBytes } = this.limits
    if (isTooLong(name))
      throw invalid(phrase('the path {name} is too long or has too many folders', { name: shown(name) }))
    if (!Number.isSafeInteger(size) || size < 0)
      throw invalid(phrase('{name} has no valid size', { name: shown(name) }))
    if (size > fileBytes)
      throw invalid(phrase('{name} is larger than {bytes} bytes', { name: shown(name), bytes: fileBytes }))
    this.#bytes += size
    if (this.#bytes > totalBytes) {
      throw invalid(phrase('the files have more than {bytes} bytes in total', { bytes: totalBytes }))
    }
    this.#diskBytes += Math.max(1, Math.ceil(size / DISK_BLOCK_BYTES)) * DISK_BLOCK_BYTES
    if (this.#diskBytes > diskBytes) {
      throw invalid(
        phrase('the files need more than the {bytes} bytes available on the disk of the uploads folder', {
          bytes: diskBytes,
        }),
      )
    }
    const target = path.join(this.#waiting, name)
    await makeFolder(path.dirname(target), this.modes)
    return target
  }

  skip(reason: ReportReason, count = 1): void {
    addSkipped({ skipped: this.#skipped }, reason, count)
  }

  /** Whether a file is staged or in the uploads folder. @param name `2025/01/photo.jpg` */
  async has(name: string): Promise<boolean> {
    return (await exists(path.join(this.#waiting, name))) || (await exists(path.join(this.#folder, name)))
  }

  /**
   * Removes all staged files except those with one of the given names, and counts the removed files.
   * @param names safe relative paths with slashes
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
   * Records in the transaction of an import that the files will be placed. After the commit they are moved in any case,
   * by the next server start if this process ends.
   */
  async promise(tx: Store): Promise<void> {
    // A commit that seems to have failed may have succeeded. The next server start removes files without a record.
    this.#isPromised = true
    await addPlaceTask(tx, this.#name)
  }

  /** Moves the files to the uploads folder after the import is committed. Existing files are never replaced. */
  async place(store: Store): Promise<KindCount> {
    const { placed, alreadyHere, others } = await placeStaged(this.#folder, this.#name, this.modes)
    await deletePlaceTask(store, this.#name)
    if (others > 0) this.skip(OTHER, others)
    return { imported: placed, alreadyHere, skipped: this.#skipped }
  }

  /** Removes the files that were not moved. */
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
    // A copied file has the permissions of its source.
    await chmod(target, stage.modes.file)
  }
}

async function readArchive(source: string, stage: StagedUploads): Promise<void> {
  if (await hasStart(source, [0x50, 0x4b, 0x03, 0x04])) return await readZip(source, stage)
  const extract = tar.extract()
  const unpacking = (await hasStart(source, [0x1f, 0x8b]))
    ? [createGunzip(), await ratioGuard(source, stage.limits.ratio)]
    : []
  const reading = pipeline([createReadStream(source), ...unpacking, extract])
  // Without this, a truncated entry would wait forever for its remaining data.
  const broken = new AbortController()
  reading.catch((cause: unknown) => broken.abort(cause))
  for await (const entry of extract) {
    const { name, type, size } = entry.header
    stage.count()
    const isFile = type === 'file' || type === 'contiguous-file'
    if (!isFile && type !== 'directory') {
      throw invalid(
        phrase('the archive contains a {type} ({name}); only files and folders are allowed', {
          type: String(type),
          name: shown(name),
        }),
      )
    }
    const inside = safeName(name)
    if (inside === undefined) {
      throw invalid(phrase('the archive contains a path outside its folder: {name}', { name: shown(name) }))
    }
    const target = isFile && inside !== '' ? await stage.admit(inside, size) : undefined
    if (target === undefined) {
      entry.resume()
      continue
    }
    // The last entry with the same path wins, as with tar.
    if (await exists(target)) stage.skip(REPLACED)
    const file = createWriteStream(target, { mode: stage.modes.file })
    await pipeline(entry as unknown as Readable, file, { signal: broken.signal }).catch((cause: unknown) => {
      throw broken.signal.aborted ? broken.signal.reason : cause
    })
  }
  await reading
}

/**
 * Path of an archive entry below the uploads folder, with slashes; `''` for the folder itself, undefined if it is
 * outside.
 */
export function safeName(name: string): string | undefined {
  if (name.startsWith('/') || /^[A-Za-z]:|[\0\\]/.test(name)) return undefined
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) return undefined
  const [program, folder] = exportedNames.uploads.slice(1).split('/')
  const wrapperDepth = parts[0] === program && parts[1] === folder ? 2 : parts[0] === folder ? 1 : 0
  return parts.slice(wrapperDepth).join('/')
}

/** Why a file is skipped, or undefined. Hidden files configure servers, and program files are not media. */
function skipReason(name: string): ReportReason | undefined {
  if (name.split('/').some((part) => part.startsWith('.'))) return HIDDEN
  return /\.(?:php\d?|phtml|phar)$/i.test(name) ? PROGRAM : undefined
}

/** Reads a zip archive. If it has a folder `uploads`, at any level, other files are left out. */
async function readZip(source: string, stage: StagedUploads): Promise<void> {
  const { size: packedSize } = await stat(source)
  const maxBytes = Math.max(packedSize * stage.limits.ratio, MIN_RATIO_BYTES)
  const rootOf = (name: string) => /(?:^|\/)uploads\//.exec(name)
  let hasRoot = false
  {
    using archive = await ZipArchive.open(source)
    for await (const entry of archive.entries()) hasRoot ||= rootOf(entry.name) !== null
  }
  let bytes = 0
  using archive = await ZipArchive.open(source)
  for await (const entry of archive.entries()) {
    stage.count()
    if (entry.isLink || entry.isEncrypted) {
      const text = entry.isLink
        ? 'the archive contains a symlink ({name})'
        : 'the archive contains an encrypted file ({name})'
      throw invalid(phrase(text, { name: shown(entry.name) }))
    }
    const root = rootOf(entry.name)
    const name = root === null ? entry.name : entry.name.slice(root.index + root[0].length)
    const inside = safeName(name)
    if (inside === undefined) {
      throw invalid(phrase('the archive contains a path outside its folder: {name}', { name: shown(entry.name) }))
    }
    if (inside === '' || (hasRoot && root === null)) continue
    bytes += entry.size
    if (bytes > maxBytes) {
      throw tooLarge(stage.limits.ratio, packedSize)
    }
    const target = await stage.admit(inside, entry.size)
    if (target === undefined) continue
    if (await exists(target)) stage.skip(REPLACED)
    await pipeline(await entry.open(), createWriteStream(target, { mode: stage.modes.file }))
  }
}

async function hasStart(file: string, bytes: readonly number[]): Promise<boolean> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes.length), 0, bytes.length, 0)
  return bytesRead === bytes.length && bytes.every((byte, index) => buffer[index] === byte)
}

function isTooLong(name: string): boolean {
  const parts = name.split('/')
  if (parts.length > MAX_PARTS || Buffer.byteLength(name) > MAX_NAME_BYTES) return true
  return parts.some((part) => Buffer.byteLength(part) > MAX_PART_BYTES)
}

/** Passes the unpacked data of an archive on, and fails if it is too large for the size of the archive. */
async function ratioGuard(source: string, ratio: number): Promise<Transform> {
  const { size } = await stat(source)
  const maxBytes = Math.max(size * ratio, MIN_RATIO_BYTES)
  let bytes = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length
      if (bytes <= maxBytes) done(null, piece)
      else done(tooLarge(ratio, size))
    },
  })
}

/** Disk space in bytes that uploads may use on the disk of a folder. */
async function writableBytes(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return Math.max(0, bavail * bsize - Math.min(RESERVED_BYTES, blocks * bsize * RESERVED_PART))
}

function invalid(reason: ReportReason | ReportPhrase, cause?: unknown): Error {
  return errors.IMPORT_UPLOADS_INVALID({ reason }, { cause })
}

function tooLarge(ratio: number, bytes: number): Error {
  return invalid(phrase('the archive unpacks to more than {ratio} times its size of {bytes} bytes', { ratio, bytes }))
}

/** Describes why files could not be read or written. */
function reasonOf(cause: unknown): ReportReason | ReportPhrase {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk of the uploads folder is full'
  if (code === 'EISDIR' || code === 'ENOTDIR' || code === 'EEXIST')
    return 'one path is used by both a file and a folder'
  return foreignPhrase(message)
}

/** Quotes and truncates a path for a message. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120))
}
