import { randomOf } from '../helpers/random.ts'
import { HostileTexts, type Named } from './texts.ts'
import { markupIn, unsafeUrl, unsafeHtml } from './unsafe.ts'

/** A running site, as the search for what runs on it needs it. */
export interface XssSite {
  /** Home URL: what its texts are relative to. */
  readonly home: string
  /** A request below the root of the REST API, as `/svc/v2/posts`. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** Headers of requests by users of these roles. */
  readonly by: Readonly<Record<'contributor' | 'author' | 'editor', Readonly<Record<string, string>>>>
}

export interface XssOptions {
  /** Seed of the texts. */
  seed: number
  /** How many texts. */
  count: number
  /** Namespace of the routes; `/svc/v2` by default. */
  namespace?: string
  /** The search ends with so many findings; 20 by default. */
  maxFindings?: number
}

/** Output that would run code or imitate other content in the browser of a reader. */
export interface XssFinding {
  /** Field and reader: `content.rendered, by contributor`. */
  location: string
  /** The text that was sent. */
  text: string
  /** The text in the response. */
  html: string
  /** The problem. */
  problems: string[]
}

export interface XssReport {
  /** Texts that were sent. */
  texts: number
  /** Fields of answers that were looked at. */
  fields: number
  /** Requests that were refused, by status and code: texts may be wrong for a field. */
  refused: Record<string, number>
  findings: XssFinding[]
}

// oxlint-disable-next-line typescript/no-explicit-any -- any JSON of a site
type Json = any
type Role = keyof XssSite['by']

/** Texts that were sent, by field. */
type Sent = Readonly<Record<string, string>>

/** A post in a response, and the texts that were sent. */
interface SentPost {
  post: Json
  sent: Sent
}

/** The texts of a post. */
const FIELDS = ['title', 'content', 'excerpt'] as const
/** The names that users give themselves. */
const NAMES = ['name', 'first_name', 'last_name', 'nickname'] as const
/** Requests of one batch. */
const BATCH = 25
/** One of this many posts is saved again by its author, and one by an editor. */
const AGAIN = 5
/** Maximum number of texts whose problems are cached. */
const REMEMBERED = 2000
/** An image of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** Fields with HTML at any place of a response, in addition to `rendered` and `raw`. */
const HTML: ReadonlySet<string> = new Set(['description'])
/** Fields that hold plain text, which pages show without looking at it again. */
const PLAIN: ReadonlySet<string> = new Set([...NAMES, 'author_name', 'alt_text'])
const URL_FIELDS: ReadonlySet<string> = new Set(['url', 'author_url', 'link', 'source_url', 'href'])

/**
 * Writes hostile texts into all fields of contributors and authors, reads them as all kinds of users, and reports code that
 * would run. Uses only HTTP.
 */
export async function xssFindings(site: XssSite, options: XssOptions): Promise<XssReport> {
  const search = new Search(site, options)
  await search.begin()
  while (!search.isDone) await search.round()
  return search.report
}

class Search {
  readonly report: XssReport = { texts: 0, fields: 0, refused: {}, findings: [] }
  readonly #site: XssSite
  readonly #namespace: string
  readonly #count: number
  readonly #maxFindings: number
  readonly #seed: number
  readonly #named: Named = { image: 0, block: 0, url: '' }
  #texts!: HostileTexts
  readonly #seen = new Map<string, string[]>()
  #comment = 0
  #term = 0
  /** A published post of the author. */
  #post = 0

  constructor(site: XssSite, { seed, count, namespace = '/svc/v2', maxFindings = 20 }: XssOptions) {
    this.#site = site
    this.#seed = seed
    this.#count = count
    this.#namespace = namespace
    this.#maxFindings = maxFindings
  }

  get isDone(): boolean {
    return this.report.texts >= this.#count || this.report.findings.length >= this.#maxFindings
  }

  /** Makes what the texts go into, or name. */
  async begin(): Promise<void> {
    const upload = await this.#site.request(`${this.#namespace}/media`, {
      method: 'POST',
      headers: {
        ...this.#site.by.author,
        'content-type': 'image/png',
        'content-disposition': 'attachment; filename="dot.png"',
      },
      body: DOT,
    })
    const image = (await upload.json()) as Json
    this.#named.image = image.id
    this.#named.url = String(image.source_url)
    this.#named.block = (
      await this.#send('author', 'POST', 'blocks', { title: 'k', content: 'k', status: 'publish' })
    ).id
    this.#post = (
      await this.#send('author', 'POST', 'posts', { title: 'k', status: 'publish', comment_status: 'open' })
    ).id
    this.#comment = (await this.#send('author', 'POST', 'comments', { post: this.#post, content: 'k' })).id
    this.#term = (await this.#send('editor', 'POST', 'categories', { name: `k ${this.#post}` })).id
    if (![this.#named.image, this.#named.block, this.#post, this.#comment, this.#term].every(Number.isInteger)) {
      throw new Error('The site does not let an author and an editor make what texts go into.')
    }
    this.#texts = new HostileTexts(randomOf(this.#seed), this.#named)
  }

  /** Two batches of posts, and some texts in every other field. */
  async round(): Promise<void> {
    for (const role of ['contributor', 'author'] as const) await this.#writePosts(role)
    await this.#writeOthers()
  }

  async #writePosts(role: Role): Promise<void> {
    const left = Math.max(Math.min(BATCH, Math.ceil((this.#count - this.report.texts) / FIELDS.length)), 0)
    // Every other post has no excerpt but that which is made of its content.
    const sent = Array.from({ length: left }, (_, index) => {
      const [title, content] = [this.#next(), this.#next()]
      return { title, content, excerpt: index % 2 === 0 ? this.#next() : '' }
    })
    const path = `${this.#namespace}/posts`
    const status = role === 'author' ? 'publish' : 'draft'
    const requests = sent.map((texts) => ({ method: 'POST', path, body: { ...texts, status } }))
    const posts: SentPost[] = []
    for (const [index, post] of (await this.#batch(role, requests)).entries()) {
      this.#check(post, sent[index]!, `post by ${role}`)
      if (Number.isInteger(post?.id)) posts.push({ post, sent: sent[index]! })
    }
    await this.#readAs(role === 'author' ? null : 'editor', posts)
    // By their writer, who loses nothing more, and by an editor, who may write anything.
    const some = (first: number) => posts.filter((_, index) => index % AGAIN === first)
    await this.#saveAgain(role, some(0))
    await this.#saveAgain('editor', some(1))
  }

  /** Reads posts as others see them. */
  async #readAs(role: Role | null, posts: readonly SentPost[]): Promise<void> {
    if (posts.length === 0) return
    const ids = posts.map(({ post }) => post.id).join(',')
    const query = `include=${ids}&per_page=100${role === null ? '' : '&context=edit&status=any'}&_embed`
    const list = await this.#get(role, `posts?${query}`)
    const sent = new Map(posts.map((one) => [one.post.id, one.sent]))
    for (const post of list) this.#check(post, sent.get(post.id) ?? {}, `post read by ${role ?? 'visitor'}`)
  }

  /** Saves texts as they came back. */
  async #saveAgain(role: Role, posts: readonly SentPost[]): Promise<void> {
    const requests = posts.map(({ post }) => ({
      method: 'PUT',
      path: `${this.#namespace}/posts/${post.id}`,
      body: Object.fromEntries(FIELDS.map((field) => [field, post[field].raw])),
    }))
    for (const [index, saved] of (await this.#batch(role, requests)).entries()) {
      const { post, sent } = posts[index]!
      this.#check(saved, sent, `post saved again by ${role}`)
      for (const field of FIELDS) {
        const [before, after] = [post[field].raw, saved?.[field]?.raw]
        if (before !== after) this.#addFinding(`${field}.raw saved again by ${role}`, before, after, ['changed'])
      }
    }
  }

  /** One text each where no batches go. */
  async #writeOthers(): Promise<void> {
    const next = () => this.#next()
    const [media, profile, comment, term, saved, block] = [next(), next(), next(), next(), next(), next()]
    const { image, block: blockId } = this.#named
    const writer = this.report.texts % 2 === 0 ? 'contributor' : 'author'
    const requests: [Role, string, string, Json, string][] = [
      ['author', 'PUT', `media/${image}`, { title: media, caption: media, description: media, alt_text: media }, media],
      [
        writer,
        'PUT',
        'users/me',
        {
          ...Object.fromEntries(NAMES.map((name) => [name, profile])),
          description: profile,
          url: profile,
        },
        profile,
      ],
      ['author', 'PUT', `comments/${this.#comment}`, { content: comment }, comment],
      ['editor', 'PUT', `comments/${this.#comment}`, { content: comment, author_name: comment }, comment],
      ['editor', 'PUT', `comments/${this.#comment}`, { author_url: comment }, comment],
      ['editor', 'PUT', `categories/${this.#term}`, { name: term, description: term }, term],
      ['author', 'POST', `posts/${this.#post}/autosaves`, { title: saved, content: saved, excerpt: saved }, saved],
      ['author', 'PUT', `blocks/${blockId}`, { title: block, content: block, status: 'publish' }, block],
    ]
    for (const [role, method, path, body, text] of requests) {
      const location = `${path.replace(/\d+/, 'ID')} by ${role}`
      this.#check(await this.#send(role, method, path, body), { text }, location)
    }
    const readings: [Role | null, string, string][] = [
      [null, `media/${image}`, media],
      [null, `comments/${this.#comment}?_embed`, comment],
      [null, `categories/${this.#term}`, term],
      [writer, 'users/me', profile],
      [null, 'users', profile],
      [null, 'search?per_page=20&search=', 'any'],
      [null, 'search?type=term&per_page=20&search=', term],
      ['author', `block-renderer/core/block?context=edit&attributes[ref]=${blockId}`, block],
      ['author', `posts/${this.#post}/revisions?context=edit&per_page=3`, saved],
      ['author', `posts/${this.#post}/autosaves?context=edit`, saved],
    ]
    for (const [role, path, text] of readings) {
      this.#check(await this.#get(role, path), { text }, `${path} by ${role ?? 'visitor'}`)
    }
  }

  #next(): string {
    this.report.texts += 1
    // Refused as no text at all, they would test nothing.
    return `${this.#texts.next().toWellFormed()}k`
  }

  /** Looks at everything in an answer that pages show. */
  #check(data: Json, sent: Sent, location: string, field = ''): void {
    if (typeof data !== 'object' || data === null || typeof data.code === 'string') return
    for (const [name, value] of Object.entries(data) as [string, Json][]) {
      const path = field === '' || /^\d+$/.test(name) ? name : `${field}.${name}`
      if (typeof value === 'object' && value !== null) this.#check(value, sent, location, path)
      if (typeof value !== 'string' || value === '') continue
      const problems = this.#problemsOf(name, field, value)
      if (problems === null) continue
      this.report.fields += 1
      if (problems.length === 0) continue
      const text = sent[path.split('.', 1)[0]!] || sent['content'] || sent['text'] || ''
      this.#addFinding(`${path} of ${location}`, text, value, problems)
    }
  }

  /** Returns the problem of a field's text; null if pages do not show the field. */
  #problemsOf(name: string, field: string, value: string): string[] | null {
    // URLs are not HTML, even where they are sent as they are written and shown.
    if (/(?:^|\.)guid$/.test(field)) return null
    if (name === 'rendered' || name === 'raw' || HTML.has(name)) return this.#unsafe(value)
    if (name === 'title') return this.#unsafe(value)
    if (PLAIN.has(name)) return markupIn(value)
    return URL_FIELDS.has(name) ? unsafeUrl(value, this.#site.home) : null
  }

  /** As `unsafeHtml`; most texts come back many times. */
  #unsafe(html: string): string[] {
    let problems = this.#seen.get(html)
    if (problems === undefined) {
      problems = unsafeHtml(html, this.#site.home)
      if (this.#seen.size >= REMEMBERED) this.#seen.clear()
      this.#seen.set(html, problems)
    }
    return problems
  }

  #addFinding(location: string, text: string, html: string, problems: string[]): void {
    this.report.findings.push({ location, text, html, problems })
  }

  async #batch(role: Role, requests: readonly object[]): Promise<Json[]> {
    if (requests.length === 0) return []
    const response = await this.#site.request('/batch/v1', {
      method: 'POST',
      headers: { ...this.#site.by[role], 'content-type': 'application/json' },
      body: JSON.stringify({ requests }),
    })
    const { responses } = (await response.json()) as Json
    return responses.map((one: Json) => this.#counted(one.status, one.body))
  }

  async #send(role: Role, method: string, path: string, body: object): Promise<Json> {
    const response = await this.#site.request(`${this.#namespace}/${path}`, {
      method,
      headers: { ...this.#site.by[role], 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return this.#counted(response.status, await response.json())
  }

  async #get(role: Role | null, path: string): Promise<Json> {
    const headers = role === null ? {} : this.#site.by[role]
    const response = await this.#site.request(`${this.#namespace}/${path}`, { headers })
    return this.#counted(response.status, await response.json())
  }

  #counted(status: number, body: Json): Json {
    if (status >= 300) {
      const reason = `${status} ${body?.code}`
      this.report.refused[reason] = (this.report.refused[reason] ?? 0) + 1
      if (status >= 500) this.#addFinding('answer', '', JSON.stringify(body), [reason])
    }
    return body
  }
}
