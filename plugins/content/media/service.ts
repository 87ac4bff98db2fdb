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

/** The files of attachments, and what is stored about them. Asks for no permission. */
export class MediaService extends MediaReader {
  readonly #tasks: FileTasks
  readonly #writer: MediaWriter
  readonly #later: LaterFiles

  /** Whether clients may send versions of images that they have made themselves, through the REST API. */
  readonly takesVersions: boolean

  constructor(plugin: PluginContext, storage: UploadStorage, tasks: FileTasks, takesVersions: boolean) {
    super(plugin)
    this.takesVersions = takesVersions
    this.#tasks = tasks
    this.#writer = new MediaWriter(plugin, this, storage, tasks)
    this.#later = new LaterFiles(plugin, this, this.#writer, storage, tasks)
  }

  /**
   * Stores an uploaded file, with the smaller versions of an image. `attach` makes it the file of an attachment; without
   * that, `discard` removes it again.
   * @throws rest_upload_sideload_error for a type that the user may not upload, or an image that is damaged;
   * rest_upload_too_many_pixels, rest_upload_unknown_error, rest_unavailable where too many images wait
   */
  store(upload: Upload, user: CurrentUser, options?: StoreOptions): Promise<StoredFile> {
    return this.#writer.store(upload, user, options)
  }

  /**
   * Stores what an image of an attachment is after some changes as a new file, which is told apart by `-edited` in its name.
   * The attachment stays as it is.
   * @throws what `store` does; rest_image_crop_failed
   */
  storeEdited(post: AttachmentPost, changes: readonly ImageChange[], user: CurrentUser): Promise<StoredFile> {
    return this.#writer.storeEdited(post, changes, user)
  }

  /** Makes the versions that an image lacks, of the sizes that are registered. */
  addMissingSizes(post: AttachmentPost): Promise<void> {
    return this.#later.addMissing(post)
  }

  /**
   * Stores a version of an image that a client has made, next to its file. It belongs to the attachment from then on,
   * and is shown once `addSubSizes` names it.
   * @param sizes names of registered sizes, or one of `original`, `scaled` and `full`
   * @throws rest_upload_invalid_image, rest_upload_dimension_mismatch, rest_upload_unknown_size, rest_too_many_files,
   * rest_sideload_attachment_not_in_uploads; what `store` does
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
   * Makes files that `storeVersion` has stored the versions of an image.
   * @throws rest_invalid_sub_size_file for one that is not of this attachment
   */
  addSubSizes(post: AttachmentPost, sizes: readonly SubSize[]): Promise<void> {
    return this.#later.addSubSizes(post, sizes)
  }

  /**
   * Stores a file that is to belong to something else than an attachment, such as a font. `keep` makes it stay; without that,
   * `discard` removes it again.
   * @param folder below the uploads folder: `fonts`
   * @param type the kind that `kindOf` returned for the bytes
   * @throws rest_upload_unknown_error
   */
  storeIn(folder: string, upload: Upload, type: FileKind): Promise<StoredFile> {
    return this.#writer.storeIn(folder, upload, type)
  }

  /**
   * Makes a file stay that `storeIn` has stored; the transaction that stores what it belongs to is open.
   * @throws rest_upload_unknown_error if the file was discarded in the meantime
   */
  keep(file: StoredFile): Promise<void> {
    return this.#writer.keep(file)
  }

  /** Removes files that `keep` made stay, once the transaction that is open is committed. */
  release(files: readonly string[]): Promise<void> {
    return this.#tasks.scheduleRemoval(files)
  }

  /**
   * Finds the kind of a file by its name and its bytes, which have to agree. Call it before a file is stored.
   * @param extension of its name, in lower case and without the dot
   * @returns the kind, or a sentence that says why the user may not upload it
   */
  kindOf(extension: string, data: Buffer, user: CurrentUser): FileKind | string {
    return this.#writer.kindOf(extension, data, user)
  }

  /** The MIME types of files that a user may upload. */
  mimeTypes(user: CurrentUser): ReadonlySet<string> {
    return this.#writer.mimeTypes(user)
  }

  /**
   * Makes a stored file that of an attachment; the transaction that stores the attachment is open.
   * @throws rest_upload_unknown_error where it has been discarded meanwhile
   */
  attach(id: number, file: StoredFile, scope: RequestCache): Promise<void> {
    return this.#writer.attach(id, file, scope)
  }

  /** Removes a stored file that did not become that of an attachment; one that did stays. */
  discard({ files }: StoredFile): Promise<void> {
    return this.#tasks.discard(files)
  }

  /** Stores the alternative text of an image; an empty one is removed. */
  setAltText(id: number, text: string, scope: RequestCache): Promise<void> {
    return this.#writer.setAltText(id, text, scope)
  }

  /** Stores the point of an image that stays in sight where the image is cut off; null removes it. */
  setFocalPoint(id: number, point: FocalPoint | null, scope: RequestCache): Promise<void> {
    return this.#writer.setFocalPoint(id, point, scope)
  }

  /** Stores whether an image only decorates, and needs no alternative text. */
  setDecorative(id: number, isDecorative: boolean, scope: RequestCache): Promise<void> {
    return this.#writer.setDecorative(id, isDecorative, scope)
  }

  /**
   * Removes the files of an attachment, and the image wherever it is a featured image, the icon or the logo of the site; the
   * transaction that deletes the attachment is open, and the files are removed once it is committed.
   */
  remove(id: number): Promise<void> {
    return this.#writer.remove(id)
  }

  /** Those of some files that the disk has refused to remove up to now. */
  async pendingRemoval(files: readonly string[]): Promise<string[]> {
    await this.#tasks.idle()
    return this.#tasks.pending(files)
  }
}
