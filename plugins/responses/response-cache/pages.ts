import {
  collectInto,
  currentWork,
  Dependencies,
  etagOf,
  HeaderMap,
  registrations,
  undeclaredTap,
  type Hooks,
  type SitePage,
  type SiteRequest,
} from '../../../kernel/index.ts'
import type { ResponseCache } from './cache.ts'
import { isSettled, knownAs } from './conditions.ts'
import { Entry } from './entry.ts'
import { join } from './flights.ts'
import { isForbidden } from './key.ts'
import { belongsTo304 } from './plain-response.ts'
import { tagsValue } from './tags-header.ts'

/** Pages of the site that are made once for all visitors, and kept as responses are. */
export interface KeptPages {
  /**
   * The page of a visitor: as it was made before, as long as nothing of that has changed, or made, and kept where it may be.
   * @param key what tells it from other pages: the same for all requests that get the same
   * @param make makes it; what it reads through services is what it depends on
   */
  page(request: SiteRequest, key: string, make: () => Promise<SitePage | null>): Promise<SitePage | null>
}

/** The taps that are run for each page, also where it is kept. */
const PER_PAGE = ['determine_current_user', 'site_request', 'site_page', 'site_headers'] as const satisfies readonly (keyof Hooks)[] // prettier-ignore

/** Keeps pages among the responses. */
export class PageCache implements KeptPages {
  readonly #cache: ResponseCache
  /** The entries of pages on their way out. */
  readonly #found = new WeakMap<SitePage, Entry>()

  constructor(cache: ResponseCache) {
    this.#cache = cache
  }

  async page(request: SiteRequest, key: string, make: () => Promise<SitePage | null>): Promise<SitePage | null> {
    const state = this.#cache.state()
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (state === null || !isRead || request.user.id !== 0) return make()
    const known = this.#cache.get(`PAGE ${key}`, state)
    if (known !== undefined) {
      known.hits += 1
      return this.#sent(known, 'HIT')
    }
    const registered = registrations()
    const flightKey = `${registered} PAGE ${key}`
    const other = this.#cache.flights.get(flightKey)
    const landed = other === undefined ? null : await join(other, request)
    if (landed !== null) return this.#sent(landed, 'HIT')
    const work = currentWork()
    const flight = work === undefined ? null : this.#cache.flights.begin(flightKey, work)
    let entry: Entry | null = null
    try {
      const dependencies = new Dependencies()
      const reads = new Set<string>()
      request.headers.reads = reads
      const page = await collectInto(dependencies, make)
      request.headers.reads = null
      if (page === null || page.status !== 200) return page
      if (reads.size === 0) entry = this.#keep(page, key, dependencies, { at: state, registrations: registered })
      if (entry === null) page.headers.set(this.#cache.parts.branding.header('Cache'), 'BYPASS')
      return entry === null ? page : this.#sent(entry, 'MISS')
    } finally {
      flight?.land(entry)
    }
  }

  #keep(
    { headers, body }: SitePage,
    key: string,
    { tags, refusal }: Dependencies,
    made: Pick<Entry, 'at' | 'registrations'>,
  ): Entry | null {
    const work = currentWork()
    if (typeof body !== 'string' || refusal !== null || work?.committed === true || work?.aborted === true) return null
    if (tags.size === 0 || headers.has('Set-Cookie') || isForbidden(headers.get('Cache-Control'))) return null
    const modified = this.#cache.changedAt([...tags])
    const own = {
      key: `PAGE ${key}`,
      route: null,
      endpoint: null,
      headers: headers.toList(),
      tags: [...tags],
      modified,
    }
    const entry = new Entry({ ...own, ...made, body: Buffer.from(body), etag: etagOf(body) })
    return this.#cache.keep(entry) ? entry : null
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
    if (cacheControl !== '') headers.set('Cache-Control', cacheControl)
    if (tagsHeader !== null) {
      const value = tagsValue(entry.tags, tagsHeader)
      if (value === null) headers.set('Cache-Control', 'no-store')
      else headers.set(tagsHeader, value)
    }
    const page: SitePage = { status: 200, headers, body: entry.body }
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
    if (entry === undefined || page.body !== entry.body) return page
    const { hooks, compression, branding } = this.#cache.parts
    const isPlain = !PER_PAGE.some((name) => undeclaredTap(hooks[name]) !== null)
    const isSettledNow = entry.modified === null || isSettled(entry.modified, Date.now())
    if (isPlain && isSettledNow && !isForbidden(page.headers.get('Cache-Control'))) {
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
