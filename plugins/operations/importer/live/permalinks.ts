import { trimEndSlashes } from '../../../../kernel/index.ts'
import { dateOf, idOf, idsOf, text, type OldObject } from './values.ts'

/** Names of objects in links of posts. */
export interface LinkNames {
  /** Slugs of users by ID. */
  readonly authors: ReadonlyMap<number, string>
  /** Slugs of categories by ID. */
  readonly categories: ReadonlyMap<number, string>
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
  readonly #names: LinkNames
  #candidates: Set<string> | null = null
  #posts = 0

  constructor(home: string, names: LinkNames) {
    this.#home = trimEndSlashes(home.replace(/^https?:\/\/(?:www\.)?/i, ''))
    this.#names = names
  }

  add(post: OldObject): void {
    if (post['status'] !== 'publish' || this.#candidates?.size === 0) return
    const link = text(post['link']).replace(/^https?:\/\/(?:www\.)?/i, '')
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

  #structuresOf(path: string, post: OldObject): Set<string> {
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
  #tagsOf(part: string, post: OldObject): string[] {
    const [year, month, day, hour, minute, second] = dateOf(post['date']).split(/\D/)
    const values: [string, string | undefined][] = [
      ['%year%', year],
      ['%monthnum%', month],
      ['%day%', day],
      ['%hour%', hour],
      ['%minute%', minute],
      ['%second%', second],
      ['%post_id%', String(idOf(post['id']))],
      ['%postname%', text(post['slug'])],
      ['%author%', this.#names.authors.get(idOf(post['author']))],
      ...idsOf(post['categories']).map((id): [string, string | undefined] => [
        '%category%',
        this.#names.categories.get(id),
      ]),
    ]
    const fitting = values.flatMap(([tag, value]) => {
      if (value === undefined || value === '') return []
      const [name = '', extension = ''] = part.endsWith('.html') ? [part.slice(0, -5), '.html'] : [part]
      return name.toLowerCase() === value.toLowerCase() ? [tag + extension] : []
    })
    return [...new Set([...fitting, part.replaceAll('%', '')])]
  }
}
