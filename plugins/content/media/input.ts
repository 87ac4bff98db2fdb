import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import {
  PostInput,
  type GivenPost,
  type Post,
  type PostPermissions,
  type PostQuery,
  type ServedType,
} from '../posts/index.ts'
import { focalPointOf } from './attachment-data.ts'
import { lacksAltText } from './attachment-queries.ts'
import { errors } from './errors.ts'
import { fileName } from './files/file-name.ts'
import { readUpload, type Upload } from './files/upload.ts'
import type { StoredFile } from './files/upload-storage.ts'
import type { MediaService } from './service.ts'

/** Where the files of new attachments come from, beside requests. */
export interface UploadSources {
  /** Whether clients make the versions of images themselves where they ask for none. */
  readonly clientResizing: boolean
  /** Fetches an image at the wish of a user; null where none is fetched. */
  readonly fetch: ((url: string, user: number) => Promise<Upload>) | null
}

/** What requests ask of the list of attachments, and give of them: a file, its texts, the post that it is attached to. */
export class MediaInput extends PostInput {
  override readonly defaultStatus = 'inherit'
  readonly #media: MediaService
  readonly #sources: UploadSources
  readonly #uploaded = new WeakMap<RestRequest, StoredFile>()

  constructor(
    services: PluginContext['services'],
    served: ServedType,
    permissions: PostPermissions,
    media: MediaService,
    sources: UploadSources,
  ) {
    super(services, served, permissions)
    this.#media = media
    this.#sources = sources
  }

  override async queryOf(request: RestRequest): Promise<PostQuery> {
    const query = await super.queryOf(request)
    if (query.search !== undefined) query.searchFiles = true
    if (request.get('lacks_alt_text') === true) query.conditions = [...(query.conditions ?? []), lacksAltText]
    return { ...query, ...this.#kindsOf(request) }
  }

  /** The kinds of files that a request asks for; a MIME type that no file can have asks for nothing. */
  #kindsOf(request: RestRequest): Pick<PostQuery, 'mediaType' | 'mimeTypes'> {
    const asked = (name: string) => [request.get(name) ?? []].flat() as string[]
    const mediaTypes = [...new Set(asked('media_type').filter((type) => type !== ''))]
    const types = asked('mime_type').map((type) => type.toLowerCase())
    if (mediaTypes.length === 0 && types.length === 0) return {}
    const known = this.#media.mimeTypes(request.user)
    const mimeTypes = types.filter((type) => known.has(type))
    const [only] = mediaTypes
    if (only !== undefined && mediaTypes.length === 1 && mimeTypes.length === 0) return { mediaType: only }
    const ofKinds = [...known].filter((type) => mediaTypes.includes(type.split('/', 1)[0]!))
    const all = [...new Set([...ofKinds, ...mimeTypes])]
    return all.length === 0 ? {} : { mimeTypes: all }
  }

  /** Stores the file of a request, and removes it again where `create`, which stores its attachment, fails. */
  async upload<T>(request: RestRequest, create: () => Promise<T>): Promise<T> {
    const asItIs = this.#sources.clientResizing && request.get('generate_sub_sizes') === false
    const stored = await this.#media.store(await this.#read(request), request.user, { asItIs })
    this.#uploaded.set(request, stored)
    return this.keeping(stored, create)
  }

  /** Removes a stored file again where `create`, which stores its attachment, fails. */
  async keeping<T>(stored: StoredFile, create: () => Promise<T>): Promise<T> {
    try {
      return await create()
    } catch (error) {
      // Where the attachment is stored all the same, because a tap failed after the commit, the file stays.
      await this.#media.discard(stored)
      throw error
    }
  }

  async #read(request: RestRequest): Promise<Upload> {
    const url = this.#sources.fetch === null ? undefined : request.get('url')
    const isSent = request.files.length > 0 || request.headers.has('content-disposition')
    if (typeof url !== 'string' || isSent) return readUpload(request)
    const upload = await this.#sources.fetch!(url, request.user.id)
    const { extension } = fileName(upload.name)
    const kind = this.#media.kindOf(extension, upload.data, request.user)
    if (typeof kind === 'string' || !kind.type.startsWith('image/')) throw errors.rest_upload_invalid_image()
    return upload
  }

  /** The texts of an attachment that a request gives, and the post that it is attached to. */
  async textsOfMedia(request: RestRequest): Promise<GivenPost> {
    const change: GivenPost = {}
    const title = await this.textOf(request, 'title')
    const caption = await this.textOf(request, 'caption')
    const description = await this.textOf(request, 'description')
    const parent = request.get('post')
    if (title !== undefined) change.title = title
    if (caption !== undefined) change.excerpt = caption
    if (description !== undefined) change.content = description
    if (parent !== undefined && parent !== null) change.parent_id = Number(parent)
    return change
  }

  override async changeOf(request: RestRequest, before: Post | null): Promise<GivenPost> {
    const change = { ...(await super.changeOf(request, before)), ...(await this.textsOfMedia(request)) }
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
    const focal = request.get('focal_point')
    if (focal !== undefined) await this.#media.setFocalPoint(id, focalPointOf(focal), request.scope)
    const decorative = request.get('decorative')
    if (typeof decorative === 'boolean') await this.#media.setDecorative(id, decorative, request.scope)
  }
}
