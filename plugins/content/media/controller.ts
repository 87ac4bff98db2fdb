import {
  applySyncFilter,
  formatUtc,
  parseValue,
  RestError,
  TEXTS_OF_ANY_LENGTH,
  validateValue,
  zoneOffset,
  type ArgumentSchema,
  type Arguments,
  type ItemSchema,
  type PluginContext,
  type PropertySchema,
  type RestRequest,
  type RestResponse,
  type Selection,
  type TimeZone,
} from '../../../kernel/index.ts'
import {
  PostsController,
  type LeanPost,
  type NewPost,
  type Post,
  type PostChange,
  type PostQuery,
} from '../posts/index.ts'
import { errors } from './errors.ts'
import { addressOf, ALT_KEY, dimensionsOf, factsOf, FILE_KEY, isImage, METADATA_KEY, type MediaFacts } from './facts.ts'
import { fileName } from './file-names.ts'
import { anyKind, DEFAULT_TYPES, kindOf } from './kinds.ts'
import { filesOf, type KeptFile, type MediaLibrary } from './library.ts'
import type { PendingFiles } from './pending-files.ts'
import { fileMarkup } from './markup.ts'
import { plainText } from './plain-text.ts'
import { playerMarkup } from './players.ts'
import { isSmaller } from './sizes.ts'
import { uploadOf } from './upload.ts'

/** What files can be listed by; images first, as most are. */
const MEDIA_TYPES = ['image', 'video', 'text', 'application', 'audio'] as const
/** The size in which a description shows an image. */
const SHOWN_SIZE = 'medium'

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const EDITORS = ['edit'] as const

/** The routes of media: attachments, which are posts with a file. */
export class MediaController extends PostsController {
  readonly #library: MediaLibrary
  readonly #pending: PendingFiles
  /** The files that requests brought. */
  readonly #brought = new WeakMap<RestRequest, { kept: KeptFile; guid: string }>()

  constructor(plugin: PluginContext, name: string, library: MediaLibrary, pending: PendingFiles) {
    super(plugin, name)
    this.#library = library
    this.#pending = pending
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
    const kind: ArgumentSchema = {
      description: 'Limits the list to files of this kind.',
      type: 'string',
      default: null,
    }
    return {
      ...super.listArguments(),
      media_type: { ...kind, enum: [...MEDIA_TYPES] },
      mime_type: { ...kind, description: 'Limits the list to files of this MIME type.' },
    }
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
    // Who may see an attachment, and its address, depend on the post above: both are read together.
    await this.plugin.services.posts.getAttached(Number(request.captures['id']), request.scope)
    return super.itemOf(request)
  }

  override async mayCreate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayCreate(request)
    return may === true ? ((await this.#refuseAbove(request, 0)) ?? true) : may
  }

  override async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayUpdate(request)
    return may === true ? ((await this.#refuseAbove(request, (await this.itemOf(request)).parent_id)) ?? true) : may
  }

  /**
   * Why a file may not be attached to the post that the request names; null when it may, or is already.
   * @param now the number of the post that it is attached to
   */
  async #refuseAbove(request: RestRequest, now: number): Promise<RestError | null> {
    const id = Number(request.get('post') ?? 0)
    if (id === 0 || id === now) return null
    const above = await this.plugin.services.posts.get(id, request.scope)
    if (above?.type === 'attachment' || above?.type === 'revision') {
      const why = 'Files can be attached to neither a file nor a revision.'
      return new RestError('rest_invalid_param', why, { status: 400, params: { post: why } })
    }
    // Whoever may not edit a post does not learn whether it is there.
    return this.permissions.refuseEdit(above, request)
  }

  protected override async create(request: RestRequest): Promise<RestResponse | RestError> {
    const kept = await this.#keep(request)
    this.#brought.set(request, { kept, guid: addressOf(this.plugin, kept.file) })
    try {
      return await super.create(request)
    } catch (error) {
      // Where the attachment is stored all the same, a tap having failed behind it, the files stay with it.
      await this.#pending.giveUp(kept.files)
      throw error
    }
  }

  /** Takes the file of a request in. */
  async #keep(request: RestRequest): Promise<KeptFile> {
    const { hooks, services } = this.plugin
    const { name, data } = await uploadOf(request)
    const wanted = fileName(name)
    const found = kindOf(wanted.ending, data, applySyncFilter(hooks.upload_mimes, DEFAULT_TYPES, request.user))
    const anything = typeof found === 'string' && services.capabilities.can(request.user, 'unfiltered_upload')
    const kind = anything ? anyKind(wanted.ending) : found
    if (typeof kind === 'string') throw errors.rest_upload_sideload_error(kind)
    const zone = await services.options.get<TimeZone>('timezone', 'UTC')
    const now = Math.floor(Date.now() / 1000)
    const month = formatUtc(now + zoneOffset(zone, now)).slice(0, 7).replace('-', '/') // prettier-ignore
    return this.#library.keep(data, wanted, kind, month, services.imageSizes.all())
  }

  protected override async changeOf(request: RestRequest, post: Post | null): Promise<Omit<NewPost, 'type'>> {
    const change: Omit<NewPost, 'type'> = await super.changeOf(request, post)
    const caption = await this.input.textOf(request, 'caption')
    const description = await this.input.textOf(request, 'description')
    const above = request.get('post')
    if (caption !== undefined) change.excerpt = caption
    if (description !== undefined) change.content = description
    if (above !== undefined && above !== null) change.parent_id = Number(above)
    // A file is seen with the post that it is attached to, unless it is kept from others.
    if (change.status !== undefined) change.status = change.status === 'private' ? 'private' : 'inherit'
    const brought = post === null ? this.#brought.get(request) : undefined
    if (brought === undefined) return change
    const { kept, guid } = brought
    return { status: 'inherit', ...change, title: change.title || kept.stem, guid, mime_type: kept.type }
  }

  protected override async insert(change: Omit<NewPost, 'type'>, request: RestRequest): Promise<Post> {
    const post = await super.insert(change, request)
    await this.#writeFile(post, request)
    return post
  }

  protected override async change(before: Post, change: PostChange, request: RestRequest): Promise<Post> {
    const post = await super.change(before, change, request)
    await this.#writeFile(post, request)
    return post
  }

  /** Stores what a request gives of the file of an attachment. */
  async #writeFile({ id }: Post, request: RestRequest): Promise<void> {
    const { scope } = request
    const write = (key: string, values: readonly unknown[]) =>
      this.plugin.services.meta.write('post', id, key, values, scope)
    const brought = this.#brought.get(request)
    if (brought !== undefined) {
      if (!(await this.#pending.claim(brought.kept.files))) throw errors.rest_upload_unknown_error()
      await write(FILE_KEY, [brought.kept.file])
      await write(METADATA_KEY, [brought.kept.metadata])
    }
    const alt = request.get('alt_text')
    if (typeof alt === 'string') {
      const words = plainText(alt)
      await write(ALT_KEY, words === '' ? [] : [words])
    }
  }

  protected override async delete(request: RestRequest): Promise<RestResponse | RestError> {
    const { meta } = this.plugin.services
    const { id } = await this.itemOf(request)
    const [file, metadata] = await Promise.all(
      [FILE_KEY, METADATA_KEY].map((key) => meta.single('post', id, key, request.scope)),
    )
    const response = await super.delete(request)
    if (response instanceof RestError) return response
    await this.#pending.idle()
    // They are sent to nobody any more, and go as soon as the disk lets them.
    const left = await this.#pending.among(filesOf(file, metadata))
    if (left.length > 0) Object.assign(response.data as object, { pending_files: left })
    return response
  }

  protected override async toData(
    post: LeanPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { permalinks, posts } = this.plugin.services
    const { scope } = request
    const above = selection.has('link') ? await posts.get(post.parent_id, scope) : undefined
    if (above !== undefined) permalinks.know(above, scope)
    const wanted = ['alt_text', 'media_details', 'source_url', 'missing_image_sizes'].some((field) =>
      selection.has(field),
    )
    const [data, facts] = await Promise.all([
      super.toData(post, selection, request),
      wanted ? factsOf(this.plugin, post, scope) : undefined,
    ])
    const put = (field: string, value: unknown) => {
      if (selection.has(field)) data[field] = value
    }
    put('alt_text', facts?.alt)
    put('media_type', isImage(post) ? 'image' : 'file')
    put('mime_type', post.mime_type)
    put('media_details', facts?.details)
    put('post', post.parent_id === 0 ? null : post.parent_id)
    put('source_url', facts?.url)
    put('missing_image_sizes', facts && this.#missingSizes(post, facts))
    return data
  }

  protected override async texts(
    listed: LeanPost,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { rendering } = this.plugin.services
    const texts = await super.texts(listed, selection, request)
    // A list reads the texts wherever one of them is asked for.
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

  /** The file itself, then what is said about it. */
  async #description(post: Post, { scope }: RestRequest): Promise<string> {
    const { rendering, imageSizes } = this.plugin.services
    const [facts, title, text] = await Promise.all([
      factsOf(this.plugin, post, scope),
      rendering.title(post),
      rendering.content(post, scope),
    ])
    if (facts.url === '') return text
    const kind = post.mime_type.split('/', 1)[0]
    if (kind === 'audio' || kind === 'video') {
      const { width = 0, height = 0 } = dimensionsOf(facts.details) ?? {}
      const played = { addresses: [facts.url] as [string], post: post.id, number: 1 }
      const given = { width: String(width), height: String(height) }
      return `${playerMarkup(this.plugin.branding.blockMark, kind, played, given)}\n${text}`
    }
    const size = imageSizes.get(SHOWN_SIZE) ?? { name: 'full', width: 0, height: 0, crop: false }
    return `${fileMarkup(post, facts, title, size)}${text}`
  }

  /** Names of the sizes that could be made of an image and are not there. */
  #missingSizes(post: LeanPost, { details, sizes }: MediaFacts): string[] {
    const original = isImage(post) ? dimensionsOf(details) : null
    if (original === null) return []
    const missing = this.plugin.services.imageSizes
      .all()
      .filter((size) => !(size.name in sizes) && isSmaller(size, original))
    return missing.map(({ name }) => name)
  }
}

function mediaProperties(): Record<string, PropertySchema> {
  const shown = (description: string, type: string, context: readonly string[]): PropertySchema => ({
    description,
    type,
    context,
    readonly: true,
  })
  const text = (description: string, context: readonly string[]): PropertySchema => ({
    description,
    type: 'object',
    context,
    // Written as text as well, as long as a body may hold: what is read of it is read where it is stored.
    arg_options: { validate_callback: null, sanitize_callback: null, size_limits: TEXTS_OF_ANY_LENGTH },
    properties: {
      raw: { description: 'As it is written.', type: 'string', context: EDITORS },
      rendered: { description: 'As readers see it, in HTML.', type: 'string', context, readonly: true },
    },
  })
  const attachedTo = { description: 'Number of the post that the file is attached to.', type: 'integer' }
  return {
    alt_text: { description: 'What an image shows, for those who do not see it.', type: 'string', context: EVERYWHERE },
    caption: text('Words below the file wherever it is shown.', EVERYWHERE),
    description: text('Text about the file.', READERS),
    media_type: {
      ...shown('Whether the file is an image.', 'string', EVERYWHERE),
      enum: ['image', 'file'],
    },
    mime_type: shown('MIME type of the file.', 'string', EVERYWHERE),
    media_details: shown('Size, versions and other facts of the file.', 'object', EVERYWHERE),
    post: {
      ...attachedTo,
      context: READERS,
      arg_options: {
        // As it is read of a file that is attached to none.
        validate_callback: (value) => value === null || validateValue(value, attachedTo, 'post'),
        sanitize_callback: (value) => (value === null ? 0 : parseValue(value, attachedTo, 'post')),
      },
    },
    source_url: { ...shown('Address of the file.', 'string', EVERYWHERE), format: 'uri' },
    missing_image_sizes: {
      ...shown('Names of the sizes in which an image could be there and is not.', 'array', EDITORS),
      items: { type: 'string' },
    },
  }
}
