import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import {
  PostInput,
  type GivenPost,
  type Post,
  type PostPermissions,
  type PostQuery,
  type ServedType,
} from '../posts/index.ts'
import { readUpload } from './files/upload.ts'
import type { StoredFile } from './files/upload-storage.ts'
import type { MediaService } from './service.ts'

/** What requests ask of the list of attachments, and give of them: a file, its texts, the post that it is attached to. */
export class MediaInput extends PostInput {
  override readonly defaultStatus = 'inherit'
  readonly #media: MediaService
  readonly #uploaded = new WeakMap<RestRequest, StoredFile>()

  constructor(
    services: PluginContext['services'],
    served: ServedType,
    permissions: PostPermissions,
    media: MediaService,
  ) {
    super(services, served, permissions)
    this.#media = media
  }

  override async queryOf(request: RestRequest): Promise<PostQuery> {
    const query = await super.queryOf(request)
    if (query.search !== undefined) query.searchFiles = true
    return { ...query, ...this.#kindsOf(request) }
  }

  /** The kinds of files that a request asks for; a MIME type that no file can have asks for nothing. */
  #kindsOf(request: RestRequest): Pick<PostQuery, 'mediaType' | 'mimeTypes'> {
    const asked = (name: string) => [request.get(name) ?? []].flat() as string[]
    const known = this.#media.mimeTypes(request.user)
    const mediaTypes = [...new Set(asked('media_type').filter((type) => type !== ''))]
    const mimeTypes = asked('mime_type').flatMap((type) => (known.has(type.toLowerCase()) ? [type.toLowerCase()] : []))
    const [only] = mediaTypes
    if (only !== undefined && mediaTypes.length === 1 && mimeTypes.length === 0) return { mediaType: only }
    const ofKinds = [...known].filter((type) => mediaTypes.includes(type.split('/', 1)[0]!))
    const all = [...new Set([...ofKinds, ...mimeTypes])]
    return all.length === 0 ? {} : { mimeTypes: all }
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

  override async changeOf(request: RestRequest, before: Post | null): Promise<GivenPost> {
    const change = await super.changeOf(request, before)
    const caption = await this.textOf(request, 'caption')
    const description = await this.textOf(request, 'description')
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
