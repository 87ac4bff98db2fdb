import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BusyError, currentWork, errors as kernelErrors, type RestError } from '../../../../kernel/index.ts'
import { Semaphore } from '../../../library/long-work/index.ts'
import type { Store } from '../../../storage/store/index.ts'
import { unattachedFiles } from '../attachment-queries.ts'
import { errors } from '../errors.ts'
import { editImage, type ImageChange } from '../images/edit-image.ts'
import { imageMetadata } from '../images/image-metadata.ts'
import type { Dimensions, ImageSize } from '../images/image-sizes.ts'
import { isReadable, makeVersions, type ImageLimits, type ImageVersions } from '../images/image-versions.ts'
import { makeFolder, type FileModes } from './file-modes.ts'
import type { FileName } from './file-name.ts'
import type { FileTasks } from './file-tasks.ts'
import type { FileKind } from './file-types.ts'
import { isVersion, originalPath, versionPattern } from './file-versions.ts'
import { errorCode, placeFiles } from './place-file.ts'
import { isSafePath } from './safe-path.ts'
import { makeStaging } from './staging.ts'

/** A file that has been stored in the uploads folder. */
export interface StoredFile {
  /** The main file, below the uploads folder: `2025/01/photo.jpg`. */
  file: string
  /** The name that the upload was stored under, without its extension. */
  stem: string
  type: string
  /** Meta of the attachment: size, versions and other data of the file. */
  metadata: Record<string, unknown>
  /** All files of it, below the uploads folder. */
  files: readonly string[]
}

/** What is to be stored. */
export interface NewFile {
  data: Buffer
  name: FileName
  type: FileKind
  /** The folder, below the uploads folder: `2025/01`; '' for that folder itself. */
  month: string
  /** Whether an image stays as it is, neither upright nor smaller, and has no smaller versions. */
  asItIs?: boolean
}

/** An image that has been stored, of which something else is to be made. */
export interface StoredImage {
  /** Below the uploads folder. */
  file: string
  type: string
}

/** A version that was made of a stored image later. */
export interface LaterVersion {
  /** Name of its size. */
  size: string
  /** Below the uploads folder. */
  file: string
  metadata: Record<string, unknown>
}

/** One of the files to store: what its name adds to the stem, and its content. */
interface Part {
  suffix: string
  data: Buffer
}

/** Bytes of a stored file that is read to make something of it. */
const MOST_BYTES = 200_000_000

/** Images that wait for others to be made smaller; each holds its file in memory. An editor uploads 20 files at a time. */
const MAX_WAITING = 24

function tooManyImages(): RestError {
  return kernelErrors.rest_unavailable({
    cause: new BusyError(`${MAX_WAITING} other images wait to be resized, or the image waited for too long`),
  })
}

/** The uploads folder: stores files with the smaller versions of images, and finds the files to remove. */
export class UploadStorage {
  readonly #folder: string
  readonly #limits: ImageLimits
  readonly #tasks: FileTasks
  readonly #modes: FileModes
  /** One image at a time, so that there is memory for one only. */
  readonly #images = new Semaphore(1, MAX_WAITING, tooManyImages)
  readonly #withAlt: boolean
  /** Milliseconds that an image waits for others. */
  readonly #timeout: number

  constructor(
    folder: string,
    { timeout, withAlt, ...limits }: ImageLimits & { timeout: number; withAlt: boolean },
    tasks: FileTasks,
    modes: FileModes,
  ) {
    this.#timeout = timeout
    this.#withAlt = withAlt
    this.#folder = folder
    this.#limits = limits
    this.#tasks = tasks
    this.#modes = modes
  }

  /**
   * Stores a file, with the smaller versions of an image, under free names: all of it, or nothing. It is sent to nobody,
   * and removed again, unless `FileTasks.claim` makes it stay.
   * @throws rest_upload_sideload_error, rest_upload_too_many_pixels, rest_upload_unknown_error;
   * rest_unavailable where too many other images wait; the reason for which the request was aborted
   */
  async store(
    { data, name: { stem }, type: { ending, type }, month, asItIs = false }: NewFile,
    sizes: readonly ImageSize[],
  ): Promise<StoredFile> {
    const image = isReadable(type) ? await this.#makeVersions(data, type, asItIs ? [] : sizes, asItIs) : null
    const extension = ending === '' ? '' : `.${ending}`
    const parts = new Map<string, Part>([['', { suffix: '', data }]])
    const add = (suffix: string, part: Buffer) => parts.set(suffix, { suffix, data: part })
    if (image?.shown) add(`-${image.shown.suffix}`, image.shown.data)
    for (const { width, height, data: version } of image?.versions.values() ?? []) add(`-${width}x${height}`, version)
    try {
      const name = await this.#write([...parts.values()], stem, extension, month)
      const file = below(month, `${name}${image?.shown ? `-${image.shown.suffix}` : ''}${extension}`)
      const metadata =
        image === null
          ? { filesize: data.length }
          : imageMetadata(image, { data, type, file, name, extension, withAlt: this.#withAlt })
      const files = [...parts.keys()].map((suffix) => below(month, `${name}${suffix}${extension}`))
      return { file, stem: name, type, metadata, files }
    } catch (cause) {
      throw errors.rest_upload_unknown_error({ cause })
    }
  }

  /**
   * Stores one file under a free name that reads like no version of another file. As with `store`, it is removed again
   * unless it is claimed.
   * @returns its path below the uploads folder, and the dimensions of the image; 0 of one that nothing is made of here
   * @throws rest_upload_sideload_error, rest_upload_too_many_pixels, rest_upload_unknown_error
   */
  async storeAlone(
    data: Buffer,
    { stem }: FileName,
    { ending, type }: FileKind,
    folder: string,
    check: (image: Dimensions) => void,
  ): Promise<Dimensions & { file: string }> {
    const unread = { width: 0, height: 0 }
    const { width, height } = isReadable(type) ? await this.#makeVersions(data, type, [], true) : unread
    check({ width, height })
    try {
      const extension = `.${ending}`
      const first = isVersion(stem) ? 1 : 0
      const name = await this.#write([{ suffix: '', data }], stem, extension, folder, { first })
      return { file: below(folder, `${name}${extension}`), width, height }
    } catch (cause) {
      throw errors.rest_upload_unknown_error({ cause })
    }
  }

  /** A stored image after some changes, as a new file. @throws rest_upload_sideload_error, rest_upload_too_many_pixels */
  async edit({ file, type }: StoredImage, changes: readonly ImageChange[]): Promise<Buffer> {
    const data = await this.#read(file)
    return this.#inTurn(() => editImage(data, type, changes, this.#limits.maxPixels))
  }

  /**
   * Makes versions of a stored image, under free names beside it. As with `store`, they are removed again unless they are
   * claimed.
   */
  async storeVersions({ file, type }: StoredImage, sizes: readonly ImageSize[]): Promise<LaterVersion[]> {
    const data = await this.#read(file)
    const { versions } = await this.#makeVersions(data, type, sizes, true)
    const { path, extension: ending } = originalPath(file)
    const slash = path.lastIndexOf('/') + 1
    const [folder, extension] = [path.slice(0, Math.max(slash - 1, 0)), `.${ending}`]
    const parts = new Map([...versions.values()].map(({ width, height, data: part }) => [`-${width}x${height}`, part]))
    if (parts.size === 0) return []
    const given = [...parts].map(([suffix, part]) => ({ suffix, data: part }))
    const name = await this.#write(given, path.slice(slash), extension, folder, { isOwn: true })
    return [...versions].map(([size, { width, height, data: part }]) => {
      const own = `${name}-${width}x${height}${extension}`
      const metadata = { file: own, width, height, 'mime-type': type, filesize: part.length }
      return { size, file: below(folder, own), metadata }
    })
  }

  /** @throws rest_upload_sideload_error where it is not there, or is too large to be an image */
  async #read(file: string): Promise<Buffer> {
    const path = join(this.#folder, file)
    try {
      if (!isSafePath(file.split('/')) || (await stat(path)).size > MOST_BYTES) throw new Error('not read')
      return await readFile(path)
    } catch (cause) {
      throw errors.rest_upload_sideload_error('its file cannot be read', { cause })
    }
  }

  /**
   * Those of an attachment's files, below the folder, that no other attachment has, and what else is in the folder that is
   * named like a version of its main file.
   * @param id of the attachment
   */
  async filesToRemove(store: Store, id: number, [main, ...versions]: readonly string[]): Promise<string[]> {
    // Two attachments of one file share its versions.
    if (main === undefined || (await unattachedFiles(store, [main], id)).length === 0) return []
    return unattachedFiles(store, [...new Set([main, ...versions, ...(await this.#versionsOf(main))])], id)
  }

  /** The files that are named like a version of a file, whether or not an attachment has them. */
  async #versionsOf(file: string): Promise<string[]> {
    if (!isSafePath(file.split('/'))) return []
    const { path, extension } = originalPath(file)
    const slash = path.lastIndexOf('/') + 1
    const [folder, stem] = [path.slice(0, slash), path.slice(slash)]
    const version = new RegExp(`^${versionPattern({ path: stem, extension })}$`)
    try {
      const names = await readdir(join(this.#folder, folder))
      return names.filter((name) => version.test(name)).map((name) => folder + name)
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
      throw error
    }
  }

  #makeVersions(data: Buffer, type: string, sizes: readonly ImageSize[], asItIs = false): Promise<ImageVersions> {
    return this.#inTurn(() => makeVersions(data, type, sizes, { ...this.#limits, asItIs }))
  }

  async #inTurn<T>(make: () => Promise<T>): Promise<T> {
    const work = currentWork()
    work?.throwIfAborted()
    return this.#images.run(make, {
      until: performance.now() + this.#timeout,
      signal: work?.signal,
    })
  }

  /**
   * Writes files to a staging folder and places them once all are complete; returns the free stem.
   * @param names the number that names are tried from, and whether they are those of versions of a file that is there
   */
  async #write(
    parts: readonly Part[],
    stem: string,
    extension: string,
    month: string,
    { first = 0, isOwn = false }: { first?: number; isOwn?: boolean } = {},
  ): Promise<string> {
    const folder = join(this.#folder, month)
    await makeFolder(folder, this.#modes)
    const staging = join(this.#folder, await makeStaging(this.#folder, 'upload', this.#modes))
    try {
      const staged = (suffix: string) => join(staging, `file${suffix}`)
      for (const { suffix, data } of parts) await writeAndSync(staged(suffix), data, this.#modes.file)
      const existing = await readdir(folder)
      const taken = new Set(existing.map((name) => name.toLowerCase()))
      // Who may have a version is decided by its name: no file may be named like a version of another.
      const originals = new Set(existing.map(originalOf))
      for (let number = first; ; number += 1) {
        const name = number === 0 ? stem : `${stem}-${number}`
        const moves = parts.map(({ suffix }) => ({ from: staged(suffix), to: `${name}${suffix}${extension}` }))
        const isForeign = originals.has(originalOf(`${name}${extension}`)) && !(isOwn && number === 0)
        const isTaken = isForeign || moves.some(({ to }) => taken.has(to.toLowerCase()))
        if (!isTaken && (await this.#place(moves, month))) return name
      }
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  }

  /** Moves files to their final names, all or none; false when one of the names is taken. */
  async #place(moves: readonly { from: string; to: string }[], month: string): Promise<boolean> {
    const files = moves.map(({ to }) => below(month, to))
    if (!(await this.#tasks.reserve(files))) return false
    let placed = false
    try {
      placed = await placeFiles(moves.map(({ from, to }) => [from, join(this.#folder, month, to)]))
      return placed
    } finally {
      // The file that has one of the names belongs to somebody else, and must not be removed.
      if (!placed) await this.#tasks.claim(files)
    }
  }
}

/** The path of a name in a folder; '' is the uploads folder. */
function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** What all versions of a file have in common, in lower case. */
function originalOf(name: string): string {
  const { path, extension } = originalPath(name.toLowerCase())
  return `${path}.${extension}`
}

async function writeAndSync(path: string, data: Buffer, mode: number): Promise<void> {
  await using handle = await open(path, 'wx', mode)
  await handle.writeFile(data)
  // The final name must never stand for a file that is not on the disk yet.
  await handle.sync()
}
