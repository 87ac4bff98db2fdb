import { SaxesParser } from 'saxes'
import { cleanText } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { looksSerialised } from '../php-values.ts'

/** One extra value, as the file writes it: lists and objects in PHP's serialised form. */
export interface WxrMeta {
  key: string
  value: string
}

/** What the head of the file says about the site. Texts are `''` where the file says nothing. */
export interface WxrSite {
  kind: 'site'
  title: string
  description: string
  /** Language tag, `en-US`. */
  language: string
  /** Version of the format, `1.2`. */
  version: string
  /** Address of the home page. */
  home: string
}

/** A person who wrote something in the file. */
export interface WxrAuthor {
  kind: 'author'
  /** 0 where the file gives none. */
  id: number
  login: string
  email: string
  name: string
  firstName: string
  lastName: string
}

/** A category, tag, menu or other term. */
export interface WxrTerm {
  kind: 'term'
  /** 0 where the file gives none. */
  id: number
  taxonomy: string
  slug: string
  /** Slug of the parent, `''` for none. */
  parent: string
  name: string
  description: string
  meta: WxrMeta[]
}

/** A comment of an item. Dates as in {@link WxrItem}. */
export interface WxrComment {
  id: number
  author: string
  email: string
  url: string
  ip: string
  date: string
  dateGmt: string
  content: string
  /** `1`, `0`, `spam`, `trash` … */
  approved: string
  type: string
  /** Id of the comment answered, 0 for none. */
  parent: number
  /** Id of the account, 0 for none. */
  userId: number
  meta: WxrMeta[]
}

/** A term of an item. */
export interface WxrItemTerm {
  taxonomy: string
  slug: string
  name: string
}

/** A post of any type. Dates are `YYYY-MM-DD HH:MM:SS`, `''` where the file has none or zeros. */
export interface WxrItem {
  kind: 'item'
  /** 0 where the file gives none. */
  id: number
  type: string
  status: string
  /** As in the file, percent-encoded where it is. */
  slug: string
  title: string
  link: string
  /** Login of the author. */
  creator: string
  guid: string
  content: string
  excerpt: string
  /** RFC 822, as in the file. */
  published: string
  date: string
  dateGmt: string
  modified: string
  modifiedGmt: string
  commentStatus: string
  pingStatus: string
  /** Id of the parent, 0 for none. */
  parent: number
  menuOrder: number
  password: string
  sticky: boolean
  /** Address of the file of an attachment. */
  attachmentUrl: string
  terms: WxrItemTerm[]
  meta: WxrMeta[]
  comments: WxrComment[]
}

/** What the file holds and this reader does not know, told at the end of the file. */
export interface WxrUnknown {
  kind: 'unknown'
  /** Name of the element, below its parent: `item/wp:foo`. */
  name: string
  count: number
}

/** Characters that XML does not allow and that were left out, told at the end of the file. */
export interface WxrDropped {
  kind: 'dropped'
  count: number
}

/** What the reader yields: the site first, then the rest in the order of the file. */
export type WxrRecord = WxrSite | WxrAuthor | WxrTerm | WxrItem | WxrUnknown | WxrDropped

/** Bounds of what is read. */
export interface WxrLimits {
  /** Characters of one item with its comments and extra values; 64 Mi by default. */
  record?: number
  /** Levels of elements; 32 by default. */
  depth?: number
}

/** An element while it is read, and afterwards as a child of its parent. */
interface Element {
  name: string
  text: string
  attributes: Record<string, string>
  children: Element[]
}

/** Characters decoded and parsed at a time. */
const SLICE = 65536
/** Names of unknown elements that are counted; a file with more than this is not worth a list. */
const UNKNOWN_NAMES = 50
// Some exports carry control characters in their texts, which no XML parser accepts.
// oxlint-disable-next-line no-control-regex
const DISALLOWED = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/**
 * Reads a WXR file (versions 1.0 to 1.2) as it streams in, one record at a time; memory holds one item with its
 * comments. Control characters are left out and counted.
 *
 * @throws RestError IMPORT_MALFORMED, IMPORT_TRUNCATED, IMPORT_NOT_AN_EXPORT, IMPORT_DOCTYPE (entities are never
 * expanded), IMPORT_TOO_DEEP, IMPORT_RECORD_TOO_LARGE
 */
export async function* readWxr(source: AsyncIterable<Uint8Array>, limits: WxrLimits = {}): AsyncGenerator<WxrRecord> {
  const reader = new Reader(limits)
  let decoder: TextDecoder | undefined
  for await (const bytes of source) {
    for (let start = 0; start < bytes.length; start += SLICE) {
      const slice = bytes.subarray(start, start + SLICE)
      decoder ??= new TextDecoder(encodingOf(slice))
      reader.write(decoder.decode(slice, { stream: true }))
      yield* reader.take()
    }
  }
  if (decoder !== undefined) reader.write(decoder.decode())
  reader.end()
  yield* reader.take()
}

/** Turns text into records, piece by piece. */
class Reader {
  private readonly parser = new SaxesParser()
  private readonly stack: Element[] = []
  private readonly unknown = new Map<string, number>()
  private readonly site: WxrSite = { kind: 'site', title: '', description: '', language: '', version: '', home: '' }
  private readonly depthLimit: number
  private readonly recordLimit: number
  private records: WxrRecord[] = []
  private siteTold = false
  private ending = false
  /** Characters since the last record ended. */
  private pending = 0
  private dropped = 0

  constructor(limits: WxrLimits) {
    this.depthLimit = limits.depth ?? 32
    this.recordLimit = limits.record ?? 64 * 1024 * 1024
    this.parser.on('error', (error) => {
      throw this.malformed(error.message)
    })
    this.parser.on('doctype', () => {
      throw errors.IMPORT_DOCTYPE(this.parser.line)
    })
    this.parser.on('opentag', (tag) => this.open(tag.name, tag.attributes))
    this.parser.on('closetag', () => this.close())
    this.parser.on('text', (text) => {
      // Blanks between elements are layout; values with blanks of their own are in CDATA sections.
      if (/\S/.test(text)) this.append(text)
    })
    this.parser.on('cdata', (text) => this.append(text))
  }

  /** @param text next piece of the file */
  write(text: string): void {
    const clean = text.replace(DISALLOWED, '')
    this.dropped += text.length - clean.length
    this.pending += clean.length
    this.parser.write(clean)
    if (this.pending > this.recordLimit) throw errors.IMPORT_RECORD_TOO_LARGE(this.parser.line, this.recordLimit)
  }

  /** The file is over. */
  end(): void {
    this.ending = true
    this.parser.close()
    if (this.site.version === '' && this.site.home === '')
      throw errors.IMPORT_NOT_AN_EXPORT('its channel names no site')
    this.tellSite()
    for (const [name, count] of this.unknown) this.records.push({ kind: 'unknown', name, count })
    if (this.dropped > 0) this.records.push({ kind: 'dropped', count: this.dropped })
  }

  /** The records that are complete by now; each is handed out once. */
  take(): WxrRecord[] {
    const taken = this.records
    this.records = []
    return taken
  }

  private malformed(message: string): Error {
    const { line, column } = this.parser
    const why = message.replace(/^\d+:\d+: /, '')
    if (line === 1 && column === 0) return errors.IMPORT_NOT_AN_EXPORT('the file is empty')
    if (this.ending) return errors.IMPORT_TRUNCATED(line, column)
    return errors.IMPORT_MALFORMED(line, column, why)
  }

  private open(name: string, attributes: Record<string, string>): void {
    if (this.stack.length === 0 && name !== 'rss') {
      throw errors.IMPORT_NOT_AN_EXPORT(`its outermost element is <${name.slice(0, 80)}>, not <rss>`)
    }
    if (this.stack.length >= this.depthLimit) throw errors.IMPORT_TOO_DEEP(this.parser.line, this.depthLimit)
    for (const [key, value] of Object.entries(attributes)) attributes[key] = cleanText(value)
    this.stack.push({ name, text: '', attributes, children: [] })
  }

  private append(text: string): void {
    const element = this.stack.at(-1)
    if (element !== undefined) element.text += text
  }

  private close(): void {
    const element = this.stack.pop()
    if (element === undefined || this.stack.length < 2) return
    this.clean(element)
    if (this.stack.length > 2) {
      this.stack.at(-1)?.children.push(element)
      return
    }
    this.pending = 0
    if (this.stack[1]?.name !== 'channel') return
    const read = RECORDS[element.name]
    if (read === undefined) {
      this.describeSite(element)
      return
    }
    this.tellSite()
    this.records.push(read(element, (name) => this.count(name)))
  }

  /** Leaves out what XML allows and no text needs. Serialised values count their letters: they are cleaned once read. */
  private clean(element: Element): void {
    if (element.name === 'wp:meta_value' && looksSerialised(element.text)) return
    const clean = cleanText(element.text)
    this.dropped += element.text.length - clean.length
    element.text = clean
  }

  private describeSite({ name, text }: Element): void {
    const { site } = this
    if (name === 'title') site.title = text
    else if (name === 'description') site.description = text
    else if (name === 'language') site.language = text.trim()
    else if (name === 'wp:wxr_version') site.version = text.trim()
    else if (name === 'wp:base_blog_url') site.home = text.trim()
    else if (name === 'link') site.home ||= text.trim()
    else if (!PLAIN_FEED.has(name)) this.count(name)
  }

  private tellSite(): void {
    if (!this.siteTold) this.records.push({ ...this.site })
    this.siteTold = true
  }

  private count(name: string): void {
    const known = this.unknown.get(name)
    if (known !== undefined || this.unknown.size < UNKNOWN_NAMES) this.unknown.set(name, (known ?? 0) + 1)
  }
}

type Count = (name: string) => void

/** What children of the channel become records, by their names. */
const RECORDS: Readonly<Record<string, ((element: Element, count: Count) => WxrRecord) | undefined>> = {
  __proto__: null as never,
  item: readItem,
  'wp:author': readAuthor,
  'wp:category': readTerm,
  'wp:tag': readTerm,
  'wp:term': readTerm,
}

/** Elements of a feed that say nothing an import needs. */
// prettier-ignore
const PLAIN_FEED: ReadonlySet<string> = new Set([
  'pubDate', 'lastBuildDate', 'generator', 'image', 'cloud', 'atom:link', 'description', 'link', 'wp:base_site_url',
  'wfw:commentRss', 'slash:comments', 'comments', 'wp:post_date_utc', 'wp:post_modified_utc', 'copyright', 'ttl', 'docs',
])

function readAuthor(element: Element, count: Count): WxrAuthor {
  const author: WxrAuthor = { kind: 'author', id: 0, login: '', email: '', name: '', firstName: '', lastName: '' }
  for (const { name, text } of element.children) {
    if (name === 'wp:author_id') author.id = integer(text)
    else if (name === 'wp:author_login') author.login = text.trim()
    else if (name === 'wp:author_email') author.email = text.trim()
    else if (name === 'wp:author_display_name') author.name = text
    else if (name === 'wp:author_first_name') author.firstName = text
    else if (name === 'wp:author_last_name') author.lastName = text
    else count(`${element.name}/${name}`)
  }
  return author
}

function readTerm(element: Element, count: Count): WxrTerm {
  const taxonomy = element.name === 'wp:category' ? 'category' : element.name === 'wp:tag' ? 'post_tag' : ''
  const term: WxrTerm = { kind: 'term', id: 0, taxonomy, slug: '', parent: '', name: '', description: '', meta: [] }
  for (const child of element.children) {
    const { name, text } = child
    if (name === 'wp:term_id') term.id = integer(text)
    else if (name === 'wp:term_taxonomy') term.taxonomy = text.trim()
    else if (name === 'wp:category_nicename' || name === 'wp:tag_slug' || name === 'wp:term_slug')
      term.slug = text.trim()
    else if (name === 'wp:category_parent' || name === 'wp:term_parent') term.parent = text.trim()
    else if (name === 'wp:cat_name' || name === 'wp:tag_name' || name === 'wp:term_name') term.name = text
    else if (name === 'wp:category_description' || name === 'wp:tag_description' || name === 'wp:term_description') {
      term.description = text
    } else if (name === 'wp:termmeta') term.meta.push(readMeta(child, count))
    else count(`${element.name}/${name}`)
  }
  return term
}

function readMeta(element: Element, count: Count): WxrMeta {
  const meta: WxrMeta = { key: '', value: '' }
  for (const { name, text } of element.children) {
    if (name === 'wp:meta_key') meta.key = text
    else if (name === 'wp:meta_value') meta.value = text
    else count(`${element.name}/${name}`)
  }
  return meta
}

function readItem(element: Element, count: Count): WxrItem {
  const item: WxrItem = {
    kind: 'item',
    id: 0,
    type: 'post',
    status: 'publish',
    slug: '',
    title: '',
    link: '',
    creator: '',
    guid: '',
    content: '',
    excerpt: '',
    published: '',
    date: '',
    dateGmt: '',
    modified: '',
    modifiedGmt: '',
    commentStatus: 'closed',
    pingStatus: 'closed',
    parent: 0,
    menuOrder: 0,
    password: '',
    sticky: false,
    attachmentUrl: '',
    terms: [],
    meta: [],
    comments: [],
  }
  for (const child of element.children) {
    const read = ITEM_FIELDS[child.name]
    if (read !== undefined) read(item, child, count)
    else if (!PLAIN_FEED.has(child.name)) count(`item/${child.name}`)
  }
  return item
}

/** How each element of an item is taken over. */
const ITEM_FIELDS: Readonly<Record<string, ((item: WxrItem, element: Element, count: Count) => void) | undefined>> = {
  __proto__: null as never,
  title: (item, { text }) => (item.title = text),
  link: (item, { text }) => (item.link = text.trim()),
  guid: (item, { text }) => (item.guid = text.trim()),
  pubDate: (item, { text }) => (item.published = text.trim()),
  'dc:creator': (item, { text }) => (item.creator = text.trim()),
  'content:encoded': (item, { text }) => (item.content = text),
  'excerpt:encoded': (item, { text }) => (item.excerpt = text),
  'wp:post_id': (item, { text }) => (item.id = integer(text)),
  'wp:post_type': (item, { text }) => (item.type = text.trim()),
  'wp:status': (item, { text }) => (item.status = text.trim()),
  'wp:post_name': (item, { text }) => (item.slug = text.trim()),
  'wp:post_date': (item, { text }) => (item.date = date(text)),
  'wp:post_date_gmt': (item, { text }) => (item.dateGmt = date(text)),
  'wp:post_modified': (item, { text }) => (item.modified = date(text)),
  'wp:post_modified_gmt': (item, { text }) => (item.modifiedGmt = date(text)),
  'wp:comment_status': (item, { text }) => (item.commentStatus = text.trim()),
  'wp:ping_status': (item, { text }) => (item.pingStatus = text.trim()),
  'wp:post_parent': (item, { text }) => (item.parent = integer(text)),
  'wp:menu_order': (item, { text }) => (item.menuOrder = signed(text)),
  'wp:post_password': (item, { text }) => (item.password = text),
  'wp:is_sticky': (item, { text }) => (item.sticky = text.trim() === '1'),
  'wp:attachment_url': (item, { text }) => (item.attachmentUrl = text.trim()),
  'wp:postmeta': (item, element, count) => item.meta.push(readMeta(element, count)),
  'wp:comment': (item, element, count) => item.comments.push(readComment(element, count)),
  // The oldest files name each term twice; the one without a slug adds nothing.
  category: (item, { text, attributes }) => {
    const { domain, nicename } = attributes
    if (domain === undefined || nicename === undefined || nicename === '') return
    item.terms.push({ taxonomy: domain === 'tag' ? 'post_tag' : domain, slug: nicename, name: text })
  },
}

function readComment(element: Element, count: Count): WxrComment {
  const comment: WxrComment = {
    id: 0,
    author: '',
    email: '',
    url: '',
    ip: '',
    date: '',
    dateGmt: '',
    content: '',
    approved: '1',
    type: '',
    parent: 0,
    userId: 0,
    meta: [],
  }
  for (const child of element.children) {
    const read = COMMENT_FIELDS[child.name]
    if (read !== undefined) read(comment, child, count)
    else count(`wp:comment/${child.name}`)
  }
  return comment
}

/** How each element of a comment is taken over. */
const COMMENT_FIELDS: Readonly<
  Record<string, ((comment: WxrComment, element: Element, count: Count) => void) | undefined>
> = {
  __proto__: null as never,
  'wp:comment_id': (comment, { text }) => (comment.id = integer(text)),
  'wp:comment_author': (comment, { text }) => (comment.author = text),
  'wp:comment_author_email': (comment, { text }) => (comment.email = text.trim()),
  'wp:comment_author_url': (comment, { text }) => (comment.url = text.trim()),
  'wp:comment_author_IP': (comment, { text }) => (comment.ip = text.trim()),
  'wp:comment_date': (comment, { text }) => (comment.date = date(text)),
  'wp:comment_date_gmt': (comment, { text }) => (comment.dateGmt = date(text)),
  'wp:comment_content': (comment, { text }) => (comment.content = text),
  'wp:comment_approved': (comment, { text }) => (comment.approved = text.trim()),
  'wp:comment_type': (comment, { text }) => (comment.type = text.trim()),
  'wp:comment_parent': (comment, { text }) => (comment.parent = integer(text)),
  'wp:comment_user_id': (comment, { text }) => (comment.userId = integer(text)),
  'wp:commentmeta': (comment, element, count) => comment.meta.push(readMeta(element, count)),
}

/** A whole number from 0 to 2^32 - 1; 0 for anything else. */
function integer(text: string): number {
  const value = signed(text)
  return value >= 0 && value < 2 ** 32 ? value : 0
}

function signed(text: string): number {
  const value = /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : 0
  return value === 0 ? 0 : value
}

/** A date, `''` for zeros and for what is none. */
function date(text: string): string {
  const value = text.trim()
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) && !value.startsWith('0000') ? value : ''
}

/** The encoding that the XML declaration or a byte order mark names; UTF-8 otherwise. */
function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const head = new TextDecoder('latin1').decode(start.subarray(0, 200))
  const label = /^\s*(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*\sencoding=["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).encoding
  } catch {
    throw errors.IMPORT_NOT_AN_EXPORT(`its encoding ${label} is unknown`)
  }
}
