import { LRUCache } from 'lru-cache'
import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { ThemeFiles } from '../themes/index.ts'
import { darkStyles, styleSheet } from './css.ts'
import { DEFAULTS } from './defaults.ts'
import { pageColors, type PageColors } from './page-colors.ts'
import {
  valueAt,
  isTree,
  knownSettings,
  knownStyles,
  merge,
  ofOrigin,
  THEME_JSON_VERSION,
  withListedPresets,
  withVariables,
  type StylesJson,
} from './theme-json.ts'
import { UserStyles, stylesIn } from './user-styles.ts'

/** Data derived from the files of a theme, valid until the files change. */
interface ThemeData {
  readonly theme: StylesJson
  /** Content of the last user styles, and the data derived from it. */
  merged: { readonly user: string; readonly json: StylesJson; readonly hasOwnColors: boolean; css?: string } | null
}

/** Merges settings and styles of the defaults, the theme and the user, and generates CSS. */
export class GlobalStyles {
  readonly #plugin: PluginContext
  /** Stored user styles. @internal */
  readonly user: UserStyles
  readonly #defaults = ofOrigin(DEFAULTS, 'default')
  readonly #cache = new LRUCache<string, { files: ThemeFiles; data: ThemeData }>({ max: 8 })

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.user = new UserStyles(plugin)
  }

  /** Returns the settings and styles of a theme, merged with the defaults but not with user styles. */
  async ofTheme(stylesheet: string): Promise<StylesJson> {
    return (await this.#dataOf(stylesheet)).theme
  }

  /** Returns the settings and styles of the theme that pages use, merged with the defaults and the user styles. */
  async merged(): Promise<StylesJson> {
    return (await this.#withUser()).json
  }

  /** Returns the style sheet of the theme that pages use: variables, preset classes, element and block styles, and layout. */
  async css(): Promise<string> {
    const merged = await this.#withUser()
    if (merged.css === undefined) {
      const { blockMark } = this.#plugin.branding
      const dark = await this.#dark(merged.hasOwnColors)
      merged.css = styleSheet(merged.json, blockMark) + (dark === null ? '' : darkStyles(dark, blockMark))
    }
    return merged.css
  }

  /** Returns the colors of pages; `dark` is null for themes without a dark color scheme. */
  async pageColors(): Promise<{ readonly light: PageColors; readonly dark: PageColors | null }> {
    const { json, hasOwnColors } = await this.#withUser()
    const dark = await this.#dark(hasOwnColors)
    return { light: pageColors(json), dark: dark === null ? null : pageColors(json, dark) }
  }

  /** Returns the variation that the theme names as its dark color scheme; null if the user styles set colors. */
  async #dark(hasOwnColors: boolean): Promise<StylesJson | null> {
    const { services, branding } = this.#plugin
    const { stylesheet } = await services.themes.shown()
    const { json, variations } = await services.themes.files(stylesheet)
    const title = valueAt(json, branding.word, 'dark')
    const dark = hasOwnColors ? undefined : variations.find((one) => one.title === title)
    return dark === undefined ? null : ofOrigin(dark, 'theme')
  }

  /** Returns the `theme.json` of a theme, merged with the user styles. */
  async whole(stylesheet: string): Promise<StylesJson> {
    const { json } = await this.#plugin.services.themes.files(stylesheet)
    const userStyles = stylesIn((await this.user.find(stylesheet, new RequestCache()))?.content ?? '')
    const { settings, styles } = withListedPresets(
      merge(ofOrigin(json, 'theme'), ofOrigin({ ...userStyles }, 'custom')),
    )
    return { ...json, version: THEME_JSON_VERSION, ...(settings && { settings }), ...(styles && { styles }) }
  }

  /** Returns the style variations of a theme, each with its title. */
  async variations(stylesheet: string): Promise<StylesJson[]> {
    const { variations } = await this.#plugin.services.themes.files(stylesheet)
    const { blockMark } = this.#plugin.branding
    return variations.map((json) => withVariables(ofOrigin(json, 'theme'), blockMark))
  }

  /** Returns the ID of the post with the user styles for a theme; creates the post if necessary. */
  idOf(stylesheet: string): Promise<number> {
    return this.user.idOf(stylesheet, { user: VISITOR, scope: new RequestCache() })
  }

  async #dataOf(stylesheet: string): Promise<ThemeData> {
    const files = await this.#plugin.services.themes.files(stylesheet)
    const cached = this.#cache.get(stylesheet)
    if (cached?.files === files) return cached.data
    const { json } = files
    const theme = withVariables(merge(this.#defaults, ofOrigin(json, 'theme')), this.#plugin.branding.blockMark)
    const data: ThemeData = {
      theme: { ...theme, ...(json.title !== undefined && { title: json.title }) },
      merged: null,
    }
    this.#cache.set(stylesheet, { files, data })
    return data
  }

  async #withUser(): Promise<NonNullable<ThemeData['merged']>> {
    const { stylesheet } = await this.#plugin.services.themes.shown()
    const data = await this.#dataOf(stylesheet)
    const user = (await this.user.find(stylesheet, new RequestCache()))?.content ?? ''
    if (data.merged?.user !== user) {
      const { settings, styles } = stylesIn(user)
      const userStyles = {
        ...(isTree(settings) && { settings: knownSettings(settings) }),
        ...(isTree(styles) && { styles: knownStyles(styles) }),
      }
      const json = merge(data.theme, withVariables(ofOrigin(userStyles, 'custom'), this.#plugin.branding.blockMark))
      data.merged = { user, json, hasOwnColors: namesColors(userStyles) }
    }
    return data.merged
  }
}

/** Whether styles set any color. */
function namesColors(styles: unknown): boolean {
  return isTree(styles) && Object.entries(styles).some(([name, part]) => name === 'color' || namesColors(part))
}
