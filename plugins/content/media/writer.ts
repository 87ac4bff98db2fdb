import { applySyncFilter, RequestCache, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { formatUtc, zoneOffset, type TimeZone } from '../../resources/index.ts'
import { ALT_KEY, DECORATIVE_KEY, FILE_KEY, FOCAL_POINT_KEY, METADATA_KEY } from '../meta-keys.ts'
import { cleanAltText } from './alt-text.ts'
import type { FocalPoint } from './attachment-data.ts'
import { unsetImage } from './attachment-queries.ts'
import { errors } from './errors.ts'
import { fileName } from './files/file-name.ts'
import type { FileTasks } from './files/file-tasks.ts'
import { anyKind, DEFAULT_TYPES, kindOf, typeOfName, type FileKind } from './files/file-types.ts'
import type { Upload } from './files/upload.ts'
import type { StoredFile, UploadStorage } from './files/upload-storage.ts'
import { originalPath } from './files/file-versions.ts'
import type { ImageChange } from './images/edit-image.ts'
import { isReadable } from './images/image-versions.ts'
import type { AttachmentPost, MediaReader } from './reader.ts'
import { areFoldersByMonth } from './settings.ts'

/** Options for storing a file. */
export interface StoreOptions {
  /** Whether to store an image unchanged and without smaller versions, because the client creates them. */
  asItIs?: boolean
}

/** Stores and deletes the files of attachments and their stored data. */
/** Types that only some browsers show. */
const HEIC_TYPES: ReadonlySet<string> = new Set(['image/heic', 'image/heif'])

export class MediaWriter {
  readonly #plugin: PluginContext
  readonly #reader: MediaReader
  readonly #storage: UploadStorage
  readonly #tasks: FileTasks
  readonly #updateSizes: () => Promise<void>

  /** @param updateSizes sets the image sizes to their settings */
  constructor(
    plugin: PluginContext,
    reader: MediaReader,
    storage: UploadStorage,
    tasks: FileTasks,
    updateSizes: () => Promise<void>,
  ) {
    this.#updateSizes = updateSizes
    this.#plugin = plugin
    this.#reader = reader
    this.#storage = storage
    this.#tasks = tasks
  }

  async store({ name, data }: Upload, user: CurrentUser, { asItIs = false }: StoreOptions = {}): Promise<StoredFile> {
    const parsedName = fileName(name)
    const type = this.#typeOf(parsedName.extension, data, user)
    // Clients that send the file as it is create the versions for browsers themselves.
    if (HEIC_TYPES.has(type.type) && !asItIs) return this.#storeAsJpeg({ name, data }, user)
    const month = await this.#month()
    const file = { data, name: parsedName, type, month, asItIs }
    // Settings of this transaction, such as those of an import, apply too.
    await this.#updateSizes()
    return this.#storage.store(file, this.#plugin.services.imageSizes.all())
  }

  /** Stores an image that few browsers show as a JPEG. @throws rest_upload_image_type_not_supported */
  async #storeAsJpeg({ name, data }: Upload, user: CurrentUser): Promise<StoredFile> {
    const converted = await this.#storage.toJpeg(data)
    return this.store({ name: `${name.replace(/\.[^.]*$/, '')}.jpg`, data: converted }, user)
  }

  async storeEdited(post: AttachmentPost, changes: readonly ImageChange[], user: CurrentUser): Promise<StoredFile> {
    const [file = ''] = await this.#reader.files(post.id, new RequestCache())
    // The file that replaced the original image can have another type.
    const type = typeOfName(file) ?? post.mime_type
    if (!isReadable(type)) throw errors.rest_cannot_edit_file_type()
    const data = await this.#storage.edit({ file, type }, changes)
    const { path, extension } = originalPath(file)
    const name = `${path.slice(path.lastIndexOf('/') + 1)}-edited.${extension}`
    const stored = await this.store({ name, data }, user)
    return { ...stored, metadata: { ...stored.metadata, parent_image: { attachment_id: post.id, file } } }
  }

  storeIn(folder: string, { name, data }: Upload, type: FileKind): Promise<StoredFile> {
    return this.#storage.store({ data, name: fileName(name), type, month: folder }, [])
  }

  async keep({ files }: StoredFile): Promise<void> {
    if (!(await this.#tasks.claim(files))) throw errors.rest_upload_unknown_error()
  }

  async attach(id: number, stored: StoredFile, scope: RequestCache): Promise<void> {
    const { file, metadata } = stored
    await this.keep(stored)
    const values = { [FILE_KEY]: [file], [METADATA_KEY]: [metadata] }
    await this.#plugin.services.meta.writeAll('post', id, values, scope)
  }

  async setAltText(id: number, text: string, scope: RequestCache): Promise<void> {
    const alt = cleanAltText(text)
    await this.#plugin.services.meta.write('post', id, ALT_KEY, alt === '' ? [] : [alt], scope)
  }

  async setFocalPoint(id: number, point: FocalPoint | null, scope: RequestCache): Promise<void> {
    await this.#plugin.services.meta.write('post', id, FOCAL_POINT_KEY, point === null ? [] : [point], scope)
  }

  async setDecorative(id: number, isDecorative: boolean, scope: RequestCache): Promise<void> {
    await this.#plugin.services.meta.write('post', id, DECORATIVE_KEY, isDecorative ? [true] : [], scope)
  }

  async remove(id: number): Promise<void> {
    const { options, store } = this.#plugin.services
    await unsetImage(store, options, id)
    const files = await this.#reader.files(id, new RequestCache())
    await this.#tasks.scheduleRemoval(await this.#storage.filesToRemove(store, id, files))
  }

  /** Returns the MIME types that a user may upload. */
  mimeTypes(user: CurrentUser): ReadonlySet<string> {
    return new Set(Object.values(applySyncFilter(this.#plugin.hooks.upload_mimes, DEFAULT_TYPES, user)))
  }

  /**
   * Determines the type of a file from its name and its bytes, which must match; or returns why the user may not upload
   * it.
   */
  kindOf(extension: string, data: Buffer, user: CurrentUser): FileKind | string {
    return kindOf(extension, data, applySyncFilter(this.#plugin.hooks.upload_mimes, DEFAULT_TYPES, user))
  }

  /** @throws rest_upload_sideload_error for a type that the user may not upload */
  #typeOf(extension: string, data: Buffer, user: CurrentUser): FileKind {
    const { services } = this.#plugin
    const kind = this.kindOf(extension, data, user)
    if (typeof kind !== 'string') return kind
    if (services.capabilities.can(user, 'unfiltered_upload')) return anyKind(extension)
    throw errors.rest_upload_sideload_error(kind)
  }

  /** Returns the folder of new files, relative to the uploads folder: `2025/01`; '' for the uploads folder itself. */
  async #month(): Promise<string> {
    if (!(await areFoldersByMonth(this.#plugin))) return ''
    const zone = await this.#plugin.services.options.get<TimeZone>('timezone', 'UTC')
    const now = Math.floor(Date.now() / 1000)
    return formatUtc(now + zoneOffset(zone, now))
      .slice(0, 7)
      .replace('-', '/')
  }
}
