import { labelOf } from '../record-label.ts'
import type { Repair } from '../repairs.ts'
import { PLAIN_FEED, readFields, readId, readMeta, type Element, type Fields, type Findings } from './element.ts'
import { readItem } from './items.ts'
import type { WxrAuthor, WxrRecord, WxrSite, WxrTerm } from './types.ts'

/** Maximum number of unknown element names to count. */
const MAX_UNKNOWN_NAMES = 50
/** Maximum characters of a name or value in a repair. */
const MAX_TEXT_LENGTH = 120

/** Converts the children of the channel to records. */
export class RecordReader {
  readonly #site: WxrSite = { kind: 'site', title: '', description: '', language: '', version: '', home: '' }
  readonly #unknown = new Map<string, number>()
  #records: WxrRecord[] = []
  #isSiteYielded = false
  /** Repairs before the site is complete. */
  #early: Repair[] = []

  /** Adds a child of the channel. @param repairs repairs of its text; repairs of its values are added */
  add(element: Element, repairs: readonly Repair[]): void {
    const found: Repair[] = [...repairs]
    const findings: Findings = {
      unknown: (name) => this.unknown(name),
      repaired: (code, { line, text }, value = text) =>
        void found.push({ code, line, item: '', value: value.slice(0, MAX_TEXT_LENGTH) }),
    }
    const read = RECORDS[element.name]
    if (read === undefined) {
      this.#describeSite(element, findings)
      return this.#addRepairs(found, '')
    }
    this.#yieldSite()
    const record = read(element, findings)
    this.#records.push(record)
    this.#addRepairs(found, labelOf(record))
  }

  /** Counts an element that the reader does not know. */
  unknown(name: string): void {
    const counted = this.#unknown.has(name) || this.#unknown.size < MAX_UNKNOWN_NAMES ? name : '…'
    this.#unknown.set(counted, (this.#unknown.get(counted) ?? 0) + 1)
  }

  /** Counts a record that the end of the file cuts off. @param name of its element */
  skipIncomplete(name: string): void {
    this.#yieldSite()
    const objects = OBJECTS[name]
    if (objects !== undefined)
      this.#records.push({ kind: 'lost', objects, reason: 'cut off by the end of the file', count: 1 })
  }

  /** Ends the file. */
  end(repairs: readonly Repair[]): void {
    this.#yieldSite()
    this.#addRepairs(repairs, '')
    for (const [name, count] of this.#unknown) this.#records.push({ kind: 'unknown', name, count })
  }

  /** Whether anything shows that the file is an export, and not the feed of a site. */
  get isExport(): boolean {
    return this.#site.version !== '' || this.#site.home !== ''
  }

  /** Returns the completed records, each once. */
  take(): WxrRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  #addRepairs(repairs: readonly Repair[], item: string): void {
    if (!this.#isSiteYielded) this.#early.push(...repairs)
    else for (const repair of repairs) this.#records.push({ kind: 'repair', ...repair, item })
  }

  #describeSite(element: Element, findings: Findings): void {
    const { name, text } = element
    const site = this.#site
    if (Object.hasOwn(SITE_FIELDS, name)) {
      const field = SITE_FIELDS[name]!
      const before = site[field]
      const value = name === 'title' || name === 'description' ? text : text.trim()
      // The records before are already stored.
      if (this.#isSiteYielded && value !== before) findings.repaired('misplaced-element', element, `${name} ${text}`)
      else if (name === 'wp:base_blog_url') site.home = value || before
      else if (before === '') site[field] = value
    } else if (!PLAIN_FEED.has(name)) this.unknown(name)
  }

  #yieldSite(): void {
    if (this.#isSiteYielded) return
    this.#isSiteYielded = true
    this.#records.push({ ...this.#site })
    this.#addRepairs(this.#early, '')
    this.#early = []
  }
}

const SITE_FIELDS: Readonly<Record<string, 'title' | 'description' | 'language' | 'version' | 'home'>> = {
  title: 'title',
  description: 'description',
  language: 'language',
  'wp:wxr_version': 'version',
  'wp:base_blog_url': 'home',
  link: 'home',
}

/** Kinds of objects in the report, by element. */
const OBJECTS: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  item: 'items',
  'wp:author': 'users',
  'wp:category': 'category terms',
  'wp:tag': 'post_tag terms',
  'wp:term': 'terms',
}

/** Functions that convert children of the channel to records, by element name. */
const RECORDS: Readonly<
  Record<string, ((element: Element, findings: Findings) => WxrAuthor | WxrTerm | WxrRecord) | undefined>
> = {
  __proto__: null as never,
  item: readItem,
  'wp:author': readAuthor,
  'wp:category': readTerm,
  'wp:tag': readTerm,
  'wp:term': readTerm,
}

function readAuthor(element: Element, findings: Findings): WxrAuthor {
  const { line } = element
  const author: WxrAuthor = { kind: 'author', line, id: 0, login: '', email: '', name: '', firstName: '', lastName: '' }
  return readFields(author, element, AUTHOR_FIELDS, findings)
}

const AUTHOR_FIELDS: Fields<WxrAuthor> = {
  __proto__: null as never,
  'wp:author_id': (author, child, findings) => (author.id = readId(child, findings)),
  'wp:author_login': (author, { text }) => (author.login = text.trim()),
  'wp:author_email': (author, { text }) => (author.email = text.trim()),
  'wp:author_display_name': (author, { text }) => (author.name = text),
  'wp:author_first_name': (author, { text }) => (author.firstName = text),
  'wp:author_last_name': (author, { text }) => (author.lastName = text),
}

function readTerm(element: Element, findings: Findings): WxrTerm {
  const taxonomy = element.name === 'wp:category' ? 'category' : element.name === 'wp:tag' ? 'post_tag' : ''
  const { line } = element
  const term: WxrTerm = {
    kind: 'term',
    line,
    id: 0,
    taxonomy,
    slug: '',
    parent: '',
    name: '',
    description: '',
    meta: [],
  }
  return readFields(term, element, TERM_FIELDS, findings)
}

const readSlug = (term: WxrTerm, { text }: Element) => (term.slug = text.trim())
const readParent = (term: WxrTerm, { text }: Element) => (term.parent = text.trim())
const readName = (term: WxrTerm, { text }: Element) => (term.name = text)
const readDescription = (term: WxrTerm, { text }: Element) => (term.description = text)

const TERM_FIELDS: Fields<WxrTerm> = {
  __proto__: null as never,
  'wp:term_id': (term, child, findings) => (term.id = readId(child, findings)),
  'wp:term_taxonomy': (term, { text }) => (term.taxonomy = text.trim()),
  'wp:category_nicename': readSlug,
  'wp:tag_slug': readSlug,
  'wp:term_slug': readSlug,
  'wp:category_parent': readParent,
  'wp:term_parent': readParent,
  'wp:cat_name': readName,
  'wp:tag_name': readName,
  'wp:term_name': readName,
  'wp:category_description': readDescription,
  'wp:tag_description': readDescription,
  'wp:term_description': readDescription,
  'wp:termmeta': (term, child, findings) => term.meta.push(readMeta(child, findings)),
}
