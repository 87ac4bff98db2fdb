import {
  escapeHtml,
  forbidden,
  RegistryController,
  RestResponse,
  SCHEMA_DRAFT,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type PropertySchema,
  type RestRequest,
  type Selection,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Theme } from './themes.ts'

/** Features that a theme has or has not; `blockFeature` adds the one that is named with the word. */
const FEATURES = [
  'align-wide',
  'automatic-feed-links',
  'block-templates',
  'block-template-parts',
  'custom-background',
  'custom-header',
  'custom-logo',
  'customize-selective-refresh-widgets',
  'dark-editor-style',
  'disable-custom-colors',
  'disable-custom-font-sizes',
  'disable-custom-gradients',
  'disable-layout-styles',
  'editor-color-palette',
  'editor-font-sizes',
  'editor-gradient-presets',
  'editor-styles',
  'html5',
  'post-thumbnails',
  'responsive-embeds',
  'title-tag',
]

/** Lists the themes: for who may switch them, and the one in use for who may write. */
export class ThemesController extends RegistryController<Theme> {
  protected readonly key = {
    name: 'stylesheet',
    description: 'Name of the theme.',
    pattern: '[^\\/:<>\\*\\?"\\|]+(?:\\/[^\\/:<>\\*\\?"\\|]+)?',
  }
  readonly #themes: () => Promise<Theme[]>

  constructor(plugin: PluginContext, themes: () => Promise<Theme[]>) {
    super(plugin, plugin.branding.namespace('v2'), 'themes', 'theme')
    this.#themes = themes
  }

  /** No field of a theme depends on a context. */
  protected override readArguments(): Arguments {
    return {}
  }

  protected override listArguments(): Arguments {
    return {
      status: {
        description: 'Limits the list to themes of these statuses.',
        type: 'array',
        items: { type: 'string', enum: ['active', 'inactive'] },
      },
    }
  }

  #maySwitch({ user }: RestRequest): boolean {
    return this.plugin.services.capabilities.can(user, 'switch_themes')
  }

  /** Whether the user may write content of some type, and so see what it will look like. */
  #writes({ user }: RestRequest): boolean {
    const { capabilities, contentTypes } = this.plugin.services
    return contentTypes.exposed().some((type) => capabilities.can(user, type.capabilities.edit_posts))
  }

  /** Whether the user may see the theme in use. */
  maySeeActive(request: RestRequest): boolean {
    return this.#maySwitch(request) || this.#writes(request)
  }

  protected mayList(request: RestRequest) {
    if (this.#maySwitch(request)) return true
    const statuses = request.get('status')
    if (!Array.isArray(statuses) || statuses.length !== 1 || statuses[0] !== 'active') {
      return forbidden(request, errors.rest_cannot_view_themes)
    }
    return this.#writes(request) || forbidden(request, errors.rest_cannot_view_active_theme)
  }

  protected async mayRead(request: RestRequest) {
    if (this.#maySwitch(request)) return true
    const theme = await this.#named(request)
    if (theme?.status !== 'active') return forbidden(request, errors.rest_cannot_view_themes)
    return this.#writes(request) || forbidden(request, errors.rest_cannot_view_active_theme)
  }

  async #named(request: RestRequest): Promise<Theme | undefined> {
    return (await this.#themes()).find(({ stylesheet }) => stylesheet === request.get('stylesheet'))
  }

  protected async listed(request: RestRequest): Promise<Theme[]> {
    const statuses = request.get('status') as string[] | undefined
    return (await this.#themes()).filter(({ status }) => statuses === undefined || statuses.includes(status))
  }

  /** All themes on one page. */
  protected override async list(request: RestRequest): Promise<RestResponse> {
    const themes = await this.listed(request)
    const response = new RestResponse(await this.prepareList(themes, request))
    return this.paginate(response, request, { total: themes.length, perPage: Math.max(themes.length, 1), page: 1 })
  }

  protected async find(request: RestRequest): Promise<Theme> {
    const theme = await this.#named(request)
    if (theme === undefined) throw errors.rest_theme_not_found()
    return theme
  }

  get #requires(): string {
    return `requires_${this.plugin.branding.word}`
  }

  get #blockFeature(): string {
    return `${this.plugin.branding.word}-block-styles`
  }

  protected toData(theme: Theme, selection: Selection): Record<string, unknown> {
    return selection.read({
      stylesheet: () => theme.stylesheet,
      template: () => theme.template,
      author: () => shownText(theme.author),
      author_uri: () => shownText(theme.author_uri),
      description: () => shownText(theme.description),
      name: () => shownText(theme.name),
      requires_php: () => '',
      [this.#requires]: () => '',
      screenshot: () => theme.screenshot,
      tags: () => ({ raw: theme.tags, rendered: escapeHtml(theme.tags.join(', ')) }),
      textdomain: () => theme.textdomain,
      theme_supports: () => this.#supports(theme),
      theme_uri: () => shownText(theme.theme_uri),
      version: () => theme.version,
      status: () => theme.status,
    })
  }

  #supports({ supports }: Theme): Record<string, unknown> {
    const { 'post-formats': formats, ...others } = supports
    const features = Object.fromEntries([...FEATURES, this.#blockFeature].map((feature) => [feature, false]))
    return { ...features, ...others, formats: ['standard', ...(Array.isArray(formats) ? (formats as unknown[]) : [])] }
  }

  protected toLinks(theme: Theme): Record<string, Link> {
    return { self: { href: this.href(theme.stylesheet) }, collection: { href: this.href() } }
  }

  protected itemSchema(): ItemSchema {
    const text = (description: string): PropertySchema => ({ description, type: 'string', readonly: true })
    const both = (description: string, format?: string): PropertySchema => ({
      description,
      type: 'object',
      readonly: true,
      properties: {
        raw: { description: 'As it is kept.', type: 'string', ...(format === undefined ? {} : { format }) },
        rendered: { description: 'As HTML.', type: 'string', ...(format === undefined ? {} : { format }) },
      },
    })
    const features = [...FEATURES, this.#blockFeature].map((feature): [string, PropertySchema] => [
      feature,
      {
        description: 'Whether, or with which arguments, the theme has this feature.',
        type: ['boolean', 'array', 'object'],
      },
    ])
    return {
      $schema: SCHEMA_DRAFT,
      title: 'theme',
      type: 'object',
      properties: {
        stylesheet: text('Name for programs.'),
        template: text('Name of the theme it builds on; its own when it builds on none.'),
        author: both('Who made it.'),
        author_uri: both('URL of who made it.', 'uri'),
        description: both('What it is like.'),
        name: both('Human-readable name.'),
        requires_php: text('Least version of PHP; empty, because none is needed.'),
        [this.#requires]: text('Least version of the site software; empty when any will do.'),
        screenshot: { ...text('URL of a picture of it.'), format: 'uri' },
        tags: {
          description: 'Words by which it is found.',
          type: 'object',
          readonly: true,
          properties: {
            raw: { description: 'As they are kept.', type: 'array', items: { type: 'string' } },
            rendered: { description: 'As HTML.', type: 'string' },
          },
        },
        textdomain: text('Name of its translations.'),
        theme_supports: {
          description: 'Features that it has.',
          type: 'object',
          readonly: true,
          properties: {
            ...Object.fromEntries(features),
            formats: { description: 'Formats that posts can have.', type: 'array', items: { type: 'string' } },
          },
        },
        theme_uri: both('URL of a page about it.', 'uri'),
        version: text('Its version.'),
        status: {
          description: 'Whether it is in use.',
          type: 'string',
          enum: ['inactive', 'active'],
          readonly: true,
        },
      },
    }
  }
}

const shownText = (text: string) => ({ raw: text, rendered: escapeHtml(text) })
