import { isObject, RequestCache, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { FILE_KEY, LATER_FILE_KEY, METADATA_KEY } from '../meta-keys.ts'
import { filesOf } from './attachment-data.ts'
import { errors } from './errors.ts'
import { fileName } from './files/file-name.ts'
import type { FileTasks } from './files/file-tasks.ts'
import { typeOfName } from './files/file-types.ts'
import { isSafePath } from './files/safe-path.ts'
import type { Upload } from './files/upload.ts'
import type { UploadStorage } from './files/upload-storage.ts'
import type { Dimensions } from './images/image-sizes.ts'
import { isReadable } from './images/image-versions.ts'
import type { AttachmentPost, MediaReader } from './reader.ts'
import type { MediaWriter } from './writer.ts'

/**
 * Sizes of the whole image: `original` and `scaled` replace the main file, which becomes the original; `full` is
 * another file of the same dimensions.
 */
export const WHOLE_SIZES = ['original', 'scaled', 'full'] as const
/** Sizes that replace the main file. */
const REPLACING_SIZES: ReadonlySet<string> = new Set(['original', 'scaled'])
/** Maximum number of additional files per attachment. */
const MAX_LATER_FILES = 100

/** Response for an uploaded image version. */
export interface SentVersion {
  image_size: string | readonly string[]
  /** Name of the file; for a replaced main file, the path relative to the uploads folder. */
  file: string
  width: number
  height: number
  /** In bytes. */
  filesize: number
  mime_type?: string
  /** Name of the previous main file, if this file replaces it. */
  original_image?: string
}

/** An uploaded version to add to an image, as returned in `SentVersion`. */
export interface SubSize extends Partial<Dimensions> {
  image_size: string | readonly string[]
  file: string
  filesize?: number
  original_image?: string
}

/** Manages the files of an attachment that are uploaded or created after it. */
export class LaterFiles {
  readonly #plugin: PluginContext
  readonly #reader: MediaReader
  readonly #writer: MediaWriter
  readonly #storage: UploadStorage
  readonly #tasks: FileTasks

  constructor(
    plugin: PluginContext,
    reader: MediaReader,
    writer: MediaWriter,
    storage: UploadStorage,
    tasks: FileTasks,
  ) {
    this.#plugin = plugin
    this.#reader = reader
    this.#writer = writer
    this.#storage = storage
    this.#tasks = tasks
  }

  async addMissing(post: AttachmentPost): Promise<void> {
    const scope = new RequestCache()
    const missing = new Set(this.#reader.missingSizes(post, await this.#reader.data(post, scope)))
    if (missing.size === 0) return
    const { imageSizes } = this.#plugin.services
    const file = await this.#fileOf(post)
    const type = typeOfName(file) ?? post.mime_type
    if (!isReadable(type)) return
    const missingSizes = imageSizes.all().filter(({ name }) => missing.has(name))
    const versions = await this.#storage.storeVersions({ file, type }, missingSizes)
    const files = [...new Set(versions.map((version) => version.file))]
    await this.#discardOnError(files, () =>
      this.#change(post.id, async (current) => {
        if (current.file !== file) throw errors.rest_image_replaced()
        if (!(await this.#tasks.claim(files))) throw errors.rest_upload_unknown_error()
        const sizes = {
          ...Object.fromEntries(versions.map(({ size, metadata }) => [size, metadata])),
          ...current.sizes,
        }
        return { metadata: { ...current.metadata, sizes }, later: [...current.later, ...files] }
      }),
    )
  }

  async repair(post: AttachmentPost): Promise<void> {
    const main = await this.#fileOf(post)
    const image = await this.#storage.measure(main)
    if (image === null) return
    const folder = main.slice(0, main.lastIndexOf('/') + 1)
    await this.#change(post.id, async ({ file, metadata, sizes }) => {
      if (file !== main) throw errors.rest_image_replaced()
      const pathOf = (size: unknown) => (isObject(size) ? `${folder}${baseName(String(size['file']))}` : '')
      const existing = await this.#storage.existing(Object.values(sizes).map(pathOf))
      const kept = Object.entries(sizes).filter(([, size]) => existing.has(pathOf(size)))
      const { width, height } = metadata
      const isSame = width === image.width && height === image.height && kept.length === Object.keys(sizes).length
      return isSame ? {} : { metadata: { ...metadata, ...image, file, sizes: Object.fromEntries(kept) } }
    })
    await this.addMissing(post)
  }

  async storeVersion(
    post: AttachmentPost,
    { name, data }: Upload,
    sizes: readonly string[],
    user: CurrentUser,
  ): Promise<SentVersion> {
    const main = await this.#fileOf(post)
    const parsedName = fileName(name)
    const kind = this.#writer.kindOf(parsedName.extension, data, user)
    if (typeof kind === 'string' || !kind.type.startsWith('image/')) throw errors.rest_upload_invalid_image()
    const folder = main.slice(0, Math.max(main.lastIndexOf('/'), 0))
    const check = (image: Dimensions) => this.#checkSizes(sizes, image)
    const { file, width, height } = await this.#storage.storeAlone(data, parsedName, kind, folder, check)
    await this.#discardOnError([file], () =>
      this.#change(post.id, async ({ later }) => {
        if (later.length >= MAX_LATER_FILES) throw errors.rest_too_many_files(MAX_LATER_FILES)
        if (!(await this.#tasks.claim([file]))) throw errors.rest_upload_unknown_error()
        return { later: [...later, file] }
      }),
    )
    const [size = ''] = sizes
    const result = { image_size: sizes.length === 1 ? size : sizes, width, height, filesize: data.length }
    if (REPLACING_SIZES.has(size)) return { ...result, file, original_image: baseName(main) }
    return { ...result, file: baseName(file), mime_type: kind.type }
  }

  async addSubSizes(post: AttachmentPost, subSizes: readonly SubSize[]): Promise<void> {
    if (subSizes.length === 0) return
    const main = await this.#fileOf(post)
    const folder = main.slice(0, main.lastIndexOf('/') + 1)
    await this.#change(post.id, async (current) => {
      const later = new Set(current.later)
      const own = new Set([...later].map(baseName))
      const sizes = { ...current.sizes }
      let { file, metadata } = current
      for (const subSize of subSizes) {
        const name = baseName(subSize.file)
        const isPath = subSize.file === `${folder}${name}`
        if (!own.has(name) || !(isPath || subSize.file === name)) throw errors.rest_invalid_sub_size_file()
        const { width, height, filesize } = subSize
        const dimensions = { width: Number(width ?? 0), height: Number(height ?? 0), filesize: Number(filesize ?? 0) }
        for (const size of [subSize.image_size].flat()) {
          if (!REPLACING_SIZES.has(size))
            sizes[size] = { file: name, 'mime-type': typeOfName(name) ?? post.mime_type, ...dimensions }
          else if (`${folder}${name}` !== file) {
            metadata = { ...metadata, ...dimensions, file: `${folder}${name}`, original_image: baseName(file) }
            file = `${folder}${name}`
          }
        }
      }
      const changed = { file, metadata: { ...metadata, sizes } }
      // Files that are no longer shown still belong to the attachment and are deleted with it.
      const shown = new Set(filesOf(changed))
      for (const before of filesOf(current)) if (!shown.has(before)) later.add(before)
      return { ...changed, later: [...later] }
    })
  }

  /** @throws rest_upload_unknown_size, rest_upload_dimension_mismatch */
  #checkSizes(names: readonly string[], { width, height }: Dimensions): void {
    const { imageSizes } = this.#plugin.services
    for (const name of names) {
      const size = imageSizes.get(name)
      if (size === undefined && !(WHOLE_SIZES as readonly string[]).includes(name)) {
        throw errors.rest_upload_unknown_size(name)
      }
      if (size === undefined) continue
      // Clients round the sides of a size differently.
      const isLarger = (side: number, maximum: number) => maximum > 0 && side > maximum + 1
      if (isLarger(width, size.width) || isLarger(height, size.height)) {
        throw errors.rest_upload_dimension_mismatch(name, width, height)
      }
    }
  }

  /** Returns the path of the main file. @throws rest_sideload_attachment_not_in_uploads, rest_post_invalid_id */
  async #fileOf({ id, mime_type: type }: AttachmentPost): Promise<string> {
    if (!type.startsWith('image/')) throw errors.rest_post_invalid_id({ data: { status: 400 } })
    const file = await this.#plugin.services.meta.single('post', id, FILE_KEY, new RequestCache())
    if (typeof file !== 'string' || file === '' || !isSafePath(file.split('/'))) {
      throw errors.rest_sideload_attachment_not_in_uploads()
    }
    return file
  }

  /** Runs `store`, and deletes the files if it throws. */
  async #discardOnError(files: readonly string[], store: () => Promise<void>): Promise<void> {
    try {
      await store()
    } catch (error) {
      await this.#tasks.discard(files)
      throw error
    }
  }

  /** Changes the stored file data of an attachment, in the write turn. */
  async #change(id: number, change: (current: StoredFiles) => Promise<Partial<StoredFiles>>): Promise<void> {
    const { meta, posts, transactions } = this.#plugin.services
    await transactions.inTurn(async () => {
      const scope = new RequestCache()
      if ((await posts.get(id, scope))?.type !== 'attachment') throw errors.rest_post_invalid_id()
      const stored = await meta.single('post', id, METADATA_KEY, scope)
      const metadata = isObject(stored) ? stored : {}
      const sizes = isObject(metadata['sizes']) ? metadata['sizes'] : {}
      const main = await meta.single('post', id, FILE_KEY, scope)
      const file = typeof main === 'string' ? main : ''
      const changed = await change({ file, metadata, sizes, later: await this.#reader.laterFiles(id, scope) })
      const values = {
        ...(changed.file !== undefined && changed.file !== file && { [FILE_KEY]: [changed.file] }),
        ...(changed.metadata !== undefined && { [METADATA_KEY]: [changed.metadata] }),
        ...(changed.later !== undefined && { [LATER_FILE_KEY]: changed.later }),
      }
      await meta.writeAll('post', id, values, scope)
    })
  }
}

/** Stored file data of an attachment. */
interface StoredFiles {
  readonly file: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly sizes: Readonly<Record<string, unknown>>
  readonly later: readonly string[]
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
