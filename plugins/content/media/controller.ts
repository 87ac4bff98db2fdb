import {
  chain,
  RestError,
  together,
  type Arguments,
  type ItemSchema,
  type PluginContext,
  type RestRequest,
  type RestResponse,
  type Selection,
} from '../../../kernel/index.ts'
import { PostsController, type ListedPost, type Post } from '../posts/index.ts'
import { MediaInput } from './input.ts'
import { refuseParent } from './permissions.ts'
import { mediaListArguments, mediaProperties } from './schema.ts'
import type { MediaService } from './service.ts'
import { MediaShape } from './shape.ts'

/** The routes of media: attachments, which are posts with a file. */
export class MediaController extends PostsController {
  protected override readonly inBatches = false
  protected override readonly textFields = ['caption', 'description']
  override readonly input: MediaInput
  readonly #media: MediaService
  readonly #shape: MediaShape

  /** @param plugin the context of the media plugin */
  constructor(plugin: PluginContext, name: string) {
    const { media, posts } = plugin.services
    super(posts.context, name)
    this.#media = media
    this.input = new MediaInput(posts.context.services, this.served, this.permissions, media)
    this.#shape = new MediaShape(plugin)
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
    return { ...schema, properties: { ...common, ...(meta !== null && { meta }), ...mediaProperties() } }
  }

  // Permissions

  override async mayCreate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayCreate(request)
    return may === true ? ((await this.#refuseParent(request, 0)) ?? true) : may
  }

  override async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    const may = await super.mayUpdate(request)
    return may === true ? ((await this.#refuseParent(request, (await this.itemAsked(request)).parent_id)) ?? true) : may
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
    // They are sent to nobody any more, and are removed as soon as the disk allows it.
    const pending = await this.#media.pendingRemoval(files)
    if (pending.length > 0) Object.assign(response.data as object, { pending_files: pending })
    return response
  }

  // What an attachment shows

  protected override toData(post: ListedPost, selection: Selection, request: RestRequest) {
    const { permalinks, posts } = this.plugin.services
    const { scope } = request
    return chain(selection.has('link') ? posts.get(post.parent_id, scope) : undefined, (parent) => {
      if (parent !== undefined) permalinks.know(parent, scope)
      const read = together(
        () => super.toData(post, selection, request),
        () => this.#shape.data(post, selection, request),
      )
      return chain(read, ([common, own]) => Object.assign(common, own))
    })
  }

  protected override texts(post: ListedPost, selection: Selection, request: RestRequest) {
    const read = together(
      () => super.texts(post, selection, request),
      () => this.#shape.texts(post, selection, request),
    )
    return chain(read, ([common, own]) => Object.assign(common, own))
  }
}
