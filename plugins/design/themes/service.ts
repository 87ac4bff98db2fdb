import { AsyncLocalStorage } from 'node:async_hooks'
import path from 'node:path'
import { isObject, type PluginContext } from '../../../kernel/index.ts'
import { versionOf } from '../../requests/conditional/index.ts'
import { BUILT_IN_THEMES, DEFAULT_THEME, ThemeLibrary } from './library.ts'
import { templatePartAreas, type TemplatePartArea } from './template-types.ts'
import type { ThemeFiles } from './theme-files.ts'

/**
 * The option `theme`, set by an import or an administrator. All fields are optional and override the files of the
 * theme.
 */
export interface ThemeOption {
  /** Slug of the theme: the name of its folder. */
  stylesheet?: string
  /** Slug of the parent theme; the theme itself by default. */
  template?: string
  name?: string
  version?: string
  description?: string
  author?: string
  author_uri?: string
  theme_uri?: string
  textdomain?: string
  /** URL of a screenshot. */
  screenshot?: string
  tags?: readonly string[]
  /** Minimum versions of the site software and of PHP, as declared by the theme. */
  requires?: string
  requires_php?: string
  /** True, false or the arguments of each feature: `{ 'post-formats': ['aside'] }`. */
  supports?: Readonly<Record<string, unknown>>
  /** Descriptions of menu locations by name, in addition to the ones declared in `theme.json`. */
  menus?: Readonly<Record<string, string>>
}

/** A theme, with all defaults. */
export type Theme = Readonly<Required<ThemeOption>> & {
  readonly status: 'active' | 'inactive'
  /** Whether it is a block theme: it has a template `index`. */
  readonly isBlockTheme: boolean
  /** Descriptions of menu locations, by name. */
  readonly menus: Readonly<Record<string, string>>
}

/** Why pages use the default theme instead of the active one. */
export interface ThemeFallback {
  /** Name of the active theme. */
  readonly theme: string
  /** Name of the theme that pages use. */
  readonly shown: string
  /** Folder that lacks files, relative to the folder of the config: of the active theme, or of its parent. */
  readonly folder: string
}

/** Reads and activates the themes of the site. The option `theme` selects the active one. */
export class Themes {
  readonly #plugin: PluginContext
  readonly #folder: string
  /** The theme folders. @internal */
  readonly library: ThemeLibrary
  readonly #previewed = new AsyncLocalStorage<string>()

  constructor(plugin: PluginContext, folder: string, recheck: number) {
    this.#plugin = plugin
    this.#folder = folder
    this.library = new ThemeLibrary(folder, plugin.log, (name) => this.folderUrl(name), recheck)
  }

  /** Returns the URL of a theme's folder. */
  folderUrl(name: string): string {
    const { branding, urls } = this.#plugin
    return `${urls.home}${branding.themesPath}/${name}`
  }

  /**
   * Runs a function for which another theme is active, to show a page with it. The function must not use caches that are
   * shared with other requests, and must not write.
   */
  preview<T>(stylesheet: string, run: () => Promise<T>): Promise<T> {
    return this.#previewed.run(stylesheet, run)
  }

  /** Whether the calling function runs in a preview of a theme. */
  get isPreview(): boolean {
    return this.#previewed.getStore() !== undefined
  }

  async #option(): Promise<ThemeOption> {
    const stylesheet = this.#previewed.getStore()
    if (stylesheet !== undefined) return { stylesheet }
    return (await this.#plugin.services.options.get<ThemeOption>('theme')) ?? {}
  }

  /** Returns the active theme. If its folder is missing, only the fields of the option are set. */
  async active(): Promise<Theme> {
    const option = await this.#option()
    return this.#complete(option.stylesheet ?? DEFAULT_THEME, option, 'active')
  }

  /**
   * Returns the theme that pages use: the active theme, or the default theme while the active one has no template
   * `index` here, for example after the import of a site without the files of its theme. The choice stays stored, so
   * pages use the active theme as soon as its files are there.
   */
  async shown(): Promise<Theme> {
    const active = await this.active()
    if (active.isBlockTheme || active.stylesheet === DEFAULT_THEME) return active
    return this.#complete(DEFAULT_THEME, {}, 'inactive')
  }

  /** Returns the active theme or the one that pages use, by slug; undefined for other themes. */
  async inUse(stylesheet: string): Promise<Theme | undefined> {
    const active = await this.active()
    const theme = active.stylesheet === stylesheet ? active : await this.shown()
    return theme.stylesheet === stylesheet ? theme : undefined
  }

  /** Returns why pages do not use the active theme; null if they use it. */
  async fallback(): Promise<ThemeFallback | null> {
    const [active, shown] = await Promise.all([this.active(), this.shown()])
    if (shown.stylesheet === active.stylesheet) return null
    const isHere = (await this.library.files(active.stylesheet)) !== null
    const lacking = path.join(this.#folder, isHere ? active.template : active.stylesheet)
    return {
      theme: active.name,
      shown: shown.name,
      folder: path.relative(this.#plugin.config.folder, lacking),
    }
  }

  /** Returns all themes: the active one first, then the others by name. */
  async all(): Promise<Theme[]> {
    const active = await this.active()
    const names = await this.library.names()
    const others = await Promise.all(
      [...new Set([...names, ...BUILT_IN_THEMES])].sort().map((name) => this.#inactive(name, active)),
    )
    return [active, ...others.filter((theme) => theme !== null)]
  }

  /** Returns a theme by slug, or undefined. */
  async get(stylesheet: string): Promise<Theme | undefined> {
    const active = await this.active()
    return active.stylesheet === stylesheet ? active : ((await this.#inactive(stylesheet, active)) ?? undefined)
  }

  /** Returns the files of a theme merged with its parent; empty if the theme does not exist. */
  files(stylesheet: string): Promise<ThemeFiles> {
    return this.library.whole(stylesheet)
  }

  /**
   * Returns the URLs of the style sheets that pages of a theme load; style sheets of the themes that it extends come
   * first. Browsers cache them, so the URLs change with the content.
   */
  async styleSheetUrls(stylesheet: string): Promise<string[]> {
    const { branding, urls } = this.#plugin
    const names = await this.library.lineage(stylesheet)
    const sheets = await Promise.all(
      names.map(async (theme) => ({ theme, css: (await this.library.files(theme))?.css ?? '' })),
    )
    return sheets
      .filter(({ css }) => css.trim() !== '')
      .map(({ theme, css }) => `${urls.site(`${branding.themesPath}/${theme}/style.css`)}?v=${versionOf(css)}`)
  }

  /** Returns the areas that template parts can be assigned to, with their texts in the language of the site. */
  async areas(): Promise<TemplatePartArea[]> {
    const { since, services } = this.#plugin
    const areas = templatePartAreas(await services.translations.site())
    return since('7.1') ? areas : areas.filter(({ area }) => area !== 'navigation-overlay')
  }

  /**
   * Activates a theme.
   * @returns null if the theme does not exist
   */
  async activate(stylesheet: string): Promise<Theme | null> {
    const theme = await this.get(stylesheet)
    if (theme === undefined) return null
    if (theme.status === 'inactive') await this.#plugin.services.options.set('theme', { stylesheet })
    return this.active()
  }

  async #inactive(name: string, active: Theme): Promise<Theme | null> {
    if (name === active.stylesheet || (await this.library.files(name)) === null) return null
    return this.#complete(name, {}, 'inactive')
  }

  async #complete(stylesheet: string, option: ThemeOption, status: Theme['status']): Promise<Theme> {
    const files = await this.files(stylesheet)
    const { header, screenshot } = files
    const isBlockTheme = files.templates.has('index')
    const declared = siteDeclarations(files, this.#plugin.branding.word)
    const field = (field: string) => header[field] ?? ''
    return {
      stylesheet,
      template: option.template ?? header['template'] ?? stylesheet,
      name: option.name ?? header['theme name'] ?? stylesheet,
      version: option.version ?? field('version'),
      description: option.description ?? field('description'),
      author: option.author ?? field('author'),
      author_uri: option.author_uri ?? field('author uri'),
      theme_uri: option.theme_uri ?? field('theme uri'),
      textdomain: option.textdomain ?? header['text domain'] ?? stylesheet,
      requires: option.requires ?? field('requires at least'),
      requires_php: option.requires_php ?? field('requires php'),
      screenshot: option.screenshot ?? (screenshot === '' ? '' : `${this.folderUrl(stylesheet)}/${screenshot}`),
      tags:
        option.tags ??
        field('tags')
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      supports: { ...(isBlockTheme && BLOCK_THEME_FEATURES), ...declared.supports, ...option.supports },
      menus: { ...declared.menus, ...option.menus },
      isBlockTheme,
      status,
    }
  }
}

/** Declarations in `theme.json` under the site's own key: `{ "svc": { "menus": … } }`. */
interface SiteDeclarations {
  /** Descriptions of menu locations by name: `{ "primary": "Next to the title" }`. */
  menus: Readonly<Record<string, string>>
  /** Supported features, in the form of the option `theme`. */
  supports: Readonly<Record<string, unknown>>
}

/** Names of menu locations, which appear in URLs. */
const LOCATION = /^[\w-]{1,100}$/

function siteDeclarations({ json }: ThemeFiles, word: string): SiteDeclarations {
  const declared = isObject(json[word]) ? json[word] : {}
  const menus = isObject(declared['menus']) ? Object.entries(declared['menus']) : []
  return {
    menus: Object.fromEntries(
      menus.filter((entry): entry is [string, string] => LOCATION.test(entry[0]) && typeof entry[1] === 'string'),
    ),
    supports: isObject(declared['supports']) ? declared['supports'] : {},
  }
}

/** Features that every block theme supports. */
const BLOCK_THEME_FEATURES = {
  'automatic-feed-links': true,
  'block-templates': true,
  'editor-styles': true,
  'post-thumbnails': true,
  'responsive-embeds': true,
  'title-tag': true,
  html5: ['comment-form', 'comment-list', 'search-form', 'gallery', 'caption', 'style', 'script'],
}
