import { Controller, SCHEMA_DRAFT, type ItemSchema, type Selection } from '../../resources/index.ts'
import {
  forbidden,
  RestResponse,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { SHOWN_STYLESHEET } from '../themes/index.ts'
import { errors } from './errors.ts'
import { stylesProperties } from './schema.ts'
import type { GlobalStyles } from './service.ts'
import type { StylesJson } from './theme-json.ts'

/** Styles of a theme, without user styles. */
interface ThemeStyles {
  readonly stylesheet: string
  readonly json: StylesJson
}

/** Routes of the styles and style variations of the active theme. */
export class ThemeStylesController extends Controller<ThemeStyles> {
  readonly #styles: GlobalStyles

  constructor(plugin: PluginContext, styles: GlobalStyles) {
    super(plugin, plugin.branding.namespace('v2'), 'global-styles/themes', 'theme-styles')
    this.#styles = styles
  }

  override register(server: RestServer): void {
    const permission = (request: RestRequest) => this.#mayRead(request)
    const path = `/${this.restBase}/(?P<stylesheet>[\\w%.@-]+)`
    const args = { stylesheet: { description: 'Slug of the theme.', type: 'string' } } as const
    server.registerRoute(this.namespace, path, {
      'x-shown-route': `${this.restBase}/(?P<stylesheet>${SHOWN_STYLESHEET})`,
      args,
      allow_batch: { v1: false },
      0: {
        methods: 'GET',
        callback: async (request) => this.prepare(await this.#themeOf(request), request),
        permission_callback: permission,
      },
      schema: () => this.publicSchema(),
    })
    if (!this.plugin.since('6.0')) return
    server.registerRoute(this.namespace, `${path}/variations`, {
      args,
      allow_batch: { v1: false },
      0: {
        methods: 'GET',
        callback: async (request) => {
          const { stylesheet } = await this.#themeOf(request)
          return new RestResponse(await this.#styles.variations(stylesheet))
        },
        permission_callback: permission,
      },
    })
  }

  /** Users who can edit posts can read styles, for previews in the editor. */
  #mayRead({ user }: RestRequest): true | RestError {
    const { capabilities, contentTypes } = this.plugin.services
    const may = capabilities.can(user, 'edit_theme_options') || contentTypes.isWriter(user)
    return may || forbidden({ user }, errors.rest_cannot_read_global_styles)
  }

  /** @throws rest_theme_not_found */
  async #themeOf(request: RestRequest): Promise<ThemeStyles> {
    const theme = await this.plugin.services.themes.inUse(String(request.get('stylesheet')))
    if (theme === undefined) throw errors.rest_theme_not_found()
    const { stylesheet } = theme
    return { stylesheet, json: await this.#styles.ofTheme(stylesheet) }
  }

  protected override itemSchema(): ItemSchema {
    const { styles, settings } = stylesProperties()
    const title = { description: 'Title of the theme.', type: 'string', context: ['view', 'edit'] } as const
    return { $schema: SCHEMA_DRAFT, title: this.objectType, type: 'object', properties: { settings, styles, title } }
  }

  protected override toData({ json }: ThemeStyles, selection: Selection): Record<string, unknown> {
    // The title in theme.json names a variation; only the list of variations shows it.
    const { settings = {}, styles = {} } = json
    return selection.pick({ settings, styles })
  }

  protected override toLinks({ stylesheet }: ThemeStyles): Links {
    return { self: { href: this.href(stylesheet) } }
  }
}
