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

/** Sources of files for new attachments besides the request itself. */
export interface UploadSources {
  /** Whether clients may create the image versions themselves. */
  readonly clientResizing: boolean
  /** Fetches an image on behalf of a user; null if the site fetches no images. */
  readonly fetch: ((url: string, user: number) => Promise<Upload>) | null
}

/** Reads media requests: list queries, and the file, texts and parent post of attachments. */
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

  /** Returns the requested media types and MIME types; MIME types that no upload can have are ignored. */
  #kindsOf(request: RestRequest): Pick<PostQuery, 'mediaType' | 'mimeTypes'> {
    const valuesOf = (name: string) => [request.get(name) ?? []].flat() as string[]
    const mediaTypes = [...new Set(valuesOf('media_type').filter((type) => type !== ''))]
    const types = valuesOf('mime_type').map((type) => type.toLowerCase())
    if (mediaTypes.length === 0 && types.length === 0) return {}
    const allowed = this.#media.mimeTypes(request.user)
    const mimeTypes = types.filter((type) => allowed.has(type))
    const [only] = mediaTypes
    if (only !== undefined && mediaTypes.length === 1 && mimeTypes.length === 0) return { mediaType: only }
    const ofKinds = [...allowed].filter((type) => mediaTypes.includes(type.split('/', 1)[0]!))
    const all = [...new Set([...ofKinds, ...mimeTypes])]
    return all.length === 0 ? {} : { mimeTypes: all }
  }

  /** Stores the file of a request, and deletes it if `create`, which stores its attachment, throws. */
  async upload<T>(request: RestRequest, create: () => Promise<T>): Promise<T> {
    const asItIs = this.#sources.clientResizing && request.get('generate_sub_sizes') === false
    const stored = await this.#media.store(await this.#read(request), request.user, { asItIs })
    this.#uploaded.set(request, stored)
    return this.discardOnError(stored, create)
  }

  /** Runs `create`, which stores the attachment of a file, and deletes the file if it throws. */
  async discardOnError<T>(stored: StoredFile, create: () => Promise<T>): Promise<T> {
    try {
      return await create()
    } catch (error) {
      // If a tap threw after the commit, the attachment exists and `discard` keeps its file.
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

  /** Returns the texts and the parent post that a request sets. */
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
    // Attachments inherit the visibility of their parent post unless they are private.
    if (change.status !== undefined) change.status = change.status === 'private' ? 'private' : 'inherit'
    const uploaded = before === null ? this.#uploaded.get(request) : undefined
    if (uploaded === undefined) return change
    const { file, stem, type } = uploaded
    return { status: 'inherit', ...change, title: change.title || stem, guid: this.#media.url(file), mime_type: type }
  }

  /** Stores the file and image data of a request, inside the transaction of its attachment. */
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
