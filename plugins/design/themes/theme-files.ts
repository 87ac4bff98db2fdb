/** Parsed contents of `theme.json` or a variation, not validated further. */
export interface ThemeJson {
  /** Version of the format: 2 or 3. */
  version?: number
  title?: string
  settings?: Record<string, unknown>
  styles?: Record<string, unknown>
  /** Templates that users can select for a post. */
  customTemplates?: readonly CustomTemplate[]
  templateParts?: readonly DeclaredPart[]
  /** Slugs of patterns that the theme includes from a pattern directory. */
  patterns?: readonly string[]
  [key: string]: unknown
}

/** A custom template declared in `theme.json`. */
export interface CustomTemplate {
  name: string
  title?: string
  postTypes?: readonly string[]
}

/** A template part declared in `theme.json`. */
export interface DeclaredPart {
  name: string
  title?: string
  area?: string
}

/** A style variation: a file in the folder `styles`. */
export interface ThemeVariation extends ThemeJson {
  title: string
}

/** A template or a template part of a theme. */
export interface ThemeTemplate {
  readonly slug: string
  /** Block markup, as written in the file. */
  readonly content: string
  /** Title declared in `theme.json`. */
  readonly title?: string
  readonly description?: string
  /** Content types that users can select the template for. */
  readonly postTypes?: readonly string[]
  /** Area of a template part: `header`, `footer`, `uncategorized` … */
  readonly area?: string
}

/** A pattern of a theme: a file in the folder `patterns`. */
export interface ThemePattern {
  /** Full name: `plain/call`. */
  readonly slug: string
  readonly title: string
  /** Block markup. */
  readonly content: string
  readonly description?: string
  /** Width of the preview in pixels. */
  readonly viewportWidth?: number
  /** Whether the inserter offers it; false for patterns that only templates use. */
  readonly inserter?: boolean
  /** Names of its categories. */
  readonly categories?: readonly string[]
  readonly keywords?: readonly string[]
  /** Block types it is offered for. */
  readonly blockTypes?: readonly string[]
  /** Content types it is offered for. */
  readonly postTypes?: readonly string[]
  /** Slugs of the templates it is offered for. */
  readonly templateTypes?: readonly string[]
}

/** Contents of a theme folder. */
export interface ThemeFiles {
  /** `theme.json`; `{ version: 3 }` if it is missing. */
  readonly json: ThemeJson
  /** Style variations, by file name. */
  readonly variations: readonly ThemeVariation[]
  /** Templates by slug. */
  readonly templates: ReadonlyMap<string, ThemeTemplate>
  /** Template parts by slug. */
  readonly parts: ReadonlyMap<string, ThemeTemplate>
  /** Block patterns. */
  readonly patterns: readonly ThemePattern[]
  /** `style.css` without its header. */
  readonly css: string
  /** Header fields of `style.css`, by lower-case name: `theme name`. */
  readonly header: Readonly<Record<string, string>>
  /** File name of the screenshot, such as `screenshot.png`, or an empty string. */
  readonly screenshot: string
}

/** Contents of an empty theme. */
export const NO_FILES: ThemeFiles = {
  json: { version: 3 },
  variations: [],
  templates: new Map(),
  parts: new Map(),
  patterns: [],
  css: '',
  header: {},
  screenshot: '',
}
