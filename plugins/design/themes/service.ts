/** The option `theme`, as an import or an administrator sets it; all of it is optional. */
export interface ThemeOption {
  /** Slug of the theme. */
  stylesheet?: string
  /** Slug of the parent theme; its own by default. */
  template?: string
  name?: string
  version?: string
  description?: string
  author?: string
  author_uri?: string
  theme_uri?: string
  textdomain?: string
  screenshot?: string
  tags?: readonly string[]
  /** True, false or the arguments of each feature: `{ 'post-formats': ['aside'] }`. */
  supports?: Readonly<Record<string, unknown>>
}

/** A theme, with all defaults. */
export type Theme = Readonly<Required<ThemeOption>> & {
  readonly status: 'active' | 'inactive'
}

/** The active theme, as the option describes it. */
export function completeTheme(option: ThemeOption): Theme {
  const { stylesheet = 'default' } = option
  return {
    stylesheet,
    template: option.template ?? stylesheet,
    name: option.name ?? stylesheet,
    version: option.version ?? '',
    description: option.description ?? '',
    author: option.author ?? '',
    author_uri: option.author_uri ?? '',
    theme_uri: option.theme_uri ?? '',
    textdomain: option.textdomain ?? stylesheet,
    screenshot: option.screenshot ?? '',
    tags: option.tags ?? [],
    supports: option.supports ?? {},
    status: 'active',
  }
}
