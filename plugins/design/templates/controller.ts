import { Controller, type ItemSchema, type Selection } from '../../resources/index.ts'
import {
  forbidden,
  RestResponse,
  type Arguments,
  type Links,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import type { ContentType } from '../../content/content-types/index.ts'
import { postsControllerOf, type PostsController, type PostWrite } from '../../content/posts/index.ts'
import { errors } from './errors.ts'
import { templateSchema } from './schema.ts'
import type { Template, TemplateChange, TemplateKind, Templates } from './service.ts'
import { templateData } from './shape.ts'

/** Matches theme and slug in a URL, separated by one or two slashes. No template has an ID without a slash. */
export const TEMPLATE_ID = '(?:[\\w.-]+//?)?[\\w%.~-]+'

/** The form of `TEMPLATE_ID` that index documents show, without a group, which some clients cannot parse. */
const SHOWN_TEMPLATE_ID = '[\\w.-]+//?[\\w%.~-]+'

/** Returns the route that index documents show for a route with `TEMPLATE_ID`. */
export function shownRoute(route: string): string {
  return route.replace(TEMPLATE_ID, SHOWN_TEMPLATE_ID)
}

/** Returns the ID of the template in a URL. */
export function idIn(part: unknown): string {
  const [theme = '', slug = ''] = typeof part === 'string' ? part.split(/\/+/) : []
  return `${theme}//${slug}`
}

/** Routes of templates or template parts. */
export class TemplatesController extends Controller<Template> {
  readonly #kind: TemplateKind
  readonly #templates: Templates
  /** Controller of the posts that store templates. It filters texts by the permissions of the user. */
  readonly #posts: PostsController
  readonly #type: ContentType

  constructor(plugin: PluginContext, type: ContentType, kind: TemplateKind, templates: Templates) {
    super(plugin, type.rest_namespace, type.rest_base, type.name)
    this.#kind = kind
    this.#templates = templates
    this.#type = type
    this.#posts = postsControllerOf(plugin.services.posts.context, type)
  }

  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const mayRead = (request: RestRequest) => this.#mayRead(request)
    const mayWrite = (request: RestRequest) => this.#mayWrite(request)
    server.registerRoute(this.namespace, `/${this.restBase}`, {
      0: {
        methods: 'GET',
        callback: (request) => this.#list(request),
        permission_callback: mayRead,
        args: this.#listArguments(),
      },
      1: {
        methods: 'POST',
        callback: (request) => this.#create(request),
        permission_callback: mayWrite,
        args: this.itemArguments('create'),
      },
      schema,
    })
    if (this.plugin.since('6.1')) {
      server.registerRoute(this.namespace, `/${this.restBase}/lookup`, {
        0: {
          methods: 'GET',
          callback: (request) => this.#lookup(request),
          permission_callback: mayRead,
          args: LOOKUP,
        },
        schema,
      })
    }
    const path = `${this.restBase}/(?P<id>${TEMPLATE_ID})`
    server.registerRoute(this.namespace, path, {
      'x-shown-route': shownRoute(path),
      args: { id: { description: 'Theme and slug of the template.', type: 'string', references: this.#kind } },
      0: {
        methods: 'GET',
        callback: async (request) => this.prepare(await this.find(request), request),
        permission_callback: mayRead,
        args: { context: this.contextParam('view') },
      },
      1: {
        methods: 'POST, PUT, PATCH',
        callback: (request) => this.#update(request),
        permission_callback: mayWrite,
        args: this.itemArguments('update'),
      },
      2: {
        methods: 'DELETE',
        callback: (request) => this.#delete(request),
        permission_callback: mayWrite,
        args: FORCE,
      },
      schema,
    })
  }

  #listArguments(): Arguments {
    return {
      context: this.contextParam('view'),
      [`${this.plugin.branding.word}_id`]: {
        description: 'Limits the list to the template stored as this post.',
        type: 'integer',
      },
      area: { description: 'Limits the list to template parts of this area.', type: 'string' },
      post_type: { description: 'Limits the list to templates for posts of this type.', type: 'string' },
    }
  }

  /** Since 6.6, users who can edit posts can read templates; before, only users who can edit the theme. */
  #mayRead(request: RestRequest) {
    const { capabilities, contentTypes } = this.plugin.services
    const writes = this.plugin.since('6.6') && contentTypes.isWriter(request.user)
    return (
      writes ||
      capabilities.can(request.user, 'edit_theme_options') ||
      forbidden(request, errors.rest_cannot_manage_templates)
    )
  }

  #mayWrite(request: RestRequest) {
    const may = this.plugin.services.capabilities.can(request.user, 'edit_theme_options')
    return may || forbidden(request, errors.rest_cannot_manage_templates)
  }

  /**
   * Returns the template in the URL.
   * @throws rest_template_not_found
   */
  async find({ captures, scope }: RestRequest): Promise<Template> {
    const template = await this.#templates.get(idIn(captures['id']), this.#kind, scope)
    if (template === undefined) throw errors.rest_template_not_found()
    return template
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const stored = request.get(`${this.plugin.branding.word}_id`)
    const area = request.get('area')
    const type = request.get('post_type')
    const fits = (template: Template) =>
      (stored === undefined || template.post?.id === stored) &&
      (area === undefined || template.area === area) &&
      (type === undefined || this.#kind !== 'template' || isChosenFor(template, type as string))
    const all = await this.#templates.all(this.#kind, request.scope)
    return new RestResponse(await this.prepareList(all.filter(fits), request))
  }

  /** Returns the template for a slug by the template hierarchy; an empty object if none matches. */
  async #lookup(request: RestRequest): Promise<RestResponse> {
    const slugs = this.#templates.hierarchy({
      slug: request.get('slug') as string,
      isCustom: request.get('is_custom') as boolean | undefined,
      prefix: request.get('template_prefix') as string | undefined,
    })
    const template = await this.#templates.firstOf(slugs, this.#kind, request.scope)
    return template === undefined ? new RestResponse({}) : this.prepare(template, request)
  }

  async #create(request: RestRequest): Promise<RestResponse> {
    const slug = request.get('slug') as string
    const change = await this.#changeOf(request)
    const theme = request.get('theme') as string | undefined
    const template = await this.#templates.create({ ...change, slug, theme }, this.#kind, writeOf(request))
    const response = await this.prepare(template, request)
    response.status = 201
    response.headers.set('Location', this.href(template.id))
    return response
  }

  async #update(request: RestRequest): Promise<RestResponse> {
    const template = await this.find(request)
    // `source: 'theme'` reverts a template to the file of the theme.
    if (request.get('source') === 'theme' && template.hasThemeFile && template.post !== null) {
      await this.#templates.delete(template, writeOf(request))
      request.scope.clear()
      return this.#prepareForEditing(await this.find(request), request)
    }
    const change = await this.#changeOf(request)
    return this.#prepareForEditing(await this.#templates.update(template, change, writeOf(request)), request)
  }

  async #delete(request: RestRequest): Promise<RestResponse> {
    const template = await this.find(request)
    if (template.post === null) throw errors.rest_invalid_template()
    if (request.get('force') !== true) {
      const post = await this.plugin.services.posts.trash(template.post.id, writeOf(request))
      return this.#prepareForEditing({ ...template, status: post.status }, request)
    }
    const previous = await this.#prepareForEditing(template, request)
    await this.#templates.delete(template, writeOf(request))
    return new RestResponse({ deleted: true, previous: previous.data })
  }

  #prepareForEditing(template: Template, request: RestRequest): Promise<RestResponse> {
    request.set('context', 'edit')
    return this.prepare(template, request)
  }

  /** Converts request parameters to changes of a template, filtered by the permissions of the user. */
  async #changeOf(request: RestRequest): Promise<TemplateChange> {
    const text = (field: string) => this.#posts.input.textOf(request, field)
    const [title, content, description] = await Promise.all([text('title'), text('content'), text('description')])
    const author = request.get('author') as number | undefined
    const area = request.get('area') as string | undefined
    return {
      ...(title !== undefined && { title }),
      ...(content !== undefined && { content }),
      ...(description !== undefined && { description }),
      ...(author && { author }),
      ...(area !== undefined &&
        this.#kind === 'template_part' && { area: this.plugin.services.permalinks.slugify(area) }),
      suggested: request.get(`is_${this.plugin.branding.word}_suggestion`) === true,
    }
  }

  protected override async toData(template: Template, selection: Selection, request: RestRequest) {
    return templateData(this.plugin, template, selection, request)
  }

  protected override async toLinks({ id, post }: Template, request: RestRequest): Promise<Links> {
    const { branding, services, urls } = this.plugin
    const self = { href: this.href(id) }
    const links: Links = {
      self,
      collection: { href: this.href() },
      about: { href: urls.rest(`/${branding.namespace('v2')}/types/${this.#type.name}`) },
    }
    if (post !== null && services.contentTypes.supports(this.#type.name, 'revisions')) {
      const { count, latest } = await services.posts.versions(post.id, request.scope)
      links['version-history'] = { count, href: `${self.href}/revisions` }
      if (count > 0) links['predecessor-version'] = { id: latest, href: `${self.href}/revisions/${latest}` }
    }
    const may = (capability: string) => services.capabilities.can(request.user, capability)
    if (may(this.#type.capabilities.publish_posts)) links[branding.relation('action-publish')] = self
    if (may('unfiltered_html')) links[branding.relation('action-unfiltered-html')] = self
    return links
  }

  protected override itemSchema(): ItemSchema {
    return templateSchema(this.plugin, this.#kind)
  }
}

/** Whether users can select a template for posts of a type. */
function isChosenFor({ isCustom, postTypes }: Template, type: string): boolean {
  return isCustom && (postTypes === undefined || postTypes.includes(type))
}

export function writeOf({ user, scope }: RestRequest): PostWrite {
  return { user, scope }
}

const FORCE: Arguments = {
  force: {
    description: 'Whether to delete the stored template permanently instead of moving it to the trash.',
    type: 'boolean',
    default: false,
  },
}

const LOOKUP: Arguments = {
  slug: { description: 'Slug to find a template for.', type: 'string', required: true },
  is_custom: { description: 'Whether the slug is a template that users select for single posts.', type: 'boolean' },
  template_prefix: { description: 'Kind of the slug: `category` for `category-news`.', type: 'string' },
}
