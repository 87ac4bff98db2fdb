import path from 'node:path'
import { definePlugin } from '../../../kernel/index.ts'
import { VISIBLE_TO_ALL } from '../../storage/changes/index.ts'
import { serveThemeFiles } from './assets.ts'
import { addThemeCommands } from './commands.ts'
import { ThemesController } from './controller.ts'
import { Themes } from './service.ts'

export { NO_AREA, TEMPLATE_PART_AREAS, TEMPLATE_TYPES } from './template-types.ts'
export type { Theme, ThemeOption, Themes } from './service.ts'
export type {
  CustomTemplate,
  DeclaredPart,
  ThemeFiles,
  ThemeJson,
  ThemePattern,
  ThemeTemplate,
  ThemeVariation,
} from './theme-files.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The themes of the site: folders of data.
     * @example
     * const { stylesheet, version } = await services.themes.active()
     * const { templates } = await services.themes.files(stylesheet)
     */
    themes: Themes
  }
}

export interface ThemesOptions {
  /** Path of the folder that has a folder for each theme; a relative one is below that of the config. */
  folder: string
  /** Seconds after which a theme's files are looked at again, whether they have changed. */
  recheck: number
  /** Seconds for which browsers and caches use a copy of a theme's file without asking again. */
  max_age: number
}

/** Themes: folders of data, one of which is in use; the option `theme` says which. */
export default definePlugin<ThemesOptions>({
  name: 'themes',
  needs: ['site-requests', 'resources', 'settings', 'roles', 'content-types', 'taxonomies'],
  after: ['changes'],
  provides: ['themes'],
  options: {
    folder: { default: 'themes', type: 'string', minLength: 1 },
    recheck: { default: 5, type: 'number', minimum: 0 },
    max_age: { default: 86_400, type: 'integer', minimum: 0 },
  },
  apply(plugin, { folder, recheck, max_age: maxAge }) {
    const { config, has, hooks, branding, log, onRemove, provide, services } = plugin
    // What is stored of a theme, such as a template that a user has changed, has the theme as its term.
    const types = ['template', 'template_part'].map((name) => branding.typeName(name))
    services.taxonomies.register(branding.typeName('theme'), types, {
      labels: { name: 'Themes', singular_name: 'Theme' },
      public: false,
      rewrite: false,
      query_var: false,
    })
    const themes = new Themes(plugin, path.resolve(config.folder, folder), recheck * 1000)
    provide('themes', themes)
    addThemeCommands(plugin, themes)
    // What was made of files is kept until they change.
    if (has('changes')) {
      themes.library.onChange = (name) => services.changes.touch([`theme:${name ?? '*'}`])
      services.changeReaders.set('tag:theme', VISIBLE_TO_ALL)
    }
    let timer: NodeJS.Timeout | undefined
    const refresh = () =>
      themes.library.refresh().catch((err: unknown) => log.error({ err }, 'theme files were not read'))
    hooks.server_listening.tap('themes', () => {
      if (recheck > 0) timer = setInterval(() => void refresh(), recheck * 1000).unref()
    })
    onRemove(() => clearInterval(timer), 'timer of theme files')
    serveThemeFiles(plugin, themes.library, maxAge)
    let controller: ThemesController | null = null
    hooks.rest_api_init.tap('themes', (server) => {
      controller = new ThemesController(plugin, themes)
      controller.register(server)
    })
    // Editors look here for the features of the site.
    hooks.rest_index.tapPromise('themes', async (response, request) => {
      if (controller?.maySeeActive(request) !== true) return response
      const { stylesheet } = await themes.active()
      response.addLink(branding.relation('active-theme'), controller.href(stylesheet))
      return response
    })
  },
})
