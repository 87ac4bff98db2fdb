/** Why an attribute has no effect on the server. */
export const REASONS = {
  stored: 'the editor writes it into the stored HTML',
  editor: 'only the editor reads it',
  other: 'it needs a menu at a location of the theme: a line of the test shows one',
  children: 'the blocks inside read it: see their attributes',
  script: 'it chooses how a script behaves, and pages of the site have no scripts',
  absent: 'the server does not show this part of the block',
} as const

/**
 * A value, the HTML that only this value gives, attributes that it needs, and other markup around the block; or a reason.
 * In values, `@name` is the ID of an object of the test.
 */
export type Line =
  readonly [value: unknown, html: string | RegExp, more?: object, around?: string] | keyof typeof REASONS

/** The attributes of a block, and the block in which they are tried. */
export interface BlockLines {
  /** Attributes that the block needs to show something. */
  readonly base?: object
  /** Blocks or HTML inside of it. */
  readonly inside?: string
  /** Markup around it; `%` is the block. */
  readonly around?: string
  /** Where it is shown: in a post, in a template of a page, or in what a navigation opens. A post by default. */
  readonly place?: 'page' | 'overlay'
  readonly lines: Readonly<Record<string, Line>>
}

/** Attributes that the supports of a type add; `attributes.test.ts` holds them for all blocks at once. */
export const SUPPORTED: ReadonlySet<string> = new Set(
  `lock metadata align className style backgroundColor textColor gradient fontSize fontFamily borderColor layout
ariaLabel anchor`.split(/\s+/),
)

/** Gives all attributes in a text the same reason. */
export const lines = (reason: keyof typeof REASONS, names: string): Record<string, Line> =>
  Object.fromEntries(names.split(' ').map((name) => [name, reason]))
