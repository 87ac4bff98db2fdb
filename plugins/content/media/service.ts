import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import type { CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { FocalPoint } from './attachment-data.ts'
import type { FileTasks } from './files/file-tasks.ts'
import type { ImageChange } from './images/edit-image.ts'
import type { FileKind } from './files/file-types.ts'
import type { Upload } from './files/upload.ts'
import type { StoredFile, UploadStorage } from './files/upload-storage.ts'
import { LaterFiles, type SentVersion, type SubSize } from './later-files.ts'
import { MediaReader, type AttachmentPost } from './reader.ts'
import { MediaWriter, type StoreOptions } from './writer.ts'

/**
 * Reads, stores and removes the files of attachments. Checks no permissions, except which file types a user may upload.
 */
export class MediaService extends MediaReader {
  readonly #tasks: FileTasks
  readonly #writer: MediaWriter
  readonly #later: LaterFiles

  /** Whether clients may upload image versions that they created through the REST API. */
  readonly acceptsVersions: boolean

  /** @deprecated Use `acceptsVersions`. */
  declare readonly takesVersions: MediaService['acceptsVersions']

  constructor(
    plugin: PluginContext,
    storage: UploadStorage,
    tasks: FileTasks,
    { acceptsVersions, updateSizes }: { readonly acceptsVersions: boolean; readonly updateSizes: () => Promise<void> },
  ) {
    super(plugin)
    this.acceptsVersions = acceptsVersions
    this.#tasks = tasks
    this.#writer = new MediaWriter(plugin, this, storage, tasks, updateSizes)
    this.#later = new LaterFiles(plugin, this, this.#writer, storage, tasks)
  }

  /**
   * Stores an uploaded file and, for images, smaller versions. Call `attach` to assign it to an attachment, or
   * `discard` to delete it.
   * @throws rest_upload_sideload_error for a type that the user may not upload, or a damaged image;
   * rest_upload_too_many_pixels, rest_upload_unknown_error, rest_unavailable if too many images are queued
   */
  store(upload: Upload, user: CurrentUser, options?: StoreOptions): Promise<StoredFile> {
    return this.#writer.store(upload, user, options)
  }

  /**
   * Stores an edited copy of an attachment's image as a new file whose name ends in `-edited`. The attachment does not
   * change.
   * @throws the errors of `store`; rest_image_crop_failed
   */
  storeEdited(post: AttachmentPost, changes: readonly ImageChange[], user: CurrentUser): Promise<StoredFile> {
    return this.#writer.storeEdited(post, changes, user)
  }

  /** Creates the registered sizes that an image lacks. */
  addMissingSizes(post: AttachmentPost): Promise<void> {
    return this.#later.addMissing(post)
  }

  /**
   * Measures a stored image again, forgets sizes whose files are missing, and creates the registered sizes that it
   * lacks. Does nothing if the file is missing or not an image that can be read.
   */
  repair(post: AttachmentPost): Promise<void> {
    return this.#later.repair(post)
  }

  /**
   * Stores an image version that a client created, in the folder of the main file. The attachment owns the file from
   * then on, but shows it only after `addSubSizes`.
   * @param sizes names of registered sizes, or one of `original`, `scaled` and `full`
   * @throws rest_upload_invalid_image, rest_upload_dimension_mismatch, rest_upload_unknown_size, rest_too_many_files,
   * rest_sideload_attachment_not_in_uploads; the errors of `store`
   */
  storeVersion(
    post: AttachmentPost,
    upload: Upload,
    sizes: readonly string[],
    user: CurrentUser,
  ): Promise<SentVersion> {
    return this.#later.storeVersion(post, upload, sizes, user)
  }

  /**
   * Adds files stored by `storeVersion` to the versions of an image.
   * @throws rest_invalid_sub_size_file for a file of another attachment
   */
  addSubSizes(post: AttachmentPost, sizes: readonly SubSize[]): Promise<void> {
    return this.#later.addSubSizes(post, sizes)
  }

  /**
   * Stores a file that does not belong to an attachment, such as a font. Call `keep` to make it permanent, or `discard`
   * to delete it.
   * @param folder relative to the uploads folder, such as `fonts`
   * @param type the kind that `kindOf` returned for the bytes
   * @throws rest_upload_unknown_error
   */
  storeIn(folder: string, upload: Upload, type: FileKind): Promise<StoredFile> {
    return this.#writer.storeIn(folder, upload, type)
  }

  /**
   * Makes a file stored by `storeIn` permanent. Call it inside the transaction that stores the file's owner.
   * @throws rest_upload_unknown_error if the file was discarded in the meantime
   */
  keep(file: StoredFile): Promise<void> {
    return this.#writer.keep(file)
  }

  /** Deletes files that `keep` made permanent, once the open transaction is committed. */
  release(files: readonly string[]): Promise<void> {
    return this.#tasks.scheduleRemoval(files)
  }

  /**
   * Determines the type of a file from its name and its bytes, which must match. Call it before storing the file.
   * @param extension of the name, in lower case without the dot
   * @returns the type, or the reason why the user may not upload the file
   */
  kindOf(extension: string, data: Buffer, user: CurrentUser): FileKind | string {
    return this.#writer.kindOf(extension, data, user)
  }

  /** Returns the MIME types that a user may upload. */
  mimeTypes(user: CurrentUser): ReadonlySet<string> {
    return this.#writer.mimeTypes(user)
  }

  /**
   * Assigns a stored file to an attachment. Call it inside the transaction that stores the attachment.
   * @throws rest_upload_unknown_error if the file was discarded in the meantime
   */
  attach(id: number, file: StoredFile, scope: RequestCache): Promise<void> {
    return this.#writer.attach(id, file, scope)
  }

  /** Deletes a stored file, unless an attachment owns it. */
  discard({ files }: StoredFile): Promise<void> {
    return this.#tasks.discard(files)
  }

  /** Stores the alternative text of an image; an empty text removes it. */
  setAltText(id: number, text: string, scope: RequestCache): Promise<void> {
    return this.#writer.setAltText(id, text, scope)
  }

  /** Stores the point that stays visible when the image is cropped; null removes it. */
  setFocalPoint(id: number, point: FocalPoint | null, scope: RequestCache): Promise<void> {
    return this.#writer.setFocalPoint(id, point, scope)
  }

  /** Stores whether an image is decorative and needs no alternative text. */
  setDecorative(id: number, isDecorative: boolean, scope: RequestCache): Promise<void> {
    return this.#writer.setDecorative(id, isDecorative, scope)
  }

  /**
   * Schedules the deletion of an attachment's files for the commit, and removes the image from featured images, site
   * icon and site logo. Call it inside the transaction that deletes the attachment.
   */
  remove(id: number): Promise<void> {
    return this.#writer.remove(id)
  }

  /** Returns the files whose deletion has not succeeded yet. */
  async pendingRemoval(files: readonly string[]): Promise<string[]> {
    await this.#tasks.idle()
    return this.#tasks.pending(files)
  }
}

addDeprecatedMembers(MediaService.prototype, 'services.media', { takesVersions: 'acceptsVersions' })
