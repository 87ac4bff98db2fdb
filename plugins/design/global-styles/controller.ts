import {
  applyFilter,
  forbidden,
  runAction,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestResponse,
  type RestServer,
} from '../../../kernel/index.ts'
import { Controller, type ItemSchema, type Selection } from '../../resources/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { errors } from './errors.ts'
import { StylesInput } from './input.ts'
import { globalStylesSchema } from './schema.ts'
import { stylesIn } from './user-styles.ts'

/** Routes of the user's global styles. They cannot be listed, created or deleted. */
export class GlobalStylesController extends Controller<Post> {
  readonly #input: StylesInput

  constructor(plugin: PluginContext, type: string) {
    super(plugin, plugin.branding.namespace('v2'), 'global-styles', type)
    this.#input = new StylesInput(plugin.services)
  }

  override register(server: RestServer): void {
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<id>\\d+)`, {
      'x-shown-route': `${this.restBase}/(?P<id>[\\/\\d+]+)`,
      0: {
        methods: 'GET',
        callback: async (request) => this.prepare(await this.itemOf(request), request),
        permission_callback: (request) => this.mayRead(request),
        args: { id: { description: 'ID of the styles.', type: 'integer' } },
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: (request) => this.#update(request),
        permission_callback: async (request) => this.#mayChange(await this.itemOf(request), request),
        args: this.itemArguments('update'),
      },
      allow_batch: { v1: false },
      schema: () => this.publicSchema(),
    })
  }

  /** @throws rest_global_styles_not_found */
  async itemOf({ captures, scope }: RestRequest): Promise<Post> {
    const post = await this.plugin.services.posts.get(Number(captures['id']), scope)
    if (post?.type !== this.objectType) throw errors.rest_global_styles_not_found()
    return post
  }

  // Permissions

  async mayRead(request: RestRequest): Promise<true | RestError> {
    const { posts } = this.plugin.services
    const post = await this.itemOf(request)
    if (request.get('context') === 'edit' && (await this.#mayChange(post, request)) !== true)
      return forbidden(request, errors.rest_forbidden_context)
    return (await posts.isReadable(post, request.user, request.scope)) || forbidden(request, errors.rest_cannot_view)
  }

  async #mayChange(post: Post, request: RestRequest): Promise<true | RestError> {
    const may = await this.plugin.services.posts.isEditable(post, request.user, request.scope)
    return may || forbidden(request, errors.rest_cannot_edit)
  }

  async #update(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const before = await this.itemOf(request)
    const input = this.#input.changeOf(request, before)
    const change = await applyFilter(hooks.rest_pre_insert.for(this.objectType), input, request)
    const { user, scope } = request
    const check = async (current: Post) => {
      const may = await this.#mayChange(current, request)
      if (may !== true) throw may
    }
    try {
      const post = await services.transactions.inTurn(async () => {
        const stored = await services.posts.update(before.id, change as typeof input, { user, scope, check })
        await runAction(hooks.rest_insert.for(this.objectType), stored, request, false)
        return stored
      })
      await runAction(hooks.rest_after_insert.for(this.objectType), post, request, false)
      request.set('context', 'edit')
      return await this.prepare(post, request)
    } finally {
      scope.clear()
    }
  }

  protected override itemSchema(): ItemSchema {
    return globalStylesSchema(this.objectType)
  }

  protected override toData(post: Post, selection: Selection): Record<string, unknown> {
    const { styles, settings } = stylesIn(post.content)
    const title = () => {
      const rendered = selection.has('title.rendered') ? this.plugin.services.contentRendering.title(post) : ''
      return selection.parts('title', { raw: post.title, rendered })
    }
    return selection.read({ id: () => post.id, title, settings: () => settings, styles: () => styles })
  }

  protected override async toLinks(post: Post, { user, scope }: RestRequest): Promise<Links> {
    const { branding, services, urls } = this.plugin
    const { capabilities, contentTypes, posts } = services
    const self = { href: this.href(post.id) }
    const links: Links = {
      self,
      about: { href: urls.rest(`/${this.namespace}/types/${this.objectType}`) },
    }
    if (contentTypes.supports(this.objectType, 'revisions')) {
      const { count } = await posts.versions(post.id, scope)
      links['version-history'] = { count, href: this.href(`${post.id}/revisions`) }
    }
    const may = (capability: string) => capabilities.can(user, capability)
    const { publish_posts: publish } = contentTypes.get(this.objectType)!.capabilities
    if (may(publish)) links[branding.relation('action-publish')] = self
    if (may('edit_css')) links[branding.relation('action-edit-css')] = self
    return links
  }
}
