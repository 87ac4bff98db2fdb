import { constants, createReadStream, createWriteStream } from 'node:fs'
import { chmod, copyFile, lstat, open, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import tar from 'tar-stream'
import { exportedNames } from '../../../kernel/index.ts'
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

/** Limits of what is accepted; more is an error. */
export interface UploadLimits {
  /** 2 million by default. */
  files?: number
  /** Bytes of one file, 8 GiB by default. */
  fileBytes?: number
  /** Bytes of all files, 512 GiB by default. */
  totalBytes?: number
}

/** Left out, with the reason that the report gives. */
const HIDDEN = 'hidden files'
const PROGRAM = 'program files'
const LINK = 'links and special files'
const OTHER = 'another file with this name is in the uploads folder already'

/**
 * Reads media files from a folder or from a `.tar` or `.tar.gz` archive into a hidden folder among the uploads; a
 * folder `uploads` around them is left out. Nothing appears among the uploads before `place()`.
 *
 * @param source path of the folder or the archive
 * @param folder path of the uploads folder; made when it is not there
 * @param modes permissions of what is made
 * @throws RestError IMPORT_UPLOADS_INVALID when the source cannot be read, is truncated or too large, or when an archive
 * holds names that lead out of the folder, links or devices
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
  const stage = new StagedUploads(folder, await makeStaging(folder, 'import', modes), limits, modes)
  try {
    await (kind.isDirectory() ? readFolder(source, stage) : readArchive(source, stage))
  } catch (cause) {
    await stage.discard()
    if (cause instanceof Error && 'data' in cause) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw errors.IMPORT_UPLOADS_INVALID(`${source}: ${why}`, { cause })
  }
  return stage
}

/** Files that were read completely and wait, on the same disk, to be moved into the uploads folder. */
export class StagedUploads {
  readonly #folder: string
  /** Name of the folder below the uploads folder. */
  readonly #name: string
  readonly #limits: Required<UploadLimits>
  readonly modes: FileModes
  readonly #skipped: Record<string, number> = {}
  #files = 0
  #bytes = 0
  /** Whether the database may say that the files belong among the uploads: then they are not removed. */
  #isPromised = false

  constructor(folder: string, name: string, limits: UploadLimits, modes: FileModes) {
    this.#folder = folder
    this.#name = name
    this.modes = modes
    this.#limits = { files: 2_000_000, fileBytes: 8 * 1024 ** 3, totalBytes: 512 * 1024 ** 3, ...limits }
  }

  /**
   * Makes room for one more file.
   * @param name relative path with slashes, already safe
   * @returns where to write it, or undefined when it is to be left out
   */
  async admit(name: string, size: number): Promise<string | undefined> {
    const refused = refusal(name)
    if (refused !== undefined) return void this.skip(refused)
    this.#files += 1
    this.#bytes += size
    if (this.#files > this.#limits.files)
      throw errors.IMPORT_UPLOADS_INVALID(`there are more than ${this.#limits.files} files`)
    if (size > this.#limits.fileBytes)
      throw errors.IMPORT_UPLOADS_INVALID(`${name} is larger than ${this.#limits.fileBytes} bytes`)
    if (this.#bytes > this.#limits.totalBytes) {
      throw errors.IMPORT_UPLOADS_INVALID(`the files are larger than ${this.#limits.totalBytes} bytes together`)
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
    await rm(this.#waiting, { recursive: true, force: true })
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
  const unpacking = (await isGzip(source)) ? [createGunzip()] : []
  const reading = pipeline([createReadStream(source), ...unpacking, extract])
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
    else await pipeline(entry as unknown as Readable, createWriteStream(target, { mode: stage.modes.file }))
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

/** A name from an archive as it may appear in a message. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120))
}
