import {
  RestError,
  type Arguments,
  type ItemSchema,
  type PluginContext,
  type RestRequest,
  type RestResponse,
  type Selection,
} from '../../../kernel/index.ts'
import { PostsController, type LeanPost, type NewPost, type Post, type PostQuery } from '../posts/index.ts'
import { dimensionsOf, isImage } from './attachment-data.ts'
import { readUpload } from './files/upload.ts'
import type { StoredFile } from './files/upload-storage.ts'
import { fileMarkup } from './images/image-markup.ts'
import { FULL_SIZE } from './images/image-sizes.ts'
import { mediaListArguments, mediaProperties } from './schema.ts'
import type { MediaService } from './service.ts'
import { playerMarkup } from './shortcodes/player.ts'

/** The size in which a description shows an image. */
const DESCRIPTION_SIZE = 'medium'

/** The routes of media: attachments, which are posts with a file. */
export class MediaController extends PostsController {
  readonly #media: MediaService
  /** The files that requests have uploaded. */
  readonly #uploaded = new WeakMap<RestRequest, StoredFile>()

  constructor(plugin: PluginContext, name: string, media: MediaService) {
    super(plugin, name)
    this.#media = media
  }

  protected override get inBatches(): boolean {
    return false
  }

  protected override get defaultStatus(): string {
    return 'inherit'
  }

  protected override get listedStatuses(): string[] {
    return ['inherit', 'private', 'trash']
  }

  protected override get textFields(): readonly string[] {
    return ['caption', 'description']
  }

  protected override itemParams(): Arguments {
    return { context: this.contextParam('view') }
  }

  protected override listArguments(): Arguments {
    return { ...super.listArguments(), ...mediaListArguments() }
  }

  protected override itemSchema(): ItemSchema {
    const { password: _, ...common } = super.itemSchema().properties
    const meta = this.plugin.services.meta.schemaFor('post', this.type.name)
    return {
      ...super.itemSchema(),
      properties: { ...common, ...(meta !== null && { meta }), ...mediaProperties() },
    }
  }

  protected override async queryOf(request: RestRequest): Promise<PostQuery> {
    const query = await super.queryOf(request)
    const mediaType = request.get('media_type') as string | null
    const mimeType = request.get('mime_type') as string | null
    if (mediaType) query.mediaType = mediaType
    if (mimeType) query.mimeTypes = [mimeType.toLowerCase()]
    return query
  }

  override async itemOf(request: RestRequest): Promise<Post> {
    // Who may read an attachment, and its URL, depend on the post that it is attached to: both are read together.
    await this.plugin.services.posts.getAttached(Number(request.captures['id']), request.scope)
    return super.itemOf(request)
  }

  override async mayCreate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayCreate(request)
    return may === true ? ((await this.#refuseParent(request, 0)) ?? true) : may
  }

  override async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayUpdate(request)
    return may === true ? ((await this.#refuseParent(request, (await this.itemOf(request)).parent_id)) ?? true) : may
  }

  /**
   * Why the file may not be attached to the post that the request names; null when it may, or is already.
   * @param current ID of the post that it is attached to
   */
  async #refuseParent(request: RestRequest, current: number): Promise<RestError | null> {
    const id = Number(request.get('post') ?? 0)
    if (id === 0 || id === current) return null
    const parent = await this.plugin.services.posts.get(id, request.scope)
    if (parent?.type === 'attachment' || parent?.type === 'revision') {
      const why = 'A file cannot be attached to another file or to a revision.'
      return new RestError('rest_invalid_param', why, { status: 400, params: { post: why } })
    }
    // Whoever may not edit a post does not learn whether it exists.
    return this.input.refuseEdit(parent, request)
  }

  protected override async createItem(request: RestRequest): Promise<Post> {
    const stored = await this.#media.store(await readUpload(request), request.user)
    this.#uploaded.set(request, stored)
    try {
      return await super.createItem(request)
    } catch (error) {
      // Where the attachment is stored all the same, because a tap failed after the commit, the file stays.
      await this.#media.discard(stored)
      throw error
    }
  }

  protected override async changeOf(request: RestRequest, post: Post | null): Promise<Omit<NewPost, 'type'>> {
    const change: Omit<NewPost, 'type'> = await super.changeOf(request, post)
    const caption = await this.input.textOf(request, 'caption')
    const description = await this.input.textOf(request, 'description')
    const parent = request.get('post')
    if (caption !== undefined) change.excerpt = caption
    if (description !== undefined) change.content = description
    if (parent !== undefined && parent !== null) change.parent_id = Number(parent)
    // A file is readable with the post that it is attached to, unless it is private.
    if (change.status !== undefined) change.status = change.status === 'private' ? 'private' : 'inherit'
    const uploaded = post === null ? this.#uploaded.get(request) : undefined
    if (uploaded === undefined) return change
    const { file, stem, type } = uploaded
    return { status: 'inherit', ...change, title: change.title || stem, guid: this.#media.url(file), mime_type: type }
  }

  protected override async writeBeside({ id }: Post, request: RestRequest): Promise<void> {
    const uploaded = this.#uploaded.get(request)
    if (uploaded !== undefined) await this.#media.attach(id, uploaded, request.scope)
    const alt = request.get('alt_text')
    if (typeof alt === 'string') await this.#media.setAltText(id, alt, request.scope)
  }

  protected override async delete(request: RestRequest): Promise<RestResponse> {
    const { id } = await this.itemOf(request)
    const files = await this.#media.files(id, request.scope)
    const response = await super.delete(request)
    // They are sent to nobody any more, and are removed as soon as the disk allows it.
    const pending = await this.#media.pendingRemoval(files)
    if (pending.length > 0) Object.assign(response.data as object, { pending_files: pending })
    return response
  }

  protected override async toData(
    post: LeanPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { permalinks, posts } = this.plugin.services
    const { scope } = request
    const parent = selection.has('link') ? await posts.get(post.parent_id, scope) : undefined
    if (parent !== undefined) permalinks.know(parent, scope)
    const wanted = ['alt_text', 'media_details', 'source_url', 'missing_image_sizes'].some((field) =>
      selection.has(field),
    )
    const [data, file] = await Promise.all([
      super.toData(post, selection, request),
      wanted ? this.#media.data(post, scope) : undefined,
    ])
    const put = (field: string, value: unknown) => {
      if (selection.has(field)) data[field] = value
    }
    put('alt_text', file?.alt)
    put('media_type', isImage(post) ? 'image' : 'file')
    put('mime_type', post.mime_type)
    put('media_details', file?.details)
    put('post', post.parent_id === 0 ? null : post.parent_id)
    put('source_url', file?.url)
    put('missing_image_sizes', file && this.#media.missingSizes(post, file))
    return data
  }

  protected override async texts(
    listed: LeanPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { rendering } = this.plugin.services
    const texts = await super.texts(listed, selection, request)
    // A list has read the texts where the request selects one of them.
    const post = listed as Post
    if (selection.has('description')) {
      const rendered = selection.has('description.rendered') ? await this.#description(post, request) : ''
      texts['description'] = selection.parts('description', { raw: post.content, rendered })
    }
    if (selection.has('caption')) {
      const rendered = selection.has('caption.rendered') ? await rendering.writtenExcerpt(post) : ''
      texts['caption'] = selection.parts('caption', { raw: post.excerpt, rendered })
    }
    return texts
  }

  /** The file itself, followed by the text. */
  async #description(post: Post, { scope }: RestRequest): Promise<string> {
    const { rendering, imageSizes } = this.plugin.services
    const [data, title, text] = await Promise.all([
      this.#media.data(post, scope),
      rendering.title(post),
      rendering.content(post, scope),
    ])
    if (data.url === '') return text
    const kind = post.mime_type.split('/', 1)[0]
    if (kind === 'audio' || kind === 'video') {
      const { width = 0, height = 0 } = dimensionsOf(data.details) ?? {}
      const player = { urls: [data.url] as [string], post: post.id, number: 1 }
      const attributes = { width: String(width), height: String(height) }
      return `${playerMarkup(this.plugin.branding.blockMark, kind, player, attributes)}\n${text}`
    }
    return `${fileMarkup(post, data, title, imageSizes.get(DESCRIPTION_SIZE) ?? FULL_SIZE)}${text}`
  }
}
