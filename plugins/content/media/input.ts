import type { RestRequest } from '../../../kernel/index.ts'
import type { NewPost, Post, PostInput } from '../posts/index.ts'
import { readUpload } from './files/upload.ts'
import type { StoredFile } from './files/upload-storage.ts'
import type { MediaService } from './service.ts'

type Change = Omit<NewPost, 'type'>

/** What requests give of attachments: a file, its texts, the post that it is attached to. */
export class MediaInput {
  readonly #media: MediaService
  readonly #uploaded = new WeakMap<RestRequest, StoredFile>()

  constructor(media: MediaService) {
    this.#media = media
  }

  /** Stores the file of a request, and removes it again where `create`, which stores its attachment, fails. */
  async upload<T>(request: RestRequest, create: () => Promise<T>): Promise<T> {
    const stored = await this.#media.store(await readUpload(request), request.user)
    this.#uploaded.set(request, stored)
    try {
      return await create()
    } catch (error) {
      // Where the attachment is stored all the same, because a tap failed after the commit, the file stays.
      await this.#media.discard(stored)
      throw error
    }
  }

  /**
   * The change of an attachment.
   * @param change what the request gives of it as of any post
   */
  async changeOf(request: RestRequest, before: Post | null, change: Change, posts: PostInput): Promise<Change> {
    const caption = await posts.textOf(request, 'caption')
    const description = await posts.textOf(request, 'description')
    const parent = request.get('post')
    if (caption !== undefined) change.excerpt = caption
    if (description !== undefined) change.content = description
    if (parent !== undefined && parent !== null) change.parent_id = Number(parent)
    // A file is readable with the post that it is attached to, unless it is private.
    if (change.status !== undefined) change.status = change.status === 'private' ? 'private' : 'inherit'
    const uploaded = before === null ? this.#uploaded.get(request) : undefined
    if (uploaded === undefined) return change
    const { file, stem, type } = uploaded
    return { status: 'inherit', ...change, title: change.title || stem, guid: this.#media.url(file), mime_type: type }
  }

  /** Stores what a request gives of the file of an attachment; the transaction is open. */
  async write({ id }: Post, request: RestRequest): Promise<void> {
    const uploaded = this.#uploaded.get(request)
    if (uploaded !== undefined) await this.#media.attach(id, uploaded, request.scope)
    const alt = request.get('alt_text')
    if (typeof alt === 'string') await this.#media.setAltText(id, alt, request.scope)
  }
}
