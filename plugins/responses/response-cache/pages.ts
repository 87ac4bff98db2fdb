import { LRUCache } from 'lru-cache'
import {
  currentWork,
  HeaderMap,
  isPerRequest,
  registrations,
  type Hooks,
  type SitePage,
} from '../../../kernel/index.ts'
import {
  collectInto,
  currentDependencies,
  Dependencies,
  cacheBriefly,
  schemeKey,
  viewOf,
} from '../../library/caching/index.ts'
import { etagOf } from '../../requests/conditional/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { ResponseCache } from './cache.ts'
import { hasAge, isSecondOver, findClientTag, withinAge } from './conditions.ts'
import { Entry } from './entry.ts'
import { join } from './flights.ts'
import { forbidsStoring, dependencyRefusal } from './key.ts'
import { belongsTo304 } from './plain-response.ts'
import { bypassHeader, ForbiddenHeaders } from './request.ts'
import { tagsValue } from './tags-header.ts'

/** Pages of the site that are rendered once for all visitors, and cached like responses. */
export interface ResponseCacheService {
  /**
   * Returns the cached page for a visitor as long as its data has not changed. Otherwise calls `make`, and caches the
   * page unless something forbids it.
   * @param key identifies the page: requests with the same key get the same page. It need not contain parameters that
   * `make` reads through `scope.parameter`
   * @param make creates the page, which then depends on all data that `make` reads through services
   */
  page(
    request: SiteRequest,
    key: string,
    make: () => Promise<SitePage | null>,
    options?: {
      /**
       * Whether clients can request unlimited variants of the page, such as searches. These, and pages with status 404,
       * are cached for a minute in a separate small cache.
       */
      isBrief?: boolean
    },
  ): Promise<SitePage | null>
}

/** Keys whose parameters are cached. */
const MAX_CACHED_KEYS = 1000

/** Hooks that run for each page, including cached ones. */
const PER_PAGE = [
  'determine_current_user',
  'site_request',
  'site_page',
  'site_headers',
] as const satisfies readonly (keyof Hooks)[]

/** Caches pages together with the responses. */
export class PageCache implements ResponseCacheService {
  readonly #cache: ResponseCache
  /** Names of the parameters that pages depend on, by key. */
  readonly #names = new LRUCache<string, readonly string[]>({ max: MAX_CACHED_KEYS })
  /** Entries of the pages that are being sent. */
  readonly #entries = new WeakMap<SitePage, Entry>()

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
      const found = this.#cache.get(this.#keyOf(key, request), state)
      if (found === undefined) return null
      found.hits += 1
      return this.#toPage(found, 'HIT')
    }
    const cached = find()
    if (cached !== null) return cached
    const making = { at: state, registrations: registrations() }
    const flightKey = `${making.registrations} ${this.#keyOf(key, request)}`
    const other = this.#cache.flights.get(flightKey)
    // Looks the page up again after the wait: the created page can depend on a query parameter that has another value
    // in this request.
    const landed = other === undefined || (await join(other, request)) === null ? null : find()
    if (landed !== null) return landed
    const work = currentWork()
    const flight = work === undefined ? null : this.#cache.flights.begin(flightKey, work)
    let entry: Entry | null = null
    try {
      const dependencies = new Dependencies()
      // The page also depends on earlier reads of its plugin, such as a setting that decides whether there is a page.
      currentDependencies()?.join(dependencies)
      const reads = new ForbiddenHeaders()
      request.headers.reads = reads
      const page = await collectInto(dependencies, async () => {
        const result = await make()
        if (isBrief || result?.status === 404) cacheBriefly()
        return result
      })
      request.headers.reads = null
      this.#cache.noteReads(reads, request.path)
      if (page === null || (page.status !== 200 && page.status !== 404)) return page
      const { parts } = this.#cache
      const reason = refusalReason(page, dependencies, reads)
      if (reason === null) {
        this.#rememberNames(key, dependencies)
        entry = this.#store(page, this.#keyOf(key, request), dependencies, { ...making, isBrief })
      }
      if (entry !== null) return this.#toPage(entry, 'MISS')
      page.headers.set(parts.branding.header('Cache'), bypassHeader(reason ?? 'it is too large', parts))
      return page
    } finally {
      flight?.land(entry)
    }
  }

  /**
   * Returns the cache key of a page, with the values of the parameters that it depends on, the view of the visitor,
   * and the scheme of URLs.
   */
  #keyOf(key: string, { query, user }: SiteRequest): string {
    const names = this.#names.get(key) ?? []
    // Of a repeated parameter, the last value counts, as in `scope.parameter`.
    const values = names.map((name) => [name, query.getAll(name).at(-1) ?? null])
    return `PAGE ${JSON.stringify([key, viewOf(user), schemeKey(), values])}`
  }

  #rememberNames(key: string, { parameters }: Dependencies): void {
    if (parameters !== null)
      this.#names.set(key, [...new Set([...(this.#names.get(key) ?? []), ...parameters.keys()])].sort())
  }

  #store(
    { status, headers, body }: SitePage,
    key: string,
    dependencies: Dependencies,
    { isBrief, ...state }: Pick<Entry, 'at' | 'registrations'> & { isBrief: boolean },
  ): Entry | null {
    const entry = new Entry({
      ...state,
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
    // Clients can invent any number of values.
    const hasParameters = [...(dependencies.parameters ?? [])].some(([, value]) => value !== null)
    const isStored =
      isBrief || hasParameters || status === 404 ? this.#cache.storeBrief(entry) : this.#cache.store(entry)
    return isStored ? entry : null
  }

  /** Creates the page of an entry with its cache headers. */
  #toPage(entry: Entry, origin: 'HIT' | 'MISS'): SitePage {
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
    this.#entries.set(page, entry)
    return page
  }

  /**
   * Runs before a page is encoded. Stores the page by its URL if it depends on nothing else. Then responds with 304 if
   * the client has the page, or with the compressed body if available.
   */
  finish(page: SitePage, request: SiteRequest): SitePage {
    const entry = this.#entries.get(page)
    // A tap has changed the page.
    if (entry === undefined || page.body !== entry.body || page.status !== 200) return page
    const { hooks, compression, branding } = this.#cache.parts
    const isPlain = !PER_PAGE.some((name) => isPerRequest(hooks[name]))
    const hasSecondPassed = entry.modified === null || isSecondOver(entry.modified, Date.now())
    const cacheControl = page.headers.get('Cache-Control') ?? ''
    // Pages that are stored by URL have constant headers.
    const isLasting = entry.until === Infinity || !hasAge(cacheControl)
    const isStored =
      isPlain && hasSecondPassed && isLasting && !this.#cache.isBrief(entry) && !forbidsStoring(cacheControl)
    if (isStored && coversReads(entry, currentDependencies())) {
      const headers = new HeaderMap()
      for (const [name, value] of page.headers) headers.set(name, value)
      hooks.site_headers.call(headers, request)
      headers.append('Vary', 'Accept-Encoding')
      this.#cache.storePlain(
        request.url,
        entry,
        headers,
        compression !== null && entry.body.length >= compression.minBytes,
      )
    }
    const requestHeaders = request.headers
    const etag = findClientTag(
      { ifNoneMatch: requestHeaders.get('If-None-Match'), ifModifiedSince: requestHeaders.get('If-Modified-Since') },
      entry,
    )
    if (etag !== null) {
      const headers = new HeaderMap()
      for (const [name, value] of page.headers)
        if (belongsTo304(name, branding.header('Cache'))) headers.set(name, value)
      headers.set('ETag', etag)
      return { status: 304, headers, body: null }
    }
    const encoding = compression?.pickEncoding(requestHeaders.get('Accept-Encoding')) ?? null
    if (encoding === null || compression === null || entry.body.length < compression.minBytes) return page
    const variant = entry.inEncoding(encoding)
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

/** Returns whether an entry depends on all data that the request for its page has read so far. */
function coversReads({ tags, until }: Entry, read: Dependencies | undefined): boolean {
  if (read === undefined) return true
  return read.refusal === null && !read.ofRequest && read.until >= until && new Set(tags).isSupersetOf(read.tags)
}

/** Returns why a page cannot be cached, or null. */
function refusalReason({ headers, body }: SitePage, dependencies: Dependencies, reads: Set<string>): string | null {
  const forbidden = dependencyRefusal(dependencies, reads, currentWork())
  if (forbidden !== null) return forbidden
  if (typeof body !== 'string') return 'its body is not text'
  if (dependencies.tags.size === 0) return 'its dependencies are unknown'
  if (headers.has('Set-Cookie')) return 'it sets a cookie'
  return forbidsStoring(headers.get('Cache-Control')) ? 'its Cache-Control header forbids it' : null
}
