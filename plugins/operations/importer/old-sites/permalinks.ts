import { trimEndSlashes } from '../../../../kernel/index.ts'

/** A post of the old site, with the values that its link can contain. */
export interface ExaminedPost {
  readonly id: number
  readonly status: string
  readonly link: string
  /** Local time, `YYYY-MM-DD HH:MM:SS`. */
  readonly date: string
  readonly slug: string
  /** Slug of the author; `''` if it is unknown. */
  readonly author: string
  /** Slugs of the categories. */
  readonly categories: readonly string[]
}

/** Posts after which the structure is certain enough. */
const MIN_POSTS = 3
/** Parts of the path of a link. */
const MAX_PARTS = 10
/** Longer links fit no structure. */
const MAX_LINK_LENGTH = 2000

/**
 * Derives the permalink structure of posts from their links, because the REST API does not contain it. Each published
 * post rules out the structures that its link does not fit.
 */
export class PermalinkFinder {
  readonly #home: string
  #candidates: Set<string> | null = null
  #posts = 0

  constructor(home: string) {
    this.#home = trimEndSlashes(home.replace(/^https?:\/\/(?:www\.)?/i, ''))
  }

  add(post: ExaminedPost): void {
    if (post.status !== 'publish' || this.#candidates?.size === 0) return
    const link = post.link.replace(/^https?:\/\/(?:www\.)?/i, '')
    if (!link.startsWith(this.#home) || link.includes('?') || link.length > MAX_LINK_LENGTH) return
    const found = this.#structuresOf(link.slice(this.#home.length), post)
    this.#candidates = this.#candidates === null ? found : this.#candidates.intersection(found)
    this.#posts += 1
  }

  /** The structure, such as `/%year%/%postname%/`; null if the links fit none, or several. */
  get structure(): string | null {
    const [first, ...others] = this.#candidates ?? []
    return first !== undefined && others.length === 0 && this.#posts >= MIN_POSTS ? first : null
  }

  /** Beginnings that the structure can have before its first tag, such as `/blog/`; the shortest one first. */
  get fronts(): string[] {
    const fronts = [...(this.#candidates ?? [])].map(frontOf)
    return [...new Set(fronts)].sort((one, other) => one.length - other.length)
  }

  #structuresOf(path: string, post: ExaminedPost): Set<string> {
    const parts = path.split('/', MAX_PARTS + 2).filter((part) => part !== '')
    if (parts.length > MAX_PARTS) return new Set()
    const end = path.endsWith('/') ? '/' : ''
    let structures = ['']
    for (const part of parts) {
      const tags = this.#tagsOf(part, post)
      structures = structures.flatMap((start) => tags.map((tag) => `${start}/${tag}`)).slice(0, 256)
    }
    const named = structures.filter((one) => /%(?:postname|post_id)%/.test(one))
    return new Set(named.map((one) => one + end))
  }

  /** Tags that a part of a link can stand for, or the part itself. */
  #tagsOf(part: string, post: ExaminedPost): string[] {
    const [year, month, day, hour, minute, second] = post.date.split(/\D/)
    const values: [string, string | undefined][] = [
      ['%year%', year],
      ['%monthnum%', month],
      ['%day%', day],
      ['%hour%', hour],
      ['%minute%', minute],
      ['%second%', second],
      ['%post_id%', String(post.id)],
      ['%postname%', post.slug],
      ['%author%', post.author],
      ...post.categories.map((slug): [string, string] => ['%category%', slug]),
    ]
    const fitting = values.flatMap(([tag, value]) => {
      if (value === undefined || value === '') return []
      const [name = '', extension = ''] = part.endsWith('.html') ? [part.slice(0, -5), '.html'] : [part]
      return name.toLowerCase() === value.toLowerCase() ? [tag + extension] : []
    })
    return [...new Set([...fitting, part.replaceAll('%', '')])]
  }
}

/** The beginning of a structure before its first tag; `/` without a tag. */
export function frontOf(structure: string): string {
  const end = structure.indexOf('%')
  return end === -1 ? '/' : structure.slice(0, end)
}
