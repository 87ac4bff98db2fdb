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
import { doNotCache } from '../../library/caching/index.ts'
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

/** Serves the routes of media: attachments, which are posts with a file. */
export class MediaController extends PostsController {
  protected override readonly inBatches = false
  protected override readonly textFields = ['caption', 'description']
  override readonly input: MediaInput
  readonly #media: MediaService
  readonly #mediaPlugin: PluginContext
  readonly #clientResizing: boolean
  readonly #shape: MediaShape

  /**
   * @param plugin the context of the media plugin
   * @param options whether clients may upload image versions that they created
   */
  constructor(plugin: PluginContext, name: string, { clientResizing }: { clientResizing: boolean }) {
    const { media, posts } = plugin.services
    super(posts.context, name)
    this.#media = media
    this.#mediaPlugin = plugin
    this.#clientResizing = clientResizing
    const fetch = this.#fetchesImages ? (url: string, user: number) => fetchImage(plugin, url, user) : null
    this.input = new MediaInput(posts.context.services, this.served, this.permissions, media, { clientResizing, fetch })
    this.#shape = new MediaShape(plugin)
  }

  /** Whether the site fetches images from other servers. */
  get #fetchesImages(): boolean {
    return this.#mediaPlugin.since('7.1') && this.#mediaPlugin.has('outgoing')
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
    const { services, since } = this.#mediaPlugin
    const sizes = services.imageSizes.all().map(({ name }) => name)
    const specific = mediaProperties(since, sizes)
    return { ...schema, properties: { ...common, ...(meta !== null && { meta }), ...specific } }
  }

  override itemArguments(use: 'create' | 'update'): Arguments {
    const args = { ...super.itemArguments(use), ...imageArguments() }
    if (use === 'update') return args
    return {
      ...args,
      ...(this.#fetchesImages && this.#urlArgument()),
      ...(this.#clientResizing && resizingArguments()),
    }
  }

  #urlArgument(): Arguments {
    const { outgoing } = this.#mediaPlugin.services
    const isAllowed = (value: unknown) =>
      (typeof value === 'string' && outgoing.admits(value)) || errors.rest_invalid_url()
    const description = 'URL of an image to fetch and store, instead of an uploaded file.'
    return { url: { description, type: 'string', format: 'uri', validate_callback: isAllowed } }
  }

  // Routes

  override register(server: RestServer): void {
    super.register(server)
    const { since } = this.#mediaPlugin
    const sizes = this.#mediaPlugin.services.imageSizes.all().map(({ name }) => name)
    const idOfUsed = { id: { description: 'ID of the attachment.', type: 'integer' } } as const
    const usage: EndpointGroup = {
      methods: 'GET',
      callback: (request) => this.#usage(request),
      permission_callback: (request) => this.#mayReadUsage(request),
    }
    this.registerRoute(server, `${this.restBase}/(?P<id>[\\d]+)/usage`, [usage], idOfUsed)
    const add = (name: string, endpoint: EndpointGroup) => {
      const id = name === 'edit' ? {} : idOfUsed
      this.registerRoute(server, `${this.restBase}/(?P<id>[\\d]+)/${name}`, [{ methods: 'POST', ...endpoint }], id)
    }
    if (since('5.3')) {
      add('post-process', {
        callback: (request) => this.#postProcess(request),
        permission_callback: (request) => this.mayUpdate(request),
        args: {
          action: {
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

  /** Returns the file and the post that it is attached to, whose status it inherits. */
  protected override async methodsKey(post: ListedPost, { user, scope }: RestRequest): Promise<string | null> {
    const { capabilities, posts } = this.plugin.services
    const ownKey = capabilities.followRules ? methodsKeyOf(post, user) : null
    if (ownKey === null || post.parent_id === 0) return ownKey
    const above = await posts.get(post.parent_id, scope)
    if (above === undefined) return `${ownKey} of none`
    const parentKey = above.status === 'inherit' ? null : methodsKeyOf(above, user)
    return parentKey === null ? null : `${ownKey} of ${parentKey}`
  }

  override async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayUpdate(request)
    return may === true ? this.#mayKeepParent(request) : may
  }

  /** Checks the parent post of an update: the user must be allowed to attach files to it, unless it does not change. */
  async #mayKeepParent(request: RestRequest): Promise<true | RestError> {
    const { parent_id: parent } = await this.itemAsked(request)
    return (await this.#refuseParent(request, parent)) ?? true
  }

  /** Checks whether the user may create edited copies of the image. */
  async #mayEditImage(request: RestRequest): Promise<boolean | RestError> {
    const { capabilities } = this.plugin.services
    await this.itemOf(request)
    if (!capabilities.can(request.user, 'upload_files')) return forbidden(request, errors.rest_cannot_edit_image)
    const may = await this.mayUpdate(request)
    // The copy is a new attachment, so attaching it to the same post needs permission too.
    return may === true ? ((await this.#refuseParent(request, 0)) ?? true) : may
  }

  /** Checks whether the user may see where the file is used: users who can upload files and read the attachment. */
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
    // The permissions and URL of an attachment depend on its parent post: both load in one statement.
    await this.plugin.services.posts.getAttached(Number(request.captures['id']), request.scope)
    return super.itemOf(request)
  }

  /** Returns the posts and site settings that use the file, as far as the user can read them. */
  async #usage(request: RestRequest): Promise<RestResponse> {
    doNotCache('computed for each request and user')
    const { UsageFinder } = await import('./files/file-usage.ts')
    const { permalinks, posts: all, contentRendering: rendering } = this.plugin.services
    const { scope, user } = request
    const { posts, site, complete } = await new UsageFinder(this.#mediaPlugin).find(
      await this.itemOf(request),
      user,
      scope,
    )
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
    // The files are no longer served; they are deleted as soon as the file system allows it.
    const pending = await this.#media.pendingRemoval(files)
    if (pending.length > 0) Object.assign(response.data as object, { pending_files: pending })
    return response
  }

  /** Creates the missing sizes of an image. */
  async #postProcess(request: RestRequest): Promise<RestResponse> {
    const post = await this.itemOf(request)
    await this.clearing(request, () => this.#media.addMissingSizes(post))
    return this.prepareAs('edit', await this.itemOf(request), request)
  }

  /** Stores an edited copy of an image as a new attachment. */
  async #edit(request: RestRequest): Promise<RestResponse> {
    const before = await this.itemOf(request)
    const stored = await this.#media.storeEdited(before, changesOf(request), request.user)
    const post = await this.input.discardOnError(stored, () => this.#createEdited(before, stored, request))
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
      // The copy of a restricted image keeps status and parent, so that the same users can see it.
      ...(!isOpen && { status: before.status, parent_id: before.parent_id }),
      ...(this.#mediaPlugin.since('6.9') && (await this.input.textsOfMedia(request))),
      guid: this.#media.url(stored.file),
      mime_type: stored.type,
    }
    const altText = this.#mediaPlugin.since('6.9') ? request.get('alt_text') : undefined
    const create = async () => {
      const post = await this.writer.create(change, request)
      await this.#media.attach(post.id, stored, scope)
      await this.#media.setAltText(post.id, typeof altText === 'string' ? altText : alt, scope)
      scope.clear()
      await runAction(hooks.rest_insert.for(this.hookName), post, request, true)
      return post
    }
    const post = await this.clearing(request, () => services.transactions.inTurn(create))
    await runAction(hooks.rest_after_insert.for(this.hookName), post, request, true)
    return post
  }

  /** Stores an image version that the client created. */
  async #sideload(request: RestRequest): Promise<RestResponse> {
    const post = await this.itemOf(request)
    // Checked before the body is read, which can be large.
    if (!post.mime_type.startsWith('image/')) throw errors.rest_post_invalid_id({ data: { status: 400 } })
    const sizes = [request.get('image_size')].flat() as string[]
    const upload = await readUpload(request)
    return new RestResponse(
      await this.clearing(request, () => this.#media.storeVersion(post, upload, sizes, request.user)),
    )
  }

  /** Adds the uploaded versions to the image. */
  async #finalize(request: RestRequest): Promise<RestResponse> {
    const post = await this.itemOf(request)
    await this.clearing(request, () => this.#media.addSubSizes(post, request.get('sub_sizes') as SubSize[]))
    return this.prepareAs('edit', await this.itemOf(request), request)
  }

  // Response data

  protected override async toData(post: ListedPost, selection: Selection, request: RestRequest) {
    const { permalinks, posts } = this.plugin.services
    const { scope } = request
    const read = awaitAll([
      selection.has('link') ? posts.get(post.parent_id, scope) : undefined,
      showsFile(selection) ? this.#media.data(post, scope) : undefined,
    ])
    const [parent, file] = isThenable(read) ? await read : read
    if (parent !== undefined) permalinks.prime(parent, scope)
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
  const description = 'Whether the file may be converted to another format; currently files are never converted.'
  return { convert_format: { description, type: 'boolean', default: true } }
}

function resizingArguments(): Arguments {
  const description = 'Whether to create smaller versions of an image; if false, the client uploads them.'
  return { generate_sub_sizes: { description, type: 'boolean', default: true }, ...convertArgument() }
}
