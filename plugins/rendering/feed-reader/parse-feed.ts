import { readTags } from '../html/index.ts'

/** An entry of a feed. All fields are plain text. */
export interface FeedEntry {
  /** `''` if the entry has no title. */
  readonly title: string
  /** URL of the entry as written in the feed: can be relative or have any scheme. */
  readonly url: string
  readonly author: string
  /** ISO 8601 in UTC; `''` if the feed has no valid date. */
  readonly date: string
  readonly text: string
}

/** Maximum entries returned, and maximum entries read to find the newest ones. */
const MAX_ENTRIES = 20
const MAX_READ_ENTRIES = 200
/** Maximum characters of a field including markup, and of the plain text of each field. */
const MAX_FIELD_LENGTH = 20_000
/** Maximum characters of an element name. */
const MAX_NAME_LENGTH = 60
const MAX_LENGTHS: Readonly<Record<keyof FeedEntry, number>> = {
  title: 500,
  url: 2000,
  author: 200,
  date: 100,
  text: 2000,
}

/** Range of valid dates in Unix milliseconds: years 1 to 9999. */
const FIRST_MOMENT = -62_135_596_800_000
const LAST_MOMENT = 253_402_300_799_000

const ATOM = 'atom:'
/** Prefixes this module uses for elements of a namespace, independently of the prefixes in the feed. */
const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['http://purl.org/rss/1.0/', ''],
  ['http://my.netscape.com/rdf/simple/0.9/', ''],
  ['http://channel.netscape.com/rdf/simple/0.9/', ''],
  ['http://backend.userland.com/rss2', ''],
  ['http://www.w3.org/2005/atom', ATOM],
  ['http://purl.org/atom/ns#', ATOM],
  ['http://purl.org/dc/elements/1.1/', 'dc:'],
  ['http://purl.org/rss/1.0/modules/content/', 'content:'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf:'],
])

const ROOTS: ReadonlySet<string> = new Set(['rss', 'rdf:rdf', 'feed', `${ATOM}feed`])
const ENTRIES: ReadonlySet<string> = new Set(['item', 'entry', `${ATOM}entry`])

/** Source elements of each field; the first one with text wins. */
const FIELDS: Readonly<Record<keyof FeedEntry, readonly string[]>> = {
  title: ['title', 'atom:title', 'dc:title'],
  url: ['link', 'atom:link', 'guid'],
  author: ['dc:creator', 'author', 'author/name', 'atom:author/atom:name'],
  date: [
    'pubdate',
    'dc:date',
    'atom:published',
    'published',
    'atom:updated',
    'updated',
    'atom:issued',
    'atom:modified',
  ],
  text: ['description', 'atom:summary', 'summary', 'atom:content', 'content', 'content:encoded'],
}
const FIELD_PATHS: ReadonlySet<string> = new Set(Object.values(FIELDS).flat())
/** Elements that separate words or lines. */
const BLOCK = /^(?:p|div|br|li|ul|ol|dl|dt|dd|h[1-6]|t[dhr]|table|hr|pre|blockquote|section|article|figure|figcaption)$/
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript'])

/** The field that is being read. */
interface OpenField {
  readonly path: string
  /** Nesting depth of its element. */
  readonly depth: number
  /** Whether its text is HTML: entities and tags are decoded. */
  readonly isHtml: boolean
  text: string
}

/**
 * Parses RSS 0.9x, 1.0 and 2.0, and Atom 0.3 and 1.0, even if the feed is not well-formed. Runs in linear time.
 * @returns the newest 20 of the first 200 entries, newest first, or in the order of the feed if an entry has no date;
 * null if the text is not a feed
 */
export function parseFeed(text: string): FeedEntry[] | null {
  const reader = new FeedReading()
  readTags(text, () => reader.isOver, reader, true)
  if (!reader.isFeed) return null
  const { entries } = reader
  const isDated = entries.every(({ date }) => date !== '')
  // Dates in UTC sort as text.
  if (isDated) entries.sort((one, other) => (one.date < other.date ? 1 : one.date > other.date ? -1 : 0))
  return entries.slice(0, MAX_ENTRIES)
}

/** Parser state of one feed. Stores the depth of open elements, not their names. */
class FeedReading {
  readonly entries: FeedEntry[] = []
  isFeed = false
  isOver = false
  #depth = 0
  /** Depth of the open entry; 0 outside of entries. */
  #entryDepth = 0
  #fields = new Map<string, string>()
  #field: OpenField | null = null
  /** Name of the current child of the entry, used to name its own children. */
  #parent = ''
  readonly #prefixes = new Prefixes()

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#depth += 1
    this.#prefixes.declare(attributes, this.#depth)
    // Feeds have no longer names, and comparing a long name for each child would not be linear.
    const resolved = name.length > MAX_NAME_LENGTH ? '' : this.#prefixes.resolve(name)
    if (this.#depth === 1) this.isFeed = ROOTS.has(resolved)
    if (!this.isFeed) this.isOver = true
    else if (this.#field !== null) this.#addText(BLOCK.test(localName(name)) ? ' ' : '')
    else if (this.#entryDepth === 0) this.#openEntry(resolved)
    else this.#openField(resolved, attributes)
  }

  text(text: string): void {
    this.#addText(text)
  }

  close(name: string): void {
    if (this.#field !== null && this.#depth <= this.#field.depth) this.#closeField()
    else if (this.#field !== null && BLOCK.test(localName(name))) this.#addText(' ')
    if (this.#entryDepth > 0 && this.#depth <= this.#entryDepth) this.#closeEntry()
    this.#prefixes.popTo(this.#depth)
    this.#depth = Math.max(0, this.#depth - 1)
  }

  #openEntry(name: string): void {
    if (!ENTRIES.has(name)) return
    this.#entryDepth = this.#depth
    this.#fields = new Map()
  }

  #openField(name: string, attributes: ReadonlyMap<string, string>): void {
    const level = this.#depth - this.#entryDepth
    if (level === 1) this.#parent = name
    const path = level === 1 ? name : level === 2 ? `${this.#parent}/${name}` : ''
    if (!FIELD_PATHS.has(path) || this.#fields.has(path)) return
    const href = attributes.get('href')
    if (href !== undefined && /(?:^|:)link$/.test(path)) {
      // Other relations refer to comments, enclosures or the feed itself.
      if ((attributes.get('rel') ?? 'alternate') === 'alternate') this.#fields.set(path, cut(href.trim(), 'url'))
      return
    }
    // Atom persons have their names in child elements.
    if (path === 'atom:author') return
    if (path === 'guid' && attributes.get('ispermalink') === 'false') return
    const isAtom = path.startsWith(ATOM)
    const type = attributes.get('type') ?? (isAtom ? 'text' : 'html')
    const mode = attributes.get('mode')
    const isHtml = mode === 'escaped' || (type !== 'text' && type !== 'text/plain' && type !== 'xhtml')
    this.#field = { path, depth: this.#depth, isHtml, text: '' }
  }

  #closeField(): void {
    const { path, isHtml, text } = this.#field!
    this.#field = null
    const plain = oneLine(isHtml ? htmlText(text) : text)
    if (plain !== '') this.#fields.set(path, plain)
  }

  #closeEntry(): void {
    const fields = this.#fields
    const field = (name: keyof FeedEntry) => {
      const found = FIELDS[name].find((path) => fields.has(path))
      return found === undefined ? '' : cut(fields.get(found)!, name)
    }
    this.entries.push({
      title: field('title'),
      url: field('url'),
      author: field('author'),
      date: isoDate(field('date')),
      text: field('text'),
    })
    this.#entryDepth = 0
    if (this.entries.length >= MAX_READ_ENTRIES) this.isOver = true
  }

  #addText(text: string): void {
    const field = this.#field
    if (field === null || field.text.length >= MAX_FIELD_LENGTH) return
    field.text += text.slice(0, MAX_FIELD_LENGTH - field.text.length)
  }
}

/** The namespace prefixes in scope while a feed is read. */
class Prefixes {
  /** Prefix of this module by prefix of the feed. */
  readonly #prefixes = new Map<string, string>()
  /** Previous prefixes, to be restored when an element ends. */
  readonly #declared: { depth: number; prefix: string; before: string | undefined }[] = []

  declare(attributes: ReadonlyMap<string, string>, depth: number): void {
    for (const [name, uri] of attributes) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
      const prefix = name.slice('xmlns:'.length)
      this.#declared.push({ depth, prefix, before: this.#prefixes.get(prefix) })
      // `{}` matches no known name: the namespace is unknown.
      this.#prefixes.set(prefix, NAMESPACES.get(uri.trim().toLowerCase()) ?? '{}')
    }
  }

  /** Removes the declarations of the element at a depth. */
  popTo(depth: number): void {
    for (let last = this.#declared.at(-1); last !== undefined && last.depth >= depth; last = this.#declared.at(-1)) {
      if (last.before === undefined) this.#prefixes.delete(last.prefix)
      else this.#prefixes.set(last.prefix, last.before)
      this.#declared.pop()
    }
  }

  /** Replaces the prefix of a name by the prefix of this module; undeclared prefixes are unchanged. */
  resolve(name: string): string {
    const colon = name.indexOf(':')
    const prefix = this.#prefixes.get(colon < 0 ? '' : name.slice(0, colon))
    return prefix === undefined ? name : prefix + name.slice(colon + 1)
  }
}

/** Returns the text of HTML with decoded entities, without scripts and styles. */
function htmlText(html: string): string {
  if (!/[<&]/.test(html)) return html
  let text = ''
  let unseen = ''
  const space = (name: string) => {
    if (BLOCK.test(name)) text += ' '
  }
  // The trailing tag makes the tokenizer emit text after an unclosed tag.
  readTags(`${html} <p>`, () => false, {
    open(name) {
      if (unseen === '' && UNSEEN.has(name)) unseen = name
      space(name)
    },
    text(piece) {
      if (unseen === '') text += piece
    },
    close(name) {
      if (name === unseen) unseen = ''
      space(name)
    },
  })
  return text
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function oneLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim()
}

function cut(text: string, field: keyof FeedEntry): string {
  return text.slice(0, MAX_LENGTHS[field]).toWellFormed().trimEnd()
}

/** Returns a date in ISO 8601 and UTC; `''` if the text is not a valid date. */
function isoDate(text: string): string {
  const time = Date.parse(text)
  return time >= FIRST_MOMENT && time <= LAST_MOMENT ? new Date(time).toISOString() : ''
}
