import {
  awaitAll,
  forbidden,
  isThenable,
  RestError,
  RestResponse,
  runAction,
  VISITOR,
  type Arguments,
  type EndpointGroup,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { doNotKeep } from '../../library/caching/index.ts'
import type { ItemSchema, Selection } from '../../resources/index.ts'
import { methodsKeyOf, PostsController, type GivenPost, type ListedPost, type Post } from '../posts/index.ts'
import { changesOf, editArguments, imageSizeArgument, subSizesArgument } from './editing.ts'
import { errors } from './errors.ts'
import { fetchImage } from './fetch-image.ts'
import { readUpload } from './files/upload.ts'
import type { StoredFile } from './files/upload-storage.ts'
import { MediaInput } from './input.ts'
import type { SubSize } from './later-files.ts'
import { refuseParent } from './permissions.ts'
import { imageArguments, mediaListArguments, mediaProperties } from './schema.ts'
import type { MediaService } from './service.ts'
import { MediaShape, showsFile } from './shape.ts'

/** The routes of media: attachments, which are posts with a file. */
export class MediaController extends PostsController {
  protected override readonly inBatches = false
  protected override readonly textFields = ['caption', 'description']
  override readonly input: MediaInput
  readonly #media: MediaService
  readonly #own: PluginContext
  readonly #clientResizing: boolean
  readonly #shape: MediaShape

  /**
   * @param plugin the context of the media plugin
   * @param options whether clients may send versions of images that they have made themselves
   */
  constructor(plugin: PluginContext, name: string, { clientResizing }: { clientResizing: boolean }) {
    const { media, posts } = plugin.services
    super(posts.context, name)
    this.#media = media
    this.#own = plugin
    this.#clientResizing = clientResizing
    const fetch = this.#fetches ? (url: string, user: number) => fetchImage(plugin, url, user) : null
    this.input = new MediaInput(posts.context.services, this.served, this.permissions, media, { clientResizing, fetch })
    this.#shape = new MediaShape(plugin)
  }

  /** Whether images are fetched from other servers. */
  get #fetches(): boolean {
    return this.#own.since('7.1') && this.#own.has('outgoing')
  }

  protected override get listedStatuses(): string[] {
    return ['inherit', 'private', 'trash']
  }

  // Schema and arguments

  protected override itemParams(): Arguments {
    return { context: this.contextParam('view') }
  }

  protected override listArguments(): Arguments {
    return { ...super.listArguments(), ...mediaListArguments(this.plugin.since) }
  }

  protected override itemSchema(): ItemSchema {
    const { properties, ...schema } = super.itemSchema()
    const { password: _, ...common } = properties
    const meta = this.plugin.services.meta.schemaFor('post', this.type.name)
    const own = mediaProperties((version) => this.#own.since(version))
    return { ...schema, properties: { ...common, ...(meta !== null && { meta }), ...own } }
  }

  override itemArguments(use: 'create' | 'update'): Arguments {
    const args = { ...super.itemArguments(use), ...imageArguments() }
    if (use === 'update') return args
    return { ...args, ...(this.#fetches && this.#urlArgument()), ...(this.#clientResizing && resizingArguments()) }
  }

  #urlArgument(): Arguments {
    const { outgoing } = this.#own.services
    const isAsked = (value: unknown) =>
      (typeof value === 'string' && outgoing.admits(value)) || errors.rest_invalid_url()
    const description = 'URL of an image that is fetched and stored, in place of a file.'
    return { url: { description, type: 'string', format: 'uri', validate_callback: isAsked } }
  }

  // Routes

  override register(server: RestServer): void {
    super.register(server)
    const { since } = this.#own
    const sizes = this.#own.services.imageSizes.all().map(({ name }) => name)
    const idOfUsed = { id: { description: 'ID of the attachment.', type: 'integer' } } as const
    const usage: EndpointGroup = {
      methods: 'GET',
      callback: (request) => this.#usage(request),
      permission_callback: (request) => this.#mayReadUsage(request),
    }
    this.registerRoute(server, `${this.restBase}/(?P<id>[\\d]+)/usage`, [usage], idOfUsed)
    const add = (name: string, endpoint: EndpointGroup) => {
      const id = { id: { description: 'ID of the attachment.', type: 'integer' } } as const
      this.registerRoute(server, `${this.restBase}/(?P<id>[\\d]+)/${name}`, [{ methods: 'POST', ...endpoint }], id)
    }
    if (since('5.3')) {
      add('post-process', {
        callback: (request) => this.#postProcess(request),
        permission_callback: (request) => this.mayUpdate(request),
        args: {
          action: {
            description: 'What is to be done.',
            type: 'string',
            enum: ['create-image-subsizes'],
            required: true,
          },
        },
      })
    }
    if (since('5.5')) {
      const { title, caption, description, alt_text: alt, post } = this.itemArguments('update')
      add('edit', {
        callback: (request) => this.#edit(request),
        permission_callback: (request) => this.#mayEditImage(request),
        args: editArguments(since, { title, caption, description, alt_text: alt, post } as Arguments),
      })
    }
    if (!this.#clientResizing) return
    add('sideload', {
      callback: (request) => this.#sideload(request),
      permission_callback: (request) => this.#mayEditImage(request),
      args: { image_size: imageSizeArgument(sizes), ...convertArgument() },
    })
    add('finalize', {
      callback: (request) => this.#finalize(request),
      permission_callback: (request) => this.#mayEditImage(request),
      args: { sub_sizes: subSizesArgument(sizes) },
    })
  }

  // Permissions

  override async mayCreate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayCreate(request)
    return may === true ? ((await this.#refuseParent(request, 0)) ?? true) : may
  }

  /** By the file and the post that it is attached to, whose status it has. */
  protected override async methodsKey(post: ListedPost, { user, scope }: RestRequest): Promise<string | null> {
    const { capabilities, posts } = this.plugin.services
    const own = capabilities.followRules ? methodsKeyOf(post, user) : null
    if (own === null || post.parent_id === 0) return own
    const above = await posts.get(post.parent_id, scope)
    if (above === undefined) return `${own} of none`
    const around = above.status === 'inherit' ? null : methodsKeyOf(above, user)
    return around === null ? null : `${own} of ${around}`
  }

  override async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayUpdate(request)
    return may === true ? this.#mayStay(request) : may
  }

  /** Whether the user may attach the file in the URL to what it is attached to, unless the request says something else. */
  async #mayStay(request: RestRequest): Promise<true | RestError> {
    const { parent_id: parent } = await this.itemAsked(request)
    return (await this.#refuseParent(request, parent)) ?? true
  }

  /** Whether the user may make other images of the one in the URL. */
  async #mayEditImage(request: RestRequest): Promise<boolean | RestError> {
    const { capabilities } = this.plugin.services
    await this.itemOf(request)
    if (!capabilities.can(request.user, 'upload_files')) return forbidden(request, errors.rest_cannot_edit_image)
    const may = await this.mayUpdate(request)
    // It is another attachment that is attached to the post then.
    return may === true ? ((await this.#refuseParent(request, 0)) ?? true) : may
  }

  /** Whether the user may know where the file in the URL is used: those who work with files and may see it. */
  async #mayReadUsage(request: RestRequest): Promise<boolean | RestError> {
    const { capabilities } = this.plugin.services
    if (!capabilities.can(request.user, 'upload_files')) return forbidden(request, errors.rest_cannot_read_usage)
    return this.mayRead(request)
  }

  #refuseParent(request: RestRequest, current: number): Promise<RestError | null> {
    return refuseParent(this.plugin.services, this.permissions, request, current)
  }

  // Reading

  override async itemOf(request: RestRequest): Promise<Post> {
    // Who may read an attachment, and its URL, depend on the post that it is attached to: both are read together.
    await this.plugin.services.posts.getAttached(Number(request.captures['id']), request.scope)
    return super.itemOf(request)
  }

  /** Where the file in the URL is used, among what the user may read. */
  async #usage(request: RestRequest): Promise<RestResponse> {
    doNotKeep('it is searched for at each request, for one user')
    const { UsageFinder } = await import('./files/file-usage.ts')
    const { permalinks, posts: all, contentRendering: rendering } = this.plugin.services
    const { scope, user } = request
    const { posts, site, complete } = await new UsageFinder(this.#own).find(await this.itemOf(request), user, scope)
    const shown = posts.map(async ({ post, uses }) => ({
      id: post.id,
      type: post.type,
      status: post.status,
      title: { rendered: await rendering.title(post) },
      link: await permalinks.post(post, scope),
      editable: await all.isEditable(post, user, scope),
      uses,
    }))
    return new RestResponse({ posts: await Promise.all(shown), site, complete })
  }

  // Writing

  protected override create(request: RestRequest): Promise<RestResponse | RestError> {
    return this.input.upload(request, () => super.create(request))
  }

  protected override write(request: RestRequest, creating: boolean, store: () => Promise<Post>): Promise<Post> {
    const storeWithFile = async () => {
      const post = await store()
      await this.input.write(post, request)
      return post
    }
    return super.write(request, creating, storeWithFile)
  }

  protected override async delete(request: RestRequest): Promise<RestResponse | RestError> {
    const { id } = await this.itemOf(request)
    const files = await this.#media.files(id, request.scope)
    const response = await super.delete(request)
    if (response instanceof RestError) return response
    // No client can read them, and they are removed as soon as the disk allows it.
    const pending = await this.#media.pendingRemoval(files)
    if (pending.length > 0) Object.assign(response.data as object, { pending_files: pending })
    return response
  }

  /** Makes the versions of an image that it lacks. */
  async #postProcess(request: RestRequest): Promise<RestResponse> {
    const post = await this.itemOf(request)
    await this.clearing(request, () => this.#media.addMissingSizes(post))
    return this.prepareAs('edit', await this.itemOf(request), request)
  }

  /** Stores what an image is after some changes as a new attachment. */
  async #edit(request: RestRequest): Promise<RestResponse> {
    const before = await this.itemOf(request)
    const { url, sizes } = await this.#media.data(before, request.scope)
    const src = URL.parse(String(request.get('src')))?.href
    const urls = [url, ...Object.values(sizes).map((size) => size.source_url)].map((own) => URL.parse(own)?.href)
    if (src === undefined || !urls.includes(src)) throw errors.rest_unknown_attachment()
    const stored = await this.#media.storeEdited(before, changesOf(request), request.user)
    const post = await this.input.keeping(stored, () => this.#createEdited(before, stored, request))
    const response = await this.prepareAs('view', post, request)
    response.status = 201
    response.headers.set('Location', this.href(post.id))
    return response
  }

  async #createEdited(before: Post, stored: StoredFile, request: RestRequest): Promise<Post> {
    const { hooks, services } = this.plugin
    const { scope } = request
    const { alt } = await this.#media.data(before, scope)
    const texts = { title: before.title, excerpt: before.excerpt, content: before.content }
    const isOpen = await services.posts.isReadable(before, VISITOR, scope)
    const change: GivenPost = {
      ...texts,
      status: 'inherit',
      // What not everybody may see is attached where it was, and is seen by those who see that.
      ...(!isOpen && { status: before.status, parent_id: before.parent_id }),
      ...(this.#own.since('6.9') && (await this.input.textsOfMedia(request))),
      guid: this.#media.url(stored.file),
      mime_type: stored.type,
    }
    const given = this.#own.since('6.9') ? request.get('alt_text') : undefined
    const create = async () => {
      const post = await this.writer.create(change, request)
      await this.#media.attach(post.id, stored, scope)
      await this.#media.setAltText(post.id, typeof given === 'string' ? given : alt, scope)
      scope.clear()
      await runAction(hooks.rest_insert.for(this.hookName), post, request, true)
      return post
    }
    const post = await this.clearing(request, () => services.transactions.inTurn(create))
    await runAction(hooks.rest_after_insert.for(this.hookName), post, request, true)
    return post
  }

  /** Stores a version of an image that the client has made. */
  async #sideload(request: RestRequest): Promise<RestResponse> {
    const post = await this.itemOf(request)
    // Before anything is read that could be large.
    if (!post.mime_type.startsWith('image/')) throw errors.rest_post_invalid_id({ data: { status: 400 } })
    const sizes = [request.get('image_size')].flat() as string[]
    const upload = await readUpload(request)
    return new RestResponse(
      await this.clearing(request, () => this.#media.storeVersion(post, upload, sizes, request.user)),
    )
  }

  /** Shows the versions that the client has made. */
  async #finalize(request: RestRequest): Promise<RestResponse> {
    const post = await this.itemOf(request)
    await this.clearing(request, () => this.#media.addSubSizes(post, request.get('sub_sizes') as SubSize[]))
    return this.prepareAs('edit', await this.itemOf(request), request)
  }

  // What an attachment shows

  protected override async toData(post: ListedPost, selection: Selection, request: RestRequest) {
    const { permalinks, posts } = this.plugin.services
    const { scope } = request
    const read = awaitAll([
      selection.has('link') ? posts.get(post.parent_id, scope) : undefined,
      showsFile(selection) ? this.#media.data(post, scope) : undefined,
    ])
    const [parent, file] = isThenable(read) ? await read : read
    if (parent !== undefined) permalinks.know(parent, scope)
    const texts = async () => {
      const [common, own] = await Promise.all([
        this.texts(post, selection, request),
        this.#shape.texts(post, file, selection, scope),
      ])
      return Object.assign(common, own)
    }
    return Object.assign(await super.toData(post, selection, request, texts), this.#shape.data(post, file, selection))
  }
}

function convertArgument(): Arguments {
  const description = 'Whether the file may be stored in another format; files stay as they are.'
  return { convert_format: { description, type: 'boolean', default: true } }
}

function resizingArguments(): Arguments {
  const description = 'Whether smaller versions of an image are made; a client that says no sends them itself.'
  return { generate_sub_sizes: { description, type: 'boolean', default: true }, ...convertArgument() }
}
