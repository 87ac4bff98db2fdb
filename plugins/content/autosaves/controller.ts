import {
  RestResponse,
  type ArgumentSchema,
  type Arguments,
  type EndpointGroup,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import type { ItemSchema, Selection } from '../../resources/index.ts'
import { isAutosave, type ListedPost, type Post } from '../posts/index.ts'
import { PARENT, RevisionsController } from '../revisions/index.ts'
import { errors } from './errors.ts'
import { autosaveSchema } from './schema.ts'

/** Serves the routes of autosaves of a content type. */
export class AutosavesController extends RevisionsController {
  override register(server: RestServer): void {
    const id: ArgumentSchema = { description: 'ID of the autosave.', type: 'integer' }
    const list = `${this.restBase}/(?P<id>[\\d]+)/autosaves`
    this.registerRoute(server, list, this.listEndpoints(), { parent: PARENT })
    const item = `${this.restBase}/(?P<parent>[\\d]+)/autosaves/(?P<id>[\\d]+)`
    this.registerRoute(server, item, this.itemEndpoints(), { parent: PARENT, id })
  }

  protected override listEndpoints(): EndpointGroup[] {
    const save: EndpointGroup = {
      methods: 'POST',
      callback: (request) => this.#save(request),
      permission_callback: (request) => this.parent.mayUpdate(request),
      args: this.parent.itemArguments('update'),
    }
    return [...super.listEndpoints(), save]
  }

  /** Only the read endpoint: clients do not delete autosaves. */
  protected override itemEndpoints(): EndpointGroup[] {
    return super.itemEndpoints().slice(0, 1)
  }

  protected override get hookName(): string {
    return 'autosave'
  }

  override collectionParams(): Arguments {
    return { context: this.contextParam('view') }
  }

  protected override itemSchema(): ItemSchema {
    return autosaveSchema(super.itemSchema())
  }

  /** Returns all autosaves, because the list has no pages. */
  protected override async list(request: RestRequest): Promise<RestResponse> {
    const { items } = await this.revisions({}, request)
    return new RestResponse(await this.prepareList(items.filter(isAutosave), request))
  }

  /**
   * Saves the texts of a request: in place for the user's own draft, otherwise in a separate autosave of this user.
   * Status, date and other fields are not autosaved.
   * @throws rest_autosave_no_changes before 6.3, or if the draft was published in the meantime
   */
  async #save(request: RestRequest): Promise<RestResponse> {
    const { posts } = this.plugin.services
    const { user, scope } = request
    const post = await this.parent.itemOf(request)
    const texts = await this.parent.input.textsOf(request)
    const inPlace = isDraft(post) && post.author_id === user.id
    const check = async (current: Post) => {
      const refused = await this.parent.permissions.refuseEdit(current, request)
      if (refused !== null) throw refused
      if (inPlace && !isDraft(current)) throw errors.rest_autosave_no_changes()
    }
    const write = { user, scope, check, autosave: true }
    if (inPlace)
      return this.prepareAs('edit', await posts.update(post.id, { ...texts, status: 'draft' }, write), request)
    const metaValues = this.#metaOf(request)
    const saved = await this.plugin.services.transactions.inTurn(async () => {
      const stored = await posts.autosave(post, texts, write)
      if (stored !== null && metaValues !== null) await this.#writeMeta(stored, metaValues, request)
      return stored
    })
    if (saved === null) throw errors.rest_autosave_no_changes()
    return this.prepareAs('edit', saved, request)
  }

  /** Returns the meta of a request that autosaves store, or null. */
  #metaOf(request: RestRequest): Readonly<Record<string, unknown>> | null {
    const values = request.get('meta')
    if (typeof values !== 'object' || values === null || !this.plugin.since('6.4')) return null
    const keys = this.plugin.services.meta.revisedKeys(this.type.name)
    const revised = Object.entries(values).filter(([name]) => keys.includes(name))
    return revised.length === 0 ? null : Object.fromEntries(revised)
  }

  async #writeMeta(saved: Post, values: Readonly<Record<string, unknown>>, request: RestRequest): Promise<void> {
    const { meta, posts } = this.plugin.services
    const subject = await posts.subject(saved, request.scope)
    const refused = await meta.update('post', this.type.name, subject, values, request)
    if (refused !== null) throw refused
  }

  /** @throws rest_post_no_autosave */
  override async itemOf(request: RestRequest): Promise<Post> {
    const parent = await this.parentOf(request)
    const saved = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (saved === undefined || saved.parent_id !== parent.id || !isAutosave(saved)) throw errors.rest_post_no_autosave()
    return saved
  }

  protected override async toData(saved: ListedPost, selection: Selection, request: RestRequest) {
    const data = await super.toData(saved, selection, request)
    if (!selection.has('preview_link')) return data
    const { posts, permalinks } = this.plugin.services
    const autosave = saved.type === 'revision' ? saved.id : null
    const post = autosave === null ? saved : await posts.get(saved.parent_id, request.scope)
    if (post === undefined) return data
    const link = this.type.viewable ? await permalinks.preview(post, request.user, request.scope, autosave) : ''
    return { ...data, preview_link: link }
  }
}

/** Checks whether a post is a draft that has not been submitted for review. */
function isDraft({ status }: Post): boolean {
  return status === 'draft' || status === 'auto-draft'
}
