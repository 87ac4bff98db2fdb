import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import {
  registrations,
  runDetached,
  type Branding,
  type HeaderMap,
  type Hooks,
  type KeptResponse,
  type RestRequest,
  type Urls,
} from '../../../kernel/index.ts'
import { stateOf, type Dependencies } from '../../library/caching/index.ts'
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
  /** Null where nothing is compressed. */
  readonly compression: Compression | null
  readonly enabled: boolean
  /** Whether the header says why a response is not kept. */
  readonly debug: boolean
  /** Bytes of all entries. */
  readonly bytes: number
  /** `Cache-Control` of what visitors get. */
  readonly cacheControl: string
  readonly tagsHeader: TagsHeader | null
  /** Called once for each route or page whose response depends on the header `User-Agent`. */
  readonly onAgentRead: (where: string) => void
}

/** The part of all bytes that one entry may take, so that one that is huge does not push out all others. */
const MAX_ENTRY_SHARE = 1 / 8
/** The part of all bytes that responses take of which there are as many as clients can think of. */
const BRIEF_PART = 1 / 16
/** URLs by which one entry is found. */
const MOST_URLS = 8
/** Characters of such a URL. */
const LONGEST_URL = 2000
/** Hits from which on it is worth to keep an entry compressed, too. */
const ENOUGH_HITS = 2

/** The responses that are kept, and what is found by the URL alone. */
export class ResponseCache {
  readonly parts: CacheParts
  readonly flights = new Flights()
  /** Boxes of entries: one whose size has changed is put into a new one. */
  readonly #entries: LRUCache<string, { readonly entry: Entry }>
  readonly #brief: LRUCache<string, Entry>
  readonly #plain = new Map<string, PlainResponse>()
  readonly #urls = new WeakMap<Entry, string[]>()
  /** Keys of responses that could not be kept lately: nobody waits for one of these. */
  readonly #unkept = new LRUCache<string, true>({ max: 1000, ttl: 5000 })

  /** Routes and pages of which `onAgentRead` was called. */
  readonly #byAgent = new LRUCache<string, true>({ max: 1000 })

  #registrations = registrations()
  #registeredAt = 0

  /** Reports a route or page whose response was made with a look at `User-Agent`: crawlers may get another one. */
  noteReads(reads: ReadonlySet<string>, where: string): void {
    if (!reads.has('user-agent') || this.#byAgent.has(where)) return
    this.#byAgent.set(where, true)
    this.parts.onAgentRead(where)
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
      maxSize: Math.max(1, Math.floor(parts.bytes * BRIEF_PART)),
      sizeCalculation: ({ size }) => size,
    })
  }

  /** The response to a request that is told from others by its URL alone; null for others. */
  find(incoming: IncomingMessage): KeptResponse | null {
    const plain = this.#plain.get(incoming.url ?? '')
    if (plain === undefined) return null
    const said = plainRequest(incoming)
    if (said === null) return null
    const state = this.state()
    if (state === null) return null
    const { entry } = plain
    if (!this.#isRight(entry, state)) return null
    const { compression } = this.parts
    const found = plain.answer(said, (accept) => compression?.pickEncoding(accept) ?? null, this.encode)
    if (found === null) return null
    entry.hits += 1
    // It is the one that was used last.
    this.#entries.get(entry.key)
    return found
  }

  /** The state of the data; null where it cannot be known, and nothing is kept. */
  state(): number | null {
    const { changes, enabled } = this.parts
    return enabled ? stateOf(changes) : null
  }

  /** The same for a request, once it is known that responses are kept: that of its items was asked for just before. */
  stateFor({ scope }: RestRequest): number | null {
    return scope.since === null ? this.state() : scope.since.state
  }

  /**
   * When a response changed last, in Unix milliseconds: something that its tags name, or what makes responses, or the
   * response by itself. Null where that is unknown: without tags, and where it will change by itself, after which its date
   * would still be this one.
   */
  changedAt({ tags, since, until }: Dependencies): number | null {
    if (tags.size === 0 || until !== Infinity) return null
    const seen = registrations()
    // A client's date from before a plugin came must not pass for what it makes of the response.
    if (seen !== this.#registrations) {
      this.#registrations = seen
      this.#registeredAt = Date.now()
    }
    return Math.max(this.#registeredAt, since, this.parts.changes.changedAt([...tags]))
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear()
    this.#brief.clear()
    this.#plain.clear()
    this.#unkept.clear()
  }

  /** The entry of a key, as long as it is right in a state of the data. */
  get(key: string, state: number): Entry | undefined {
    const entry = this.#entries.get(key)?.entry ?? this.#brief.get(key)
    return entry !== undefined && this.#isRight(entry, state) ? entry : undefined
  }

  /** Keeps an entry, unless it is too large. */
  keep(entry: Entry): boolean {
    this.#entries.set(entry.key, { entry })
    return this.#entries.peek(entry.key)?.entry === entry
  }

  /** Keeps one of which there are as many as clients can think of, such as searches, in a small place of its own. */
  keepBrief(entry: Entry): boolean {
    this.#brief.set(entry.key, entry)
    return this.#brief.peek(entry.key) === entry
  }

  isBrief(entry: Entry): boolean {
    return this.#brief.peek(entry.key) === entry
  }

  noteUnkept(key: string): void {
    this.#unkept.set(key, true)
  }

  isUnkept(key: string): boolean {
    return this.#unkept.has(key)
  }

  /** Has an entry found by its URL alone. @param headers of its plain body */
  keepPlain(url: string, entry: Entry, headers: HeaderMap, isEncodable: boolean): void {
    if (url.length > LONGEST_URL || this.#entries.peek(entry.key)?.entry !== entry) return
    const known = this.#plain.get(url)
    if (known?.entry === entry) return
    if (known !== undefined) this.#forgetUrls(known.entry)
    const urls = this.#urls.get(entry) ?? []
    urls.push(url)
    // The same list may be asked for in other words without end.
    if (urls.length > MOST_URLS) this.#plain.delete(urls.shift()!)
    this.#urls.set(entry, urls)
    this.#plain.set(url, new PlainResponse(entry, headers, this.parts.branding.header('Cache'), isEncodable))
  }

  /** Has the body of an entry encoded, once it is worth it, while nothing else is to be done. */
  readonly encode = (entry: Entry, encoding: Encoding): void => {
    const { compression } = this.parts
    if (compression === null || entry.hits + 1 < ENOUGH_HITS || entry.encoded.has(encoding) || this.isBrief(entry))
      return
    entry.encoded.set(encoding, null)
    const start = () => {
      compression.compress(entry.body, encoding, 'best').then(
        (body) => {
          entry.encoded.set(encoding, body)
          // Unless it has been pushed out, or is stale, meanwhile.
          if (this.#entries.peek(entry.key)?.entry === entry) this.#entries.set(entry.key, { entry })
        },
        () => entry.encoded.delete(encoding),
      )
    }
    runDetached(() => setImmediate(start))
  }

  /** Whether an entry is right in a state of the data; one that is not is forgotten. */
  #isRight(entry: Entry, state: number): boolean {
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
