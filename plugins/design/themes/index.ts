import path from 'node:path'
import { definePlugin } from '../../../kernel/index.ts'
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
  needs: ['settings', 'roles', 'content-types', 'taxonomies'],
  provides: ['themes'],
  options: {
    folder: { default: 'themes', type: 'string', minLength: 1 },
    recheck: { default: 2, type: 'number', minimum: 0 },
    max_age: { default: 86_400, type: 'integer', minimum: 0 },
  },
  apply(plugin, { folder, recheck, max_age: maxAge }) {
    const { config, hooks, branding, provide, services } = plugin
    // What is stored of a theme, such as a template that a user has changed, has the theme as its term.
    services.taxonomies.register(branding.typeName('theme'), [], { public: false, rewrite: false, query_var: false })
    const themes = new Themes(plugin, path.resolve(config.folder, folder), recheck * 1000)
    provide('themes', themes)
    addThemeCommands(plugin, themes)
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
