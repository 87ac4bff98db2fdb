import {
  forbidden,
  RestResponse,
  type Arguments,
  type ArgumentSchema,
  type EndpointGroup,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import type { ItemSchema, Selection } from '../../resources/index.ts'
import type { ContentType } from '../../content/content-types/index.ts'
import { isAutosave, type ListedPost, type Post } from '../../content/posts/index.ts'
import { RevisionsController } from '../../content/revisions/index.ts'
import { idIn, shownRoute, TEMPLATE_ID, writeOf } from './controller.ts'
import { errors } from './errors.ts'
import { templateSchema } from './schema.ts'
import type { Template, TemplateKind, Templates } from './service.ts'
import { templateData } from './shape.ts'

const ID: ArgumentSchema = { description: 'Theme and slug of the template.', type: 'string' }
const REVISION: ArgumentSchema = { description: 'ID of the revision.', type: 'integer' }

/** Routes of template revisions. Each is shown in the form of the template. */
export class TemplateRevisionsController extends RevisionsController {
  protected readonly kind: TemplateKind
  readonly #templates: Templates
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext, type: ContentType, kind: TemplateKind, templates: Templates) {
    super(plugin.services.posts.context, type)
    this.#plugin = plugin
    this.kind = kind
    this.#templates = templates
  }

  override register(server: RestServer): void {
    const path = `${this.restBase}/(?P<parent>${TEMPLATE_ID})/revisions`
    this.registerRoute(server, path, this.listEndpoints(), { parent: ID })
    this.registerRoute(server, `${path}/(?P<id>[\\d]+)`, this.itemEndpoints(), { parent: ID, id: REVISION })
  }

  protected override registerRoute(
    server: RestServer,
    path: string,
    endpoints: EndpointGroup[],
    args: Arguments,
  ): void {
    super.registerRoute(server, path, endpoints, args, shownRoute(path))
  }

  protected override itemSchema(): ItemSchema {
    const { properties, ...schema } = templateSchema(this.#plugin, this.kind)
    const parent = {
      description: 'ID of the post that stores the template.',
      type: 'integer',
      context: ['view', 'edit', 'embed'],
    } as const
    return { ...schema, title: this.objectType, properties: { ...properties, parent } }
  }

  /** Returns the template in the URL. @throws rest_post_invalid_parent; rest_invalid_template if it is not stored */
  protected async templateOf({ captures, scope }: RestRequest): Promise<Template & { post: Post }> {
    const id = idIn(captures['parent'] ?? captures['id'])
    const template = await this.#templates.get(id, this.kind, scope)
    if (template === undefined) throw errors.rest_post_invalid_parent()
    if (template.post === null) throw errors.rest_invalid_template()
    return { ...template, post: template.post }
  }

  protected override async parentOf(request: RestRequest): Promise<Post> {
    return (await this.templateOf(request)).post
  }

  /** @throws rest_post_invalid_id, rest_revision_parent_id_mismatch */
  override async itemOf(request: RestRequest): Promise<Post> {
    const parent = await this.parentOf(request)
    const revision = await this.#revisionOf(request)
    if (revision.parent_id !== parent.id) throw errors.rest_revision_parent_id_mismatch()
    return revision
  }

  /** Users who can edit the theme can delete revisions; others learn no IDs. */
  override async mayDelete(request: RestRequest): Promise<true | RestError> {
    if ((await this.mayList(request)) !== true) return forbidden(request, errors.rest_cannot_delete)
    await this.#revisionOf(request)
    return true
  }

  async #revisionOf({ captures, scope }: RestRequest): Promise<Post> {
    const revision = await this.plugin.services.posts.get(Number(captures['id']), scope)
    if (revision?.type !== 'revision') throw errors.rest_post_invalid_id()
    return revision
  }

  protected override async toData(revision: ListedPost, selection: Selection, request: RestRequest) {
    const template = await this.templateOf(request)
    const post = await this.#whole(revision, request)
    const shown = {
      ...template,
      title: post.title,
      content: post.content,
      description: post.excerpt,
      status: post.status,
      post,
    }
    return {
      ...(await templateData(this.#plugin, shown, selection, request)),
      ...selection.pick({ parent: template.post.id }),
    }
  }

  /** Loads the full revision if the list query omitted its texts. */
  async #whole(revision: ListedPost, { scope }: RestRequest): Promise<Post> {
    return 'content' in revision ? revision : ((await this.plugin.services.posts.get(revision.id, scope)) as Post)
  }

  protected override async toLinks(revision: ListedPost, request: RestRequest): Promise<Links> {
    const { id } = await this.templateOf(request)
    return { self: { href: this.href(`${id}/${this.below}/${revision.id}`) }, parent: { href: this.href(id) } }
  }

  /** Path segment after the URL of the template. */
  protected readonly below: string = 'revisions'
}

/** Routes of template autosaves. */
export class TemplateAutosavesController extends TemplateRevisionsController {
  protected override readonly below = 'autosaves'

  override register(server: RestServer): void {
    const list = `${this.restBase}/(?P<id>${TEMPLATE_ID})/autosaves`
    const save: EndpointGroup = {
      methods: 'POST',
      callback: (request) => this.#save(request),
      permission_callback: (request) => this.#maySave(request),
      args: this.#savedArguments(),
    }
    this.registerRoute(server, list, [...this.listEndpoints(), save], { id: ID })
    const item = `${this.restBase}/(?P<parent>${TEMPLATE_ID})/autosaves/(?P<id>[\\d]+)`
    this.registerRoute(server, item, this.itemEndpoints().slice(0, 1), { parent: ID, id: REVISION })
  }

  protected override get hookName(): string {
    return 'autosave'
  }

  /** The arguments of the fields of a template; the parent is in the URL. */
  #savedArguments(): Arguments {
    const { parent: _, ...args } = this.itemArguments('update')
    return args
  }

  override collectionParams() {
    return { context: this.contextParam('view') }
  }

  /** Returns all autosaves; the list is not paginated. */
  protected override async list(request: RestRequest): Promise<RestResponse> {
    const { items } = await this.revisions({}, request)
    return new RestResponse(await this.prepareList(items.filter(isAutosave), request))
  }

  /** @throws rest_post_no_autosave */
  override async itemOf(request: RestRequest): Promise<Post> {
    const parent = await this.parentOf(request)
    const saved = await this.plugin.services.posts.get(Number(request.captures['id']), request.scope)
    if (saved === undefined || saved.parent_id !== parent.id || !isAutosave(saved)) throw errors.rest_post_no_autosave()
    return saved
  }

  /** Checks only the user: `#save` checks the template. */
  #maySave(request: RestRequest): true | RestError {
    const may = this.plugin.services.capabilities.can(request.user, 'edit_theme_options')
    return may || forbidden(request, errors.rest_cannot_manage_templates)
  }

  /** Stores the texts of a user as an autosave, without changing the template. */
  async #save(request: RestRequest): Promise<RestResponse> {
    const { posts } = this.plugin.services
    const { post } = await this.templateOf(request)
    const text = (field: string) => this.parent.input.textOf(request, field)
    const [title, content, excerpt] = await Promise.all([text('title'), text('content'), text('description')])
    const texts = {
      ...(title !== undefined && { title }),
      ...(content !== undefined && { content }),
      ...(excerpt !== undefined && { excerpt }),
    }
    const saved = await posts.autosave(post, texts, { ...writeOf(request), autosave: true })
    return this.prepareAs('edit', saved ?? post, request)
  }
}
