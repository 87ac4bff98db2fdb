import {
  forbidden,
  RestResponse,
  type Arguments,
  type Link,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'
import { RegistryController, type ItemSchema, type Selection } from '../../resources/index.ts'
import { errors } from './errors.ts'
import { themeFeatures, themeSchema } from './schema.ts'
import { templateTypes } from './template-types.ts'
import type { Theme, Themes } from './service.ts'

/** The expression of a stylesheet that index documents show. */
export const SHOWN_STYLESHEET = '[^\\/:<>\\*\\?"\\|]+(?:\\/[^\\/:<>\\*\\?"\\|]+)?'

/** Lists all themes for users who can switch them, and the active one for users who can edit posts. */
export class ThemesController extends RegistryController<Theme> {
  protected readonly key = {
    name: 'stylesheet',
    description: 'Slug of the theme.',
    pattern: '[^\\/]+',
    shownPattern: SHOWN_STYLESHEET,
  }
  readonly #themes: Themes

  constructor(plugin: PluginContext, themes: Themes) {
    super(plugin, plugin.branding.namespace('v2'), 'themes', 'theme')
    this.#themes = themes
  }

  /** The route has no context parameter: no field depends on it. */
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

  /** Whether the user can read the active theme. */
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

  #named(request: RestRequest): Promise<Theme | undefined> {
    return this.#themes.get(String(request.get('stylesheet')))
  }

  protected async listed(request: RestRequest): Promise<Theme[]> {
    const statuses = request.get('status') as string[] | undefined
    if (statuses?.every((status) => status === 'active')) return [await this.#themes.active()]
    return (await this.#themes.all()).filter(({ status }) => statuses === undefined || statuses.includes(status))
  }

  /** Returns all themes on one page. */
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

  protected async toData(theme: Theme, selection: Selection): Promise<Record<string, unknown>> {
    const { branding, services } = this.plugin
    const words = await services.translations.site()
    const areas = await this.#themes.areas()
    // Clients read settings of the site from the active theme only.
    const ofSite = <T>(value: T) => (theme.status === 'active' ? value : undefined)
    return selection.read({
      stylesheet: () => theme.stylesheet,
      stylesheet_uri: () => this.#themes.folderUrl(theme.stylesheet),
      template: () => theme.template,
      template_uri: () => this.#themes.folderUrl(theme.template),
      author: () => ({ raw: theme.author, rendered: authorLink(theme) }),
      author_uri: () => shownText(theme.author_uri),
      description: () => shownText(theme.description),
      is_block_theme: () => theme.isBlockTheme,
      name: () => shownText(theme.name),
      requires_php: () => theme.requires_php,
      [`requires_${branding.word}`]: () => theme.requires,
      screenshot: () => theme.screenshot,
      tags: () => ({ raw: theme.tags, rendered: escapeHtml(theme.tags.join(', ')) }),
      textdomain: () => theme.textdomain,
      theme_supports: () => ofSite(this.#supports(theme)),
      theme_uri: () => shownText(theme.theme_uri),
      version: () => theme.version,
      status: () => theme.status,
      default_template_types: () => ofSite(templateTypes(words)),
      default_template_part_areas: () => ofSite(areas),
    })
  }

  #supports({ supports }: Theme): Record<string, unknown> {
    const { 'post-formats': formats, ...others } = supports
    const { branding, since } = this.plugin
    const features = Object.keys(themeFeatures(branding.blockMark, since)).map((feature) => [feature, false])
    return {
      ...Object.fromEntries(features),
      ...others,
      formats: ['standard', ...(Array.isArray(formats) ? (formats as unknown[]) : [])],
    }
  }

  protected toLinks(theme: Theme): Record<string, Link> {
    return { self: { href: this.href(theme.stylesheet) }, collection: { href: this.href() } }
  }

  protected itemSchema(): ItemSchema {
    return themeSchema(this.plugin)
  }
}

/** Returns the author, linked if the theme specifies an http or https URL. */
function authorLink({ author, author_uri: url }: Theme): string {
  const name = escapeHtml(author)
  return /^https?:\/\//i.test(url) ? `<a href="${escapeHtml(url)}">${name}</a>` : name
}

const shownText = (text: string) => ({ raw: text, rendered: escapeHtml(text) })
