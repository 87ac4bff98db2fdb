import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import {
  registrations,
  runDetached,
  type Branding,
  type HeaderMap,
  type Hooks,
  type CachedResponse,
  type RestRequest,
  type Urls,
} from '../../../kernel/index.ts'
import { schemeKey, stateOf, type Dependencies } from '../../library/caching/index.ts'
import type { StoreChanges } from '../../storage/store/index.ts'
import type { Compression, Encoding } from '../compression/index.ts'
import type { Entry } from './entry.ts'
import { Flights } from './flights.ts'
import { plainRequest } from './plain-requests.ts'
import { PlainResponse } from './plain-response.ts'
import type { TagsHeader } from './tags-header.ts'

export interface CacheParts {
  readonly hooks: Hooks
  readonly urls: Urls
  readonly branding: Branding
  readonly changes: StoreChanges
  /** Null without the plugin `compression`. */
  readonly compression: Compression | null
  readonly enabled: boolean
  /** Whether the scheme of URLs can depend on the header `X-Forwarded-Proto` (specification 4.1, rule 2). */
  readonly variesByScheme: boolean
  /** Whether the cache header contains the reason for a bypass. */
  readonly debug: boolean
  /** Maximum bytes of all entries. */
  readonly bytes: number
  /** `Cache-Control` of responses to visitors. */
  readonly cacheControl: string
  readonly tagsHeader: TagsHeader | null
  /** Called once for each route or page whose response depends on the header `User-Agent`. */
  readonly onAgentRead: (place: string) => void
}

/** Fraction of all bytes that one entry can use, so that a huge one cannot evict all others. */
const MAX_ENTRY_SHARE = 1 / 8
/** Fraction of all bytes for responses with unlimited variants. */
const BRIEF_SHARE = 1 / 16
/** URLs per entry. */
const MAX_URLS_PER_ENTRY = 8
/** Characters of such a URL. */
const MAX_URL_LENGTH = 2000
/** Hits after which an entry is also stored compressed. */
const MIN_HITS_TO_COMPRESS = 2

/** The cached responses, and an index of them by URL. */
export class ResponseCache {
  readonly parts: CacheParts
  readonly flights = new Flights()
  /** Entries in wrapper objects: LRUCache recomputes the size only for a new value. */
  readonly #entries: LRUCache<string, { readonly entry: Entry }>
  readonly #brief: LRUCache<string, Entry>
  readonly #plain = new Map<string, PlainResponse>()
  readonly #urls = new WeakMap<Entry, string[]>()
  /** Keys of responses that recently could not be stored, so that requests do not wait for each other in vain. */
  readonly #uncacheable = new LRUCache<string, true>({ max: 1000, ttl: 5000 })

  /** Routes and pages for which `onAgentRead` was called. */
  readonly #byAgent = new LRUCache<string, true>({ max: 1000 })

  #registrations = registrations()
  #registeredAt = 0

  /** Reports a route or page whose response depends on `User-Agent`, because crawlers could get a different one. */
  noteReads(reads: ReadonlySet<string>, place: string): void {
    if (!reads.has('user-agent') || this.#byAgent.has(place)) return
    this.#byAgent.set(place, true)
    this.parts.onAgentRead(place)
  }

  constructor(parts: CacheParts) {
    this.parts = parts
    this.#entries = new LRUCache({
      maxSize: parts.bytes,
      maxEntrySize: Math.max(1, Math.floor(parts.bytes * MAX_ENTRY_SHARE)),
      sizeCalculation: ({ entry }) => entry.size,
      dispose: ({ entry }, _, reason) => {
        if (reason !== 'set') this.#forgetUrls(entry)
      },
    })
    this.#brief = new LRUCache({
      maxSize: Math.max(1, Math.floor(parts.bytes * BRIEF_SHARE)),
      sizeCalculation: ({ size }) => size,
    })
  }

  /** Returns the response to a request that is identified by its URL alone; null for other requests. */
  find(incoming: IncomingMessage): CachedResponse | null {
    const plain = this.#plain.get(incoming.url ?? '')
    if (plain === undefined) return null
    const headers = plainRequest(incoming)
    if (headers === null || (this.parts.variesByScheme && headers.isForwarded)) return null
    const state = this.state()
    if (state === null) return null
    const { entry } = plain
    if (!this.#isValid(entry, state)) return null
    const { compression } = this.parts
    const response = plain.respond(headers, (accept) => compression?.pickEncoding(accept) ?? null, this.encode)
    if (response === null) return null
    entry.hits += 1
    // Marks the entry as recently used.
    this.#entries.get(entry.key)
    return response
  }

  /** Returns the state of the data; null if it is unknown and nothing is cached. */
  state(): number | null {
    const { changes, enabled } = this.parts
    return enabled ? stateOf(changes) : null
  }

  /** Returns the state for a request, reusing the one that was read for its items. */
  stateFor({ scope }: RestRequest): number | null {
    return scope.since === null ? this.state() : scope.since.state
  }

  /**
   * Returns when a response last changed, in Unix milliseconds: its data or the registered plugins. Returns null if
   * that is unknown: without tags, or if the response expires by time, because it would change without a new date.
   */
  changedAt({ tags, since, until }: Dependencies): number | null {
    if (tags.size === 0 || until !== Infinity) return null
    const seen = registrations()
    // After a plugin is added, dates from before must not match, because it can change the response.
    if (seen !== this.#registrations) {
      this.#registrations = seen
      this.#registeredAt = Date.now()
    }
    return Math.max(this.#registeredAt, since, this.parts.changes.changedAt([...tags]))
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear()
    this.#brief.clear()
    this.#plain.clear()
    this.#uncacheable.clear()
  }

  /** Returns the entry of a key if it is valid for a state of the data. */
  get(key: string, state: number): Entry | undefined {
    const entry = this.#entries.get(key)?.entry ?? this.#brief.get(key)
    return entry !== undefined && this.#isValid(entry, state) ? entry : undefined
  }

  /** Stores an entry. @returns false if it is too large */
  store(entry: Entry): boolean {
    this.#entries.set(entry.key, { entry })
    return this.#entries.peek(entry.key)?.entry === entry
  }

  /** Stores an entry with unlimited variants, such as a search, in a separate small cache. */
  storeBrief(entry: Entry): boolean {
    this.#brief.set(entry.key, entry)
    return this.#brief.peek(entry.key) === entry
  }

  isBrief(entry: Entry): boolean {
    return this.#brief.peek(entry.key) === entry
  }

  noteUncacheable(key: string): void {
    this.#uncacheable.set(key, true)
  }

  isUncacheable(key: string): boolean {
    return this.#uncacheable.has(key)
  }

  /** Stores an entry by its URL. @param headers headers of its uncompressed body */
  storePlain(url: string, entry: Entry, headers: HeaderMap, isEncodable: boolean): void {
    if (url.length > MAX_URL_LENGTH || schemeKey() === 'tls' || this.#entries.peek(entry.key)?.entry !== entry) return
    const existing = this.#plain.get(url)
    if (existing?.entry === entry) return
    if (existing !== undefined) this.#forgetUrls(existing.entry)
    const urls = this.#urls.get(entry) ?? []
    urls.push(url)
    // Clients can request the same list with any number of URLs.
    if (urls.length > MAX_URLS_PER_ENTRY) this.#plain.delete(urls.shift()!)
    this.#urls.set(entry, urls)
    this.#plain.set(url, new PlainResponse(entry, headers, this.parts.branding.header('Cache'), isEncodable))
  }

  /** Compresses the body of an entry in the background once it has enough hits. */
  readonly encode = (entry: Entry, encoding: Encoding): void => {
    const { compression } = this.parts
    if (
      compression === null ||
      entry.hits + 1 < MIN_HITS_TO_COMPRESS ||
      entry.encoded.has(encoding) ||
      this.isBrief(entry)
    )
      return
    entry.encoded.set(encoding, null)
    const start = () => {
      compression.compress(entry.body, encoding, 'best').then(
        (body) => {
          entry.encoded.set(encoding, body)
          // Unless it has been evicted in the meantime.
          if (this.#entries.peek(entry.key)?.entry === entry) this.#entries.set(entry.key, { entry })
        },
        () => entry.encoded.delete(encoding),
      )
    }
    runDetached(() => setImmediate(start))
  }

  /** Returns whether an entry is valid for a state of the data, and removes it if not. */
  #isValid(entry: Entry, state: number): boolean {
    const isRegistered = entry.registrations === registrations() && !entry.isOver
    if (isRegistered && state <= entry.at) return true
    if (isRegistered && this.parts.changes.unchanged(entry.tags, entry.at)) {
      entry.at = state
      return true
    }
    if (this.#entries.peek(entry.key)?.entry === entry) this.#entries.delete(entry.key)
    if (this.isBrief(entry)) this.#brief.delete(entry.key)
    this.#forgetUrls(entry)
    return false
  }

  #forgetUrls(entry: Entry): void {
    for (const url of this.#urls.get(entry) ?? []) if (this.#plain.get(url)?.entry === entry) this.#plain.delete(url)
    this.#urls.delete(entry)
  }
}
