import path from 'node:path'
import { definePlugin } from '../../../kernel/index.ts'
import { VISIBLE_TO_ALL } from '../../storage/changes/index.ts'
import { serveThemeFiles } from './assets.ts'
import { addThemeCommands } from './commands.ts'
import { ThemesController } from './controller.ts'
import { Themes } from './service.ts'

export { NO_AREA, TEMPLATE_PART_AREAS, TEMPLATE_TYPES } from './template-types.ts'
export { ensureThemeTerm, themeTerm } from './theme-terms.ts'
export { translateMarkup } from './translate-markup.ts'
export { SHOWN_STYLESHEET } from './controller.ts'
export type { Theme, ThemeFallback, ThemeOption, Themes } from './service.ts'
export type { TemplatePartArea } from './template-types.ts'
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
     * Reads and activates the themes of the site.
     * @example
     * const { stylesheet, version } = await services.themes.active()
     * const { templates } = await services.themes.files(stylesheet)
     */
    themes: Themes
  }
}

export interface ThemesOptions {
  /** Folder that contains one folder for each theme; relative to the folder of the config. */
  folder: string
  /** Seconds between checks for changed theme files. */
  recheck: number
  /** Seconds for which browsers and caches use theme files without revalidation. */
  max_age: number
}

/** Manages themes: folders of data, of which the option `theme` selects the active one. */
export default definePlugin<ThemesOptions>({
  name: 'themes',
  needs: ['site-requests', 'resources', 'settings', 'roles', 'content-types', 'taxonomies', 'translations'],
  after: ['changes'],
  provides: ['themes'],
  options: {
    folder: { default: 'themes', type: 'string', minLength: 1 },
    recheck: { default: 5, type: 'number', minimum: 0 },
    max_age: { default: 86_400, type: 'integer', minimum: 0 },
  },
  apply(plugin, { folder, recheck, max_age: maxAge }) {
    const { config, has, hooks, branding, log, onRemove, provide, services } = plugin
    // Stored data of a theme, such as changed templates, has the theme as a term.
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
    // Data derived from theme files is cached until the files change.
    if (has('changes')) {
      themes.library.onChange = (name) => services.changes.touch([`theme:${name ?? '*'}`])
      services.changeReaders.set('tag:theme', VISIBLE_TO_ALL)
    }
    let timer: NodeJS.Timeout | undefined
    const refresh = () =>
      themes.library.refresh().catch((err: unknown) => log.error({ err }, 'reading theme files failed'))
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
    // Editors use this link to find the features of the site.
    hooks.rest_index.tapPromise('themes', async (response, request) => {
      if (controller?.maySeeActive(request) !== true) return response
      const { stylesheet } = await themes.active()
      response.addLink(branding.relation('active-theme'), controller.href(stylesheet))
      return response
    })
  },
})
