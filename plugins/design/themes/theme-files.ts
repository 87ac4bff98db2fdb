/** A theme.json, or a variation of one, as it is written: what it may hold is the format's matter. */
export interface ThemeJson {
  /** Version of the format: 2 or 3. */
  version?: number
  title?: string
  settings?: Record<string, unknown>
  styles?: Record<string, unknown>
  /** Templates that a user may choose for a post. */
  customTemplates?: readonly CustomTemplate[]
  templateParts?: readonly DeclaredPart[]
  /** Slugs of patterns that the theme takes from elsewhere. */
  patterns?: readonly string[]
  [key: string]: unknown
}

/** A template that theme.json declares. */
export interface CustomTemplate {
  name: string
  title?: string
  postTypes?: readonly string[]
}

/** A template part that theme.json declares. */
export interface DeclaredPart {
  name: string
  title?: string
  area?: string
}

/** Another style of a theme: a file of its folder `styles`. */
export interface ThemeVariation extends ThemeJson {
  title: string
}

/** A template or a template part of a theme. */
export interface ThemeTemplate {
  readonly slug: string
  /** The markup of its blocks, as the file has it. */
  readonly content: string
  /** As theme.json has it. */
  readonly title?: string
  readonly description?: string
  /** Types of the posts that a user may choose the template for. */
  readonly postTypes?: readonly string[]
  /** Where a template part belongs: `header`, `footer`, `uncategorized` … */
  readonly area?: string
}

/** A pattern of a theme: a file of its folder `patterns`. */
export interface ThemePattern {
  /** Its full name: `plain/call`. */
  readonly slug: string
  readonly title: string
  /** The markup of its blocks. */
  readonly content: string
  readonly description?: string
  /** Width in pixels at which it is previewed. */
  readonly viewportWidth?: number
  /** Whether writers find it among the patterns; false for one that only templates use. */
  readonly inserter?: boolean
  /** Names of categories. */
  readonly categories?: readonly string[]
  readonly keywords?: readonly string[]
  /** Names of the blocks that it is offered for. */
  readonly blockTypes?: readonly string[]
  /** Types of the posts that it is offered for. */
  readonly postTypes?: readonly string[]
  /** Slugs of the templates that it is offered for. */
  readonly templateTypes?: readonly string[]
}

/** What the folder of a theme holds. */
export interface ThemeFiles {
  /** theme.json; `{ version: 3 }` where there is none. */
  readonly json: ThemeJson
  /** The other styles, by the names of their files. */
  readonly variations: readonly ThemeVariation[]
  /** By slug. */
  readonly templates: ReadonlyMap<string, ThemeTemplate>
  /** By slug. */
  readonly parts: ReadonlyMap<string, ThemeTemplate>
  /** By slug. */
  readonly patterns: readonly ThemePattern[]
  /** style.css without its header. */
  readonly css: string
  /** The fields of the header of style.css, by their names in small letters: `theme name`. */
  readonly header: Readonly<Record<string, string>>
  /** File name of its picture, such as `screenshot.png`; empty where there is none. */
  readonly screenshot: string
}

/** The files of a theme that has none. */
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
