/** The option `theme`, as an import or an administrator sets it; everything may be missing. */
export interface ThemeOption {
  /** Its name for programs. */
  stylesheet?: string
  /** The theme it builds on; itself by default. */
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
  /** Feature → true, false or its arguments: `post-formats` → formats. */
  supports?: Readonly<Record<string, unknown>>
}

/** A theme, every value in place. */
export type Theme = Readonly<Required<ThemeOption>> & {
  readonly status: 'active' | 'inactive'
}

/** The theme in use, as the option tells it. */
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
