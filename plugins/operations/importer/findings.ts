import { exportedNames } from '../../library/branding/index.ts'

/** Numbers of objects or values by name. */
export type NameCounts = Record<string, number>

/** The names that an import found in the files, with the number of items, values or uses of each. */
export interface ImportFindings {
  /** Content types, with the word of this site. */
  types: NameCounts
  /** Taxonomies, with the word of this site. */
  taxonomies: NameCounts
  /** Statuses of items. */
  statuses: NameCounts
  /** Meta keys by kind of object. */
  meta: { post: NameCounts; term: NameCounts; comment: NameCounts }
  /** Names of shortcodes in contents. Texts in brackets that are not shortcodes are among them. */
  shortcodes: NameCounts
  /** Names of blocks in contents, such as `core/image`. */
  blocks: NameCounts
}

/** Maximum names per list: a file can contain any number of names. */
const MAX_NAMES = 5000
const BLOCK = new RegExp(`<!-- ${exportedNames.blockMark}:([a-z][a-z0-9_-]*(?:/[a-z][a-z0-9_-]*)?)\\s`, 'g')
const SHORTCODE = /\[([a-z][\w-]{1,79})(?=[\s\]/])/gi

type List = Exclude<keyof ImportFindings, 'meta'>

/** Collects the names that an import finds. */
export class Findings {
  readonly #lists = new Map<string, Map<string, number>>()

  /** Counts a name. */
  add(list: List | `meta ${keyof ImportFindings['meta']}`, name: string, count = 1): void {
    let names = this.#lists.get(list)
    if (names === undefined) this.#lists.set(list, (names = new Map()))
    const before = names.get(name)
    if (before !== undefined || names.size < MAX_NAMES) names.set(name, (before ?? 0) + count)
  }

  /** Counts the blocks and shortcodes of a content. */
  addContent(text: string): void {
    if (text.includes('<!--')) {
      for (const [, name = ''] of text.matchAll(BLOCK)) this.add('blocks', name.includes('/') ? name : `core/${name}`)
    }
    if (text.includes('[')) for (const [, name = ''] of text.matchAll(SHORTCODE)) this.add('shortcodes', name)
  }

  result(): ImportFindings {
    const list = (name: string): NameCounts => Object.fromEntries(this.#lists.get(name) ?? [])
    return {
      types: list('types'),
      taxonomies: list('taxonomies'),
      statuses: list('statuses'),
      meta: { post: list('meta post'), term: list('meta term'), comment: list('meta comment') },
      shortcodes: list('shortcodes'),
      blocks: list('blocks'),
    }
  }
}
