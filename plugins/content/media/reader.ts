import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { ALT_KEY, DECORATIVE_KEY, FILE_KEY, FOCAL_POINT_KEY, LATER_FILE_KEY, METADATA_KEY } from '../meta-keys.ts'
import type { LeanPost } from '../posts/index.ts'
import { countUploads, type UploadCount } from './attachment-queries.ts'
import { attachmentData, dimensionsOf, filesOf, fileUrl, isImage, type AttachmentData } from './attachment-data.ts'
import { featuredMarkup, type FeaturedImage } from './images/image-markup.ts'
import { exceeds, FULL_SIZE } from './images/image-sizes.ts'

/** Fields of a post that are needed to read the data of its file. */
export type AttachmentPost = Pick<LeanPost, 'id' | 'guid' | 'mime_type'>

/** Reads the stored file data of attachments. */
export class MediaReader {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns the data of an attachment's file: URL, versions, alternative text. Concurrent calls share a statement. */
  async data(post: AttachmentPost, scope: RequestCache): Promise<AttachmentData> {
    // The media plugin registers these keys.
    const values = await this.#plugin.services.meta.registeredValues('post', post.id, scope)
    const first = (key: string) => values.get(key)?.[0]
    return attachmentData(this.#plugin, post, {
      file: first(FILE_KEY),
      metadata: first(METADATA_KEY),
      alt: first(ALT_KEY),
      focalPoint: first(FOCAL_POINT_KEY),
      decorative: first(DECORATIVE_KEY),
    })
  }

  /**
   * Returns the `img` element of a featured image. @param size name of a registered size; other names select the
   * original
   */
  featuredImage(data: AttachmentData, size: string, shown: FeaturedImage): string {
    const registered = this.#plugin.services.imageSizes.get(size)
    return featuredMarkup(data, registered ?? { ...FULL_SIZE, name: size }, shown)
  }

  /** Counts the files of the library by month and MIME type, newest month first. Does not check permissions. */
  countUploads(): Promise<UploadCount[]> {
    return countUploads(this.#plugin.services.store)
  }

  /** Returns the files of an attachment, relative to the uploads folder. */
  async files(id: number, scope: RequestCache): Promise<string[]> {
    const { meta } = this.#plugin.services
    const file = await meta.single('post', id, FILE_KEY, scope)
    const files = filesOf({ file, metadata: await meta.single('post', id, METADATA_KEY, scope) })
    return [...new Set([...files, ...(await this.laterFiles(id, scope))])]
  }

  /** Returns the files uploaded or created after the attachment, relative to the uploads folder. */
  async laterFiles(id: number, scope: RequestCache): Promise<string[]> {
    const rows = await this.#plugin.services.meta.rows('post', id, scope)
    return rows.flatMap(({ key, value }) => (key === LATER_FILE_KEY && typeof value === 'string' ? [value] : []))
  }

  /** Returns the names of registered sizes that the image is large enough for but lacks. */
  missingSizes(post: Pick<LeanPost, 'mime_type'>, { details, sizes }: AttachmentData): string[] {
    const original = isImage(post) ? dimensionsOf(details) : null
    if (original === null) return []
    const missing = this.#plugin.services.imageSizes
      .all()
      .filter((size) => !(size.name in sizes) && exceeds(original, size))
    return missing.map(({ name }) => name)
  }

  /** Returns the URL of a file in the uploads folder. @param path relative to the folder, with slashes */
  url(path: string): string {
    return fileUrl(this.#plugin, path)
  }
}
