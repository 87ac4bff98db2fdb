import { LRUCache } from 'lru-cache'
import {
  currentWork,
  HeaderMap,
  isPerRequest,
  registrations,
  type Hooks,
  type SitePage,
} from '../../../kernel/index.ts'
import { collectInto, currentDependencies, Dependencies, keepBriefly, viewOf } from '../../library/caching/index.ts'
import { etagOf } from '../../requests/conditional/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { ResponseCache } from './cache.ts'
import { hasAge, isSettled, knownAs, withinAge } from './conditions.ts'
import { Entry } from './entry.ts'
import { join } from './flights.ts'
import { isForbidden, whyNotStored } from './key.ts'
import { belongsTo304 } from './plain-response.ts'
import { bypassed, ForbiddenHeaders } from './request.ts'
import { tagsValue } from './tags-header.ts'

/** Pages of the site that are rendered once for all visitors, and cached as responses are. */
export interface KeptPages {
  /**
   * Returns the cached page for a visitor, as long as the data that it was made of has not changed; else calls `make`, and
   * caches the page unless something forbids it.
   * @param key identifies the page: requests with the same key get the same page. It need not contain parameters that
   *   `make` reads by `scope.parameter`
   * @param make makes the page, which then depends on all data that `make` reads through services
   */
  page(
    request: SiteRequest,
    key: string,
    make: () => Promise<SitePage | null>,
    options?: {
      /**
       * Whether clients can ask for any number of such pages, as by words to search for. They are kept for a minute, in a
       * small place of their own, as are pages with the status 404.
       */
      isBrief?: boolean
    },
  ): Promise<SitePage | null>
}

/** Pages whose parameters are remembered. */
const MOST_NAMES = 1000

/** The taps that are run for each page, also where it is kept. */
const PER_PAGE = [
  'determine_current_user',
  'site_request',
  'site_page',
  'site_headers',
] as const satisfies readonly (keyof Hooks)[]

/** Keeps pages among the responses. */
export class PageCache implements KeptPages {
  readonly #cache: ResponseCache
  /** The parameters that pages were found to depend on, by keys. */
  readonly #names = new LRUCache<string, readonly string[]>({ max: MOST_NAMES })
  /** The entries of pages on their way out. */
  readonly #found = new WeakMap<SitePage, Entry>()

  constructor(cache: ResponseCache) {
    this.#cache = cache
  }

  async page(
    request: SiteRequest,
    key: string,
    make: () => Promise<SitePage | null>,
    { isBrief = false }: { isBrief?: boolean } = {},
  ): Promise<SitePage | null> {
    const state = this.#cache.state()
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (state === null || !isRead || request.user.id !== 0 || viewOf(request.user) === null) return make()
    const find = () => {
      const known = this.#cache.get(this.#keyOf(key, request), state)
      if (known === undefined) return null
      known.hits += 1
      return this.#sent(known, 'HIT')
    }
    const known = find()
    if (known !== null) return known
    const making = { at: state, registrations: registrations() }
    const flightKey = `${making.registrations} ${this.#keyOf(key, request)}`
    const other = this.#cache.flights.get(flightKey)
    // It may turn out to depend on a parameter that this request has another value of.
    const landed = other === undefined || (await join(other, request)) === null ? null : find()
    if (landed !== null) return landed
    const work = currentWork()
    const flight = work === undefined ? null : this.#cache.flights.begin(flightKey, work)
    let entry: Entry | null = null
    try {
      const dependencies = new Dependencies()
      // The page also depends on what its plugin read before, such as a setting that decides whether there is a page.
      currentDependencies()?.join(dependencies)
      const reads = new ForbiddenHeaders()
      request.headers.reads = reads
      const page = await collectInto(dependencies, async () => {
        const made = await make()
        if (isBrief || made?.status === 404) keepBriefly()
        return made
      })
      request.headers.reads = null
      this.#cache.noteReads(reads, request.path)
      if (page === null || (page.status !== 200 && page.status !== 404)) return page
      const { parts } = this.#cache
      const reason = whyNotKept(page, dependencies, reads)
      if (reason === null) {
        this.#rememberNames(key, dependencies)
        entry = this.#keep(page, this.#keyOf(key, request), dependencies, { ...making, isBrief })
      }
      if (entry !== null) return this.#sent(entry, 'MISS')
      page.headers.set(parts.branding.header('Cache'), bypassed(reason ?? 'it is too long', parts))
      return page
    } finally {
      flight?.land(entry)
    }
  }

  /** The key of a page, with the values of the parameters that it was found to depend on, and what is known of the visitor. */
  #keyOf(key: string, { query, user }: SiteRequest): string {
    const names = this.#names.get(key) ?? []
    // Of a parameter that is given twice, the last one counts, as for `scope.parameter`.
    const values = names.map((name) => [name, query.getAll(name).at(-1) ?? null])
    return `PAGE ${JSON.stringify([key, viewOf(user), values])}`
  }

  #rememberNames(key: string, { parameters }: Dependencies): void {
    if (parameters !== null)
      this.#names.set(key, [...new Set([...(this.#names.get(key) ?? []), ...parameters.keys()])].sort())
  }

  #keep(
    { status, headers, body }: SitePage,
    key: string,
    dependencies: Dependencies,
    { isBrief, ...made }: Pick<Entry, 'at' | 'registrations'> & { isBrief: boolean },
  ): Entry | null {
    const entry = new Entry({
      ...made,
      key,
      status,
      route: null,
      endpoint: null,
      headers: headers.toList(),
      body: Buffer.from(body as string),
      etag: etagOf(body as string),
      tags: [...dependencies.tags],
      modified: this.#cache.changedAt(dependencies),
      until: dependencies.until,
    })
    // Clients can think of any number of values.
    const isAsked = [...(dependencies.parameters ?? [])].some(([, value]) => value !== null)
    const isKept = isBrief || isAsked || status === 404 ? this.#cache.keepBrief(entry) : this.#cache.keep(entry)
    return isKept ? entry : null
  }

  /** A kept page as it is sent: 304 where the client has it already. */
  #sent(entry: Entry, origin: 'HIT' | 'MISS'): SitePage {
    const { branding, cacheControl, tagsHeader } = this.#cache.parts
    const headers = new HeaderMap()
    for (let at = 0; at < entry.headers.length; at += 2) headers.set(entry.headers[at]!, entry.headers[at + 1]!)
    headers.set('ETag', entry.etag)
    headers.set(branding.header('Cache'), origin)
    const modified = entry.lastModified(Date.now())
    if (modified !== null) headers.set('Last-Modified', modified)
    if (cacheControl !== '' && entry.status === 200) headers.set('Cache-Control', cacheControl)
    const age = headers.get('Cache-Control')
    if (entry.until !== Infinity && age !== null) headers.set('Cache-Control', withinAge(age, entry.until - Date.now()))
    if (tagsHeader !== null) {
      const value = tagsValue(entry.tags, tagsHeader)
      if (value === null) headers.set('Cache-Control', 'no-store')
      else headers.set(tagsHeader, value)
    }
    const page: SitePage = { status: entry.status, headers, body: entry.body }
    this.#found.set(page, entry)
    return page
  }

  /**
   * The last look at a page before it is encoded: it is found by its URL alone from now on, where nothing but that matters.
   * Then 304 is sent where the client has it, or the body that is encoded already.
   */
  finish(page: SitePage, request: SiteRequest): SitePage {
    const entry = this.#found.get(page)
    // A tap may have changed it.
    if (entry === undefined || page.body !== entry.body || page.status !== 200) return page
    const { hooks, compression, branding } = this.#cache.parts
    const isPlain = !PER_PAGE.some((name) => isPerRequest(hooks[name]))
    const isSettledNow = entry.modified === null || isSettled(entry.modified, Date.now())
    const cacheControl = page.headers.get('Cache-Control') ?? ''
    // Of one that is found by its URL alone the headers are always the same.
    const isLasting = entry.until === Infinity || !hasAge(cacheControl)
    const isStored = isPlain && isSettledNow && isLasting && !this.#cache.isBrief(entry) && !isForbidden(cacheControl)
    if (isStored && hasAllOf(entry, currentDependencies())) {
      const headers = new HeaderMap()
      for (const [name, value] of page.headers) headers.set(name, value)
      hooks.site_headers.call(headers, request)
      headers.append('Vary', 'Accept-Encoding')
      this.#cache.keepPlain(request.url, entry, headers, compression !== null && entry.body.length >= compression.least)
    }
    const asked = request.headers
    const etag = knownAs(
      { ifNoneMatch: asked.get('If-None-Match'), ifModifiedSince: asked.get('If-Modified-Since') },
      entry,
    )
    if (etag !== null) {
      const headers = new HeaderMap()
      for (const [name, value] of page.headers)
        if (belongsTo304(name, branding.header('Cache'))) headers.set(name, value)
      headers.set('ETag', etag)
      return { status: 304, headers, body: null }
    }
    const encoding = compression?.pickEncoding(asked.get('Accept-Encoding')) ?? null
    if (encoding === null || compression === null || entry.body.length < compression.least) return page
    const variant = entry.in(encoding)
    if (variant === undefined) {
      this.#cache.encode(entry, encoding)
      return page
    }
    page.headers.set('Content-Encoding', encoding)
    page.headers.set('ETag', variant.etag)
    page.body = variant.body
    return page
  }
}

/** Whether an entry depends on everything that the request for its page has read so far. */
function hasAllOf({ tags, until }: Entry, read: Dependencies | undefined): boolean {
  if (read === undefined) return true
  return read.refusal === null && !read.ofRequest && read.until >= until && new Set(tags).isSupersetOf(read.tags)
}

/** Why a page may not be kept; null where it may be. */
function whyNotKept({ headers, body }: SitePage, dependencies: Dependencies, reads: Set<string>): string | null {
  const forbidden = whyNotStored(dependencies, reads, currentWork())
  if (forbidden !== null) return forbidden
  if (typeof body !== 'string') return 'it is no text'
  if (dependencies.tags.size === 0) return 'nothing is known of what it depends on'
  if (headers.has('Set-Cookie')) return 'it sets a cookie'
  return isForbidden(headers.get('Cache-Control')) ? 'its headers say so' : null
}
