import {
  forbidden,
  RestResponse,
  runAction,
  applyFilter,
  Controller,
  type ItemSchema,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
  type Selection,
} from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { errors } from './errors.ts'
import { StylesInput } from './input.ts'
import { globalStylesSchema } from './schema.ts'
import type { GlobalStyles } from './service.ts'
import { stylesIn } from './user-styles.ts'

/** The routes of global styles: those of the user, and those of the theme in use with its variations. */
export class GlobalStylesController extends Controller<Post> {
  readonly #styles: GlobalStyles
  readonly #input: StylesInput

  constructor(plugin: PluginContext, styles: GlobalStyles) {
    super(plugin, plugin.branding.namespace('v2'), 'global-styles', styles.user.type)
    this.#styles = styles
    this.#input = new StylesInput(plugin.services)
  }

  override register(server: RestServer): void {
    const stylesheet = {
      description: 'Slug of the theme.',
      type: 'string',
      sanitize_callback: (value: unknown) => decoded(String(value)),
    } as const
    // Old engines of regular expressions read this, as clients that build URLs of routes do.
    const theme = `/${this.restBase}/themes/(?P<stylesheet>[\\w%.@()-]+)`
    const mayReadThemes = (request: RestRequest) => this.#mayReadThemes(request)
    if (this.plugin.since('6.0')) {
      server.registerRoute(this.namespace, `${theme}/variations`, {
        0: {
          methods: 'GET',
          callback: async (request) => new RestResponse(await this.#variations(request)),
          permission_callback: mayReadThemes,
          args: { stylesheet },
        },
      })
    }
    server.registerRoute(this.namespace, theme, {
      0: {
        methods: 'GET',
        callback: (request) => this.#theme(request),
        permission_callback: mayReadThemes,
        args: { stylesheet },
      },
    })
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<id>[\\d]+)`, {
      args: { id: { description: 'ID of the styles.', type: 'integer' } },
      0: {
        methods: 'GET',
        callback: async (request) => this.prepare(await this.itemOf(request), request),
        permission_callback: (request) => this.mayRead(request),
        args: { context: this.contextParam('view') },
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: (request) => this.#update(request),
        permission_callback: async (request) => this.#mayChange(await this.itemOf(request), request),
        args: this.itemArguments('update'),
      },
      schema: () => this.publicSchema(),
    })
  }

  /** @throws rest_global_styles_not_found */
  async itemOf({ captures, scope }: RestRequest): Promise<Post> {
    const post = await this.plugin.services.posts.get(Number(captures['id']), scope)
    if (post?.type !== this.objectType) throw errors.rest_global_styles_not_found()
    return post
  }

  // Who may

  async #mayReadThemes({ user }: RestRequest): Promise<true | RestError> {
    const { capabilities, contentTypes } = this.plugin.services
    const may = capabilities.can(user, 'edit_theme_options') || contentTypes.isWriter(user)
    return may || forbidden({ user }, errors.rest_cannot_read_global_styles)
  }

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

  // The theme in use

  /** @throws rest_theme_not_found */
  async #stylesheetOf(request: RestRequest): Promise<string> {
    const { stylesheet } = await this.plugin.services.themes.active()
    if (request.get('stylesheet') !== stylesheet) throw errors.rest_theme_not_found()
    return stylesheet
  }

  async #theme(request: RestRequest): Promise<RestResponse> {
    const stylesheet = await this.#stylesheetOf(request)
    const { settings = {}, styles = {}, title } = await this.#styles.ofTheme(stylesheet)
    const response = new RestResponse({ settings, styles, ...(title !== undefined && { title }) })
    response.addLink('self', this.href(`themes/${stylesheet}`))
    return response
  }

  async #variations(request: RestRequest): Promise<unknown[]> {
    return this.#styles.variations(await this.#stylesheetOf(request))
  }

  // The styles of the user

  async #update(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const before = await this.itemOf(request)
    const given = this.#input.changeOf(request, before)
    const change = await applyFilter(hooks.rest_pre_insert.for(this.objectType), given, request)
    const { user, scope } = request
    const check = async (current: Post) => {
      const may = await this.#mayChange(current, request)
      if (may !== true) throw may
    }
    try {
      const post = await services.transactions.inTurn(async () => {
        const stored = await services.posts.update(before.id, change as typeof given, { user, scope, check })
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
      const rendered = selection.has('title.rendered') ? this.plugin.services.rendering.title(post) : ''
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

/** A slug as it stands in a URL, where it may be encoded once more. */
function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
