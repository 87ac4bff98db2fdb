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
import {
  isReadable,
  loadSharp,
  makeVersions,
  toJpeg,
  type ImageLimits,
  type ImageVersions,
} from '../images/image-versions.ts'
import { makeFolder, type FileModes } from './file-modes.ts'
import type { FileName } from './file-name.ts'
import type { FileTasks } from './file-tasks.ts'
import type { FileKind } from './file-types.ts'
import { isVersion, originalPath, versionPattern } from './file-versions.ts'
import { errorCode, placeFiles } from './place-file.ts'
import { isSafePath } from './safe-path.ts'
import { exists, makeStaging } from './staging.ts'

/** A file stored in the uploads folder. */
export interface StoredFile {
  /** The main file, relative to the uploads folder: `2025/01/photo.jpg`. */
  file: string
  /** Name of the stored upload, without extension. */
  stem: string
  type: string
  /** Attachment metadata: dimensions, versions and other data of the file. */
  metadata: Record<string, unknown>
  /** All of its files, relative to the uploads folder. */
  files: readonly string[]
}

/** A file to store. */
export interface NewFile {
  data: Buffer
  name: FileName
  type: FileKind
  /** Folder relative to the uploads folder: `2025/01`; '' for the uploads folder itself. */
  month: string
  /** Whether to store an image unchanged: not rotated, not scaled, and without smaller versions. */
  asItIs?: boolean
}

/** A stored image from which other files are created. */
export interface StoredImage {
  /** Relative to the uploads folder. */
  file: string
  type: string
}

/** A version created from a stored image. */
export interface LaterVersion {
  /** Name of the size. */
  size: string
  /** Relative to the uploads folder. */
  file: string
  metadata: Record<string, unknown>
}

/** One of the files to store: the suffix of its name and its content. */
interface Part {
  suffix: string
  data: Buffer
}

/** Maximum bytes of a stored image that is read to create other files from it. */
const MAX_IMAGE_BYTES = 200_000_000

/**
 * Maximum number of images waiting to be resized; each holds its file in memory. Editors upload up to 20 files at a
 * time.
 */
const MAX_WAITING = 24

function tooManyImages(): RestError {
  return kernelErrors.rest_unavailable({
    cause: new BusyError(`${MAX_WAITING} images are waiting to be resized, or this image waited too long`),
  })
}

/** Stores files with the smaller versions of images in the uploads folder, and finds the files to delete. */
export class UploadStorage {
  readonly #folder: string
  readonly #limits: ImageLimits
  readonly #tasks: FileTasks
  readonly #modes: FileModes
  /** Processes one image at a time to limit memory use. */
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
   * Stores a file and, for images, smaller versions under unused names: all of them or none. The files are not served,
   * and deleted again unless `FileTasks.claim` is called.
   * @throws rest_upload_sideload_error, rest_upload_too_many_pixels, rest_upload_unknown_error; rest_unavailable if too
   * many images are waiting; the abort reason of the request
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
   * Stores one file under an unused name that does not look like a version of another file. As with `store`, it is
   * deleted unless it is claimed.
   * @returns its path relative to the uploads folder, and the dimensions of the image; 0 for types that are not decoded
   * here
   * @throws rest_upload_sideload_error, rest_upload_too_many_pixels, rest_upload_unknown_error
   */
  async storeAlone(
    data: Buffer,
    { stem }: FileName,
    { ending, type }: FileKind,
    folder: string,
    check: (image: Dimensions) => void,
  ): Promise<Dimensions & { file: string }> {
    const unknownSize = { width: 0, height: 0 }
    const { width, height } = isReadable(type) ? await this.#makeVersions(data, type, [], true) : unknownSize
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

  /** Returns an edited copy of a stored image. @throws rest_upload_sideload_error, rest_upload_too_many_pixels */
  async edit({ file, type }: StoredImage, changes: readonly ImageChange[]): Promise<Buffer> {
    const data = await this.#read(file)
    return this.#inTurn(() => editImage(data, type, changes, this.#limits.maxPixels))
  }

  /**
   * Creates versions of a stored image in its folder, under unused names. As with `store`, they are deleted unless they
   * are claimed.
   */
  async storeVersions({ file, type }: StoredImage, sizes: readonly ImageSize[]): Promise<LaterVersion[]> {
    const data = await this.#read(file)
    const { versions } = await this.#makeVersions(data, type, sizes, true)
    const { path, extension: ending } = originalPath(file)
    const slash = path.lastIndexOf('/') + 1
    const [folder, extension] = [path.slice(0, Math.max(slash - 1, 0)), `.${ending}`]
    const parts = new Map([...versions.values()].map(({ width, height, data: part }) => [`-${width}x${height}`, part]))
    if (parts.size === 0) return []
    const newParts = [...parts].map(([suffix, part]) => ({ suffix, data: part }))
    const name = await this.#write(newParts, path.slice(slash), extension, folder, { isOwn: true })
    return [...versions].map(([size, { width, height, data: part }]) => {
      const own = `${name}-${width}x${height}${extension}`
      const metadata = { file: own, width, height, 'mime-type': type, filesize: part.length }
      return { size, file: below(folder, own), metadata }
    })
  }

  /** Returns the dimensions of a stored image; null if it is missing or cannot be read. */
  async measure(file: string): Promise<Dimensions | null> {
    if (!isSafePath(file.split('/'))) return null
    const sharp = await loadSharp()
    try {
      const { autoOrient } = await sharp(join(this.#folder, file), { limitInputPixels: false }).metadata()
      return { width: autoOrient.width, height: autoOrient.height }
    } catch {
      return null
    }
  }

  /** Returns which of the files exist. */
  async existing(files: readonly string[]): Promise<Set<string>> {
    const found = await Promise.all(
      files.map(async (file) => isSafePath(file.split('/')) && (await exists(join(this.#folder, file)))),
    )
    return new Set(files.filter((_file, index) => found[index]))
  }

  /** @throws rest_upload_sideload_error if the file is missing or too large to be an image */
  async #read(file: string): Promise<Buffer> {
    const path = join(this.#folder, file)
    try {
      if (!isSafePath(file.split('/')) || (await stat(path)).size > MAX_IMAGE_BYTES)
        throw new Error('unsafe path or too large')
      return await readFile(path)
    } catch (cause) {
      throw errors.rest_upload_sideload_error('the stored file cannot be read', { cause })
    }
  }

  /**
   * Returns the files of an attachment that no other attachment uses, and the files that are named like versions of its
   * main file.
   * @param id of the attachment
   */
  async filesToRemove(store: Store, id: number, [main, ...versions]: readonly string[]): Promise<string[]> {
    // Two attachments of the same file share its versions.
    if (main === undefined || (await unattachedFiles(store, [main], id)).length === 0) return []
    return unattachedFiles(store, [...new Set([main, ...versions, ...(await this.#versionsOf(main))])], id)
  }

  /** Returns the files that are named like versions of a file, whether or not an attachment has them. */
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

  /** Converts an image to JPEG. @throws rest_upload_image_type_not_supported if it cannot be decoded */
  toJpeg(data: Buffer): Promise<Buffer> {
    return this.#inTurn(() => toJpeg(data, this.#limits.maxPixels))
  }

  #makeVersions(data: Buffer, type: string, sizes: readonly ImageSize[], asItIs = false): Promise<ImageVersions> {
    return this.#inTurn(() => makeVersions(data, type, sizes, { ...this.#limits, asItIs }))
  }

  async #inTurn<T>(create: () => Promise<T>): Promise<T> {
    const work = currentWork()
    work?.throwIfAborted()
    return this.#images.run(create, {
      until: performance.now() + this.#timeout,
      signal: work?.signal,
    })
  }

  /**
   * Writes files to a staging folder and moves them to their final names when all are complete.
   * @param names first number to try as suffix, and whether the files are versions of an existing file
   * @returns the unused stem
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
      const existingNames = new Set(existing.map((name) => name.toLowerCase()))
      // Access to a version is decided by its name, so no file may be named like a version of another one.
      const originals = new Set(existing.map(originalOf))
      for (let number = first; ; number += 1) {
        const name = number === 0 ? stem : `${stem}-${number}`
        const moves = parts.map(({ suffix }) => ({ from: staged(suffix), to: `${name}${suffix}${extension}` }))
        const isForeign = originals.has(originalOf(`${name}${extension}`)) && !(isOwn && number === 0)
        const isTaken = isForeign || moves.some(({ to }) => existingNames.has(to.toLowerCase()))
        if (!isTaken && (await this.#place(moves, month))) return name
      }
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  }

  /** Moves files to their final names, all or none; false if one of the names is taken. */
  async #place(moves: readonly { from: string; to: string }[], month: string): Promise<boolean> {
    const files = moves.map(({ to }) => below(month, to))
    if (!(await this.#tasks.reserve(files))) return false
    let placed = false
    try {
      placed = await placeFiles(moves.map(({ from, to }) => [from, join(this.#folder, month, to)]))
      return placed
    } finally {
      // An existing file with one of the names has another owner and must not be deleted.
      if (!placed) await this.#tasks.claim(files)
    }
  }
}

/** Joins a folder and a name; '' is the uploads folder. */
function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Returns the name that all versions of a file share, in lower case. */
function originalOf(name: string): string {
  const { path, extension } = originalPath(name.toLowerCase())
  return `${path}.${extension}`
}

async function writeAndSync(path: string, data: Buffer, mode: number): Promise<void> {
  await using handle = await open(path, 'wx', mode)
  await handle.writeFile(data)
  // The final name must never refer to a file that is not on the disk yet.
  await handle.sync()
}
