import {
  escapeHtml,
  forbidden,
  RegistryController,
  RestResponse,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestRequest,
  type Selection,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import { themeFeatures, themeSchema } from './schema.ts'
import type { Theme } from './service.ts'

/** Lists the themes to users who may switch them, and the active one to users who may edit posts. */
export class ThemesController extends RegistryController<Theme> {
  protected readonly key = {
    name: 'stylesheet',
    description: 'Slug of the theme.',
    pattern: '[^\\/]+',
  }
  readonly #themes: () => Promise<Theme[]>

  constructor(plugin: PluginContext, themes: () => Promise<Theme[]>) {
    super(plugin, plugin.branding.namespace('v2'), 'themes', 'theme')
    this.#themes = themes
  }

  /** No field of a theme depends on the context. */
  protected override readArguments(): Arguments {
    return {}
  }

  protected override listArguments(): Arguments {
    return {
      status: {
        description: 'Limits the list to themes with these statuses.',
        type: 'array',
        items: { type: 'string', enum: ['active', 'inactive'] },
      },
    }
  }

  #maySwitch({ user }: RestRequest): boolean {
    return this.plugin.services.capabilities.can(user, 'switch_themes')
  }

  /** Whether the user may see the active theme. */
  maySeeActive(request: RestRequest): boolean {
    return this.#maySwitch(request) || this.plugin.services.contentTypes.isWriter(request.user)
  }

  protected mayList(request: RestRequest) {
    if (this.#maySwitch(request)) return true
    const statuses = request.get('status')
    if (!Array.isArray(statuses) || statuses.length !== 1 || statuses[0] !== 'active') {
      return forbidden(request, errors.rest_cannot_view_themes)
    }
    return (
      this.plugin.services.contentTypes.isWriter(request.user) ||
      forbidden(request, errors.rest_cannot_view_active_theme)
    )
  }

  protected async mayRead(request: RestRequest) {
    if (this.#maySwitch(request)) return true
    const theme = await this.#named(request)
    if (theme?.status !== 'active') return forbidden(request, errors.rest_cannot_view_themes)
    return (
      this.plugin.services.contentTypes.isWriter(request.user) ||
      forbidden(request, errors.rest_cannot_view_active_theme)
    )
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

  protected toData(theme: Theme, selection: Selection): Record<string, unknown> {
    return selection.read({
      stylesheet: () => theme.stylesheet,
      template: () => theme.template,
      author: () => shownText(theme.author),
      author_uri: () => shownText(theme.author_uri),
      description: () => shownText(theme.description),
      name: () => shownText(theme.name),
      requires_php: () => '',
      [`requires_${this.plugin.branding.word}`]: () => '',
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
    const features = Object.fromEntries(themeFeatures(this.plugin.branding.word).map((feature) => [feature, false]))
    return { ...features, ...others, formats: ['standard', ...(Array.isArray(formats) ? (formats as unknown[]) : [])] }
  }

  protected toLinks(theme: Theme): Record<string, Link> {
    return { self: { href: this.href(theme.stylesheet) }, collection: { href: this.href() } }
  }

  protected itemSchema(): ItemSchema {
    return themeSchema(this.plugin.branding.word)
  }
}

const shownText = (text: string) => ({ raw: text, rendered: escapeHtml(text) })
