import { slugify } from '../../../resources/index.ts'
import type { SiteFile } from '../site-file.ts'
import type { WxrItem } from '../wxr/types.ts'
import { decoded, type AddressedObject } from './addresses.ts'
import { fingerprintOfName, keyOfName } from './fingerprint.ts'
import { frontOf, PermalinkFinder } from './permalinks.ts'

/** A term of the old site. */
export interface ListedTerm {
  /** 0 if the file has none. */
  readonly id: number
  readonly taxonomy: string
  readonly slug: string
  /** Slug of the parent; `''` for none. */
  readonly parent?: string | undefined
  /** URL of its page on the old site; `''` if it is unknown. */
  readonly link?: string | undefined
}

/** An author of the old site. */
export interface ListedAuthor {
  /** 0 if the file has none. */
  readonly id: number
  readonly login: string
  readonly slug?: string | undefined
  readonly link?: string | undefined
}

/** An address of an object. */
export interface ObjectLink {
  readonly object: AddressedObject
  readonly link: string
  /** Whether the import has derived the link. */
  readonly isDerived: boolean
}

/** Levels of parents in the address of a term. */
const MAX_LEVELS = 20
/** Posts to derive the permalink structure from. */
const MAX_EXAMINED_POSTS = 200
/** Beginnings of the structure that are tried, if the links of posts fit several structures. */
const MAX_FRONTS = 3
/** Types whose items have no common address, or no pages. */
const OTHER_TYPES: ReadonlySet<string> = new Set(['post', 'page', 'attachment', 'revision', 'nav_menu_item'])
/** Taxonomies without pages, some of which have as many terms as the site has posts. */
const HIDDEN_TAXONOMIES: ReadonlySet<string> = new Set([
  'nav_menu',
  'link_category',
  'post_translations',
  'term_translations',
  'term_language',
])
const FORMAT_PREFIX = 'post-format-'

/**
 * The addresses of lists on the old site: of terms, authors, and content types. An export contains no links of lists: they
 * are derived from the permalink structure, and the structure from the links of posts.
 */
export class ListAddresses {
  readonly #home: string
  readonly #bases: Pick<SiteFile, 'permalink' | 'category_base' | 'tag_base'>
  readonly #finder: PermalinkFinder
  readonly #terms = new Map<string, ListedTerm>()
  readonly #authors = new Map<string, ListedAuthor>()
  /** Path of the items of a type; null if they have several. */
  readonly #types = new Map<string, string | null>()
  #posts = 0

  /** @param bases the structure of the old site, as far as it is known */
  constructor(home: string, bases: Pick<SiteFile, 'permalink' | 'category_base' | 'tag_base'>) {
    this.#home = home.replace(/\/$/, '')
    this.#bases = bases
    this.#finder = new PermalinkFinder(home)
  }

  addTerm(term: ListedTerm): void {
    if (HIDDEN_TAXONOMIES.has(term.taxonomy)) return
    const key = keyOf(term)
    const known = this.#terms.get(key)
    // A term of an item has neither ID nor parent.
    if (known === undefined || (known.id === 0 && term.id !== 0)) this.#terms.set(key, term)
  }

  addAuthor(author: ListedAuthor): void {
    if (author.login === '') return
    const known = this.#authors.get(author.login.toLowerCase())
    if (known === undefined || known.id === 0) this.#authors.set(author.login.toLowerCase(), author)
  }

  addItem({ creator, date, id, link, parent, slug, status, terms, type }: WxrItem): void {
    for (const term of terms) if (!this.#terms.has(keyOf(term))) this.addTerm({ ...term, id: 0 })
    if (!this.#authors.has(creator.toLowerCase())) this.addAuthor({ id: 0, login: creator })
    if (status !== 'publish') return
    if (type === 'post' && this.#posts < MAX_EXAMINED_POSTS) {
      this.#posts += 1
      const categories = terms.flatMap((term) => (term.taxonomy === 'category' ? [term.slug] : []))
      this.#finder.add({ id, status, link, date, slug, author: slugify(creator), categories })
    } else if (!OTHER_TYPES.has(type) && parent === 0) this.#addType(type, link, slug)
  }

  /** Yields all addresses. Call it after all objects were added. */
  *links(): Generator<ObjectLink> {
    const { permalink } = this.#bases
    const found = permalink === undefined ? this.#finder.fronts.slice(0, MAX_FRONTS) : [frontOf(permalink)]
    const fronts = found.length === 0 ? ['/'] : found
    const derived = (path: string) => `${this.#home}${path}`
    for (const term of this.#terms.values()) {
      const { id, link = '', slug, taxonomy } = term
      const oldId = id || -fingerprintOfName(slug)
      const object: AddressedObject = { kind: 'term', taxonomy, oldId }
      if (link !== '') yield { object, link, isDerived: false }
      else {
        const paths = new Set(fronts.flatMap((front) => this.#pathsOf(term, front)))
        for (const path of paths) yield { object, link: derived(path), isDerived: true }
      }
    }
    for (const [login, { id, link = '', slug = '' }] of this.#authors) {
      const object: AddressedObject = { kind: 'user', taxonomy: '', oldId: id || keyOfName(`user ${login}`) }
      if (link !== '') yield { object, link, isDerived: false }
      else
        for (const front of fronts)
          yield { object, link: derived(`${front}author/${slug || slugify(login)}`), isDerived: true }
    }
    for (const [type, path] of this.#types) {
      if (path === null) continue
      yield { object: { kind: 'type', taxonomy: type, oldId: 0 }, link: derived(path), isDerived: true }
    }
  }

  /** The paths of a term: below its parents, and without them, because items name only the term itself. */
  #pathsOf({ parent = '', slug, taxonomy }: ListedTerm, front: string): string[] {
    const name = taxonomy === 'post_format' ? slug.replace(FORMAT_PREFIX, '') : slug
    const base = this.#baseOf(taxonomy, front)
    const above: string[] = []
    for (let one = parent; one !== '' && above.length < MAX_LEVELS;) {
      above.unshift(one)
      one = this.#terms.get(keyOf({ taxonomy, slug: one }))?.parent ?? ''
    }
    return above.length === 0 ? [`${base}/${name}`] : [`${base}/${above.join('/')}/${name}`, `${base}/${name}`]
  }

  #baseOf(taxonomy: string, front: string): string {
    const { category_base: categories = '', tag_base: tags = '' } = this.#bases
    const own = taxonomy === 'category' ? categories : taxonomy === 'post_tag' ? tags : ''
    // A base that the owner has chosen does not follow the front of the structure.
    if (own !== '') return `/${own.replace(/^\/+|\/+$/g, '')}`
    const name = taxonomy === 'post_tag' ? 'tag' : taxonomy === 'post_format' ? 'type' : taxonomy
    return `${front}${name}`
  }

  /** Derives the path of a type: `/recipes/` of `/recipes/soup/`. */
  #addType(type: string, link: string, slug: string): void {
    const path = decoded(URL.parse(link)?.pathname ?? '').replace(/\/$/, '')
    const home = decoded(URL.parse(this.#home)?.pathname ?? '').replace(/\/$/, '')
    const name = `/${decoded(slug)}`
    const isBelow = path.startsWith(`${home}/`) && path.endsWith(name) && slug !== '' && !link.includes('?')
    const base = isBelow ? path.slice(home.length, -name.length) : ''
    const known = this.#types.get(type)
    this.#types.set(type, base !== '' && (known === undefined || known === base) ? base : null)
  }
}

function keyOf({ slug, taxonomy }: Pick<ListedTerm, 'slug' | 'taxonomy'>): string {
  return `${taxonomy}\n${slug}`
}
