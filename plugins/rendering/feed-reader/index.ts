import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { definePlugin, messageOf, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { jittered } from '../../library/long-work/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import { isTooOften, type Asker } from '../../foundation/outgoing/index.ts'
import { loaderOf } from '../../storage/store/index.ts'
import { decodeFeed } from './decode-feed.ts'
import { askerOf, feedKey, FeedTable, feedTag, migrations, ROOM_TAG, type FeedRow } from './feed-table.ts'
import { parseFeed, type FeedEntry } from './parse-feed.ts'

export type { FeedEntry } from './parse-feed.ts'

export interface FeedReaderOptions {
  /** Seconds between two fetches of a feed, 20 % more or less. */
  interval: number
  /** Seconds after which a feed that no page has asked for is left as it is; after twice as long it is removed. */
  idle: number
  /** How many feeds are stored. Further feeds are not fetched until others are removed. */
  max_feeds: number
  /** How many of them the content of one author, or of the site itself, can add. */
  max_per_author: number
}

/** Feeds of other sites. */
export interface FeedReader {
  /**
   * Returns the stored entries of a feed without asking its server, and has the feed fetched in the background if it is new.
   * Cached responses that show the entries are rendered again when the entries change.
   * @param url with http or https, at most 2,000 characters
   * @returns at most 20 entries, newest first; null until the feed has been fetched for the first time
   */
  entries(url: string, request: FeedRequest): Promise<readonly FeedEntry[] | null>
}

/** Who asks for a feed. */
export interface FeedRequest {
  /** The author of the content that shows the feed, or `site`: the fetches count for it. */
  readonly asker: Asker
  /** Cache of the request: feeds that several items ask for at the same time are read together. */
  readonly scope: RequestCache
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Entries of feeds of other sites, which jobs fetch.
     * @example
     * const entries = await services.feedReader.entries('https://blog.example/feed/', { asker: 'site', scope: request.scope })
     */
    feedReader: FeedReader
  }
}

const JOB = 'fetch-feed'
/** Bytes of a feed, and milliseconds for one fetch with its redirects. */
const MAX_BYTES = 1_000_000
const FETCH_TIMEOUT_MS = 10_000
const MAX_URL_LENGTH = 2000
/** Seconds until a feed is fetched again after a first failure; each further wait is twice as long, up to `interval`. */
const FIRST_RETRY_S = 60
/** How often a page's demand for a feed is stored again after the database refused it, and the milliseconds in between. */
const STORE_ATTEMPTS = 5
const STORE_RETRY_MS = 5000

/** Fetches feeds of other sites in jobs, for blocks that show their entries. */
export default definePlugin<FeedReaderOptions>({
  name: 'feed-reader',
  needs: ['store'],
  after: ['jobs', 'outgoing'],
  provides: ['feedReader'],
  migrations,
  options: {
    interval: { default: 3600, type: 'number', minimum: 60 },
    idle: { default: 86_400, type: 'number', minimum: 60 },
    max_feeds: { default: 500, type: 'integer', minimum: 1, maximum: 10_000 },
    max_per_author: { default: 50, type: 'integer', minimum: 1, maximum: 10_000 },
  },
  apply(plugin, options) {
    const { has, onRemove, provide, services } = plugin
    // Without these no feed can be fetched, and the site works all the same.
    if (!has('jobs') || !has('outgoing')) return provide('feedReader', { entries: async () => null })
    const reader = new StoredFeedReader(plugin, options)
    services.jobs.handle(JOB, {
      retries: Infinity,
      delay: FIRST_RETRY_S,
      timeout: 60,
      // The other jobs of the site do not wait for slow servers.
      at_once: 2,
      run: (_payload, { key, signal }) => reader.refresh(key, signal),
    })
    provide('feedReader', reader)
    onRemove(() => reader.stop(), 'demands for feeds')
  },
})

class StoredFeedReader implements FeedReader {
  readonly #plugin: PluginContext
  readonly #options: FeedReaderOptions
  readonly #table: FeedTable
  /** Runs what belongs to no request and no transaction, though a rendering starts it. */
  readonly #outside = AsyncLocalStorage.snapshot()
  /** The demands that are being stored, by the keys of their feeds. */
  readonly #demands = new Map<string, Promise<void>>()
  readonly #stopped = new AbortController()

  /** Must be called while the plugin is applied. */
  constructor(plugin: PluginContext, options: FeedReaderOptions) {
    this.#plugin = plugin
    this.#options = options
    this.#table = new FeedTable(plugin.services.store)
  }

  async entries(text: string, { asker, scope }: FeedRequest): Promise<readonly FeedEntry[] | null> {
    const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text)
    if (url === null) return null
    url.hash = ''
    if (!this.#plugin.services.outgoing.admits(url.href)) return null
    const key = feedKey(url.href)
    const loader = loaderOf(scope, 'feeds of other sites', (keys: readonly string[]) => this.#table.find(keys), {
      of: (one) => [feedTag(one)],
    })
    const row = await loader.load(key)
    if (row === undefined) dependsOn(ROOM_TAG)
    // Not at each rendering: it is a write.
    if (row === undefined || row.asked < Date.now() - this.#options.idle * 50) this.#want(url.href, key, asker)
    return row === undefined || row.entries === '' ? null : (JSON.parse(row.entries) as FeedEntry[])
  }

  /** Stores no further demands, and waits for those that are being stored. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#demands.values())
  }

  /** Fetches a feed that pages ask for, stores its entries, and plans the next fetch. */
  async refresh(key: string, signal: AbortSignal): Promise<void> {
    const row = await this.#table.get(key)
    if (row === undefined) return
    const { idle, interval } = this.#options
    const unasked = (Date.now() - row.asked) / 1000
    if (unasked > 2 * idle) return this.#inTransaction(() => this.#table.remove(key))
    if (unasked > idle) {
      // Cached pages do not ask. If one shows the feed, its next rendering does.
      return this.#inTransaction(async () => {
        await this.#table.announce(key)
        await this.#plan(key, interval)
      })
    }
    let entries: FeedEntry[]
    try {
      entries = await this.#requestFeed(row, signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const { host } = new URL(row.url)
      this.#plugin.log.info({ host, reason: messageOf(error) }, 'a feed could not be fetched')
      // The limit of the author says nothing about the feed.
      const failures = isTooOften(error) ? row.failures : row.failures + 1
      return this.#inTransaction(async () => {
        await this.#table.setFailures(key, failures)
        await this.#plan(key, Math.min(FIRST_RETRY_S * 2 ** Math.max(0, failures - 1), interval))
      })
    }
    await this.#inTransaction(async () => {
      await this.#table.setEntries(row, entries)
      await this.#plan(key, interval)
    })
  }

  /** @throws Error if the feed does not arrive, or the response is not a feed */
  async #requestFeed(row: FeedRow, signal: AbortSignal): Promise<FeedEntry[]> {
    const response = await this.#plugin.services.outgoing.request(row.url, {
      asker: askerOf(row),
      background: true,
      headers: { accept: 'application/rss+xml, application/atom+xml, application/xml, text/xml; q=0.9, */*; q=0.1' },
      size: MAX_BYTES,
      timeout: FETCH_TIMEOUT_MS,
      signal,
    })
    if (response.status !== 200) throw new Error(`its server answers ${response.status}`)
    const entries = parseFeed(decodeFeed(response.body, response.headers.get('content-type')))
    if (entries === null) throw new Error('the response is not a feed')
    return entries.map((entry) => ({ ...entry, url: webUrl(entry.url, response.url) }))
  }

  /** Plans the next fetch of a feed, 20 % earlier or later: feeds that came together do not stay together. */
  async #plan(key: string, seconds: number): Promise<void> {
    await this.#plugin.services.jobs.add(JOB, null, { key, in: jittered(seconds) })
  }

  /**
   * Stores in the background that a page asks for a feed: no page waits for it, and a page may be rendered within a
   * transaction.
   */
  #want(url: string, key: string, asker: Asker): void {
    if (this.#demands.has(key) || this.#stopped.signal.aborted) return
    const stored = this.#outside(() => this.#storeDemand(url, key, asker === 'site' ? 0 : asker))
      .catch((err: unknown) => {
        if (!this.#stopped.signal.aborted) this.#plugin.log.warn({ err }, 'the demand for a feed could not be stored')
      })
      .finally(() => this.#demands.delete(key))
    this.#demands.set(key, stored)
  }

  async #storeDemand(url: string, key: string, asker: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#plugin.services.store.inTurn(() => this.#noteDemand(url, key, asker))
      } catch (error) {
        if (attempt === STORE_ATTEMPTS) throw error
        await delay(STORE_RETRY_MS, undefined, { ref: false, signal: this.#stopped.signal })
      }
    }
  }

  /** Adds a feed, or keeps one that is stored. Of all workers, the one that adds it has it fetched. */
  async #noteDemand(url: string, key: string, asker: number): Promise<void> {
    const { interval, max_feeds: maxFeeds, max_per_author: maxPerAuthor } = this.#options
    const { jobs } = this.#plugin.services
    const now = Date.now()
    const row = await this.#table.get(key)
    if (row === undefined) {
      const { all, own } = await this.#table.count(asker)
      if (all >= maxFeeds || own >= maxPerAuthor) return
      if (await this.#table.add({ key, url, asker, asked: now })) await jobs.add(JOB, null, { key })
      return
    }
    await this.#table.markAsked(key, now)
    // It was idle, or its job was cancelled.
    if (row.tried < now - interval * 2000) await jobs.add(JOB, null, { key })
  }

  #inTransaction(work: () => Promise<void>): Promise<void> {
    return this.#plugin.services.store.transaction(work)
  }
}

/** A URL of a feed as a link of a page; `''` for any that is not of the web. */
function webUrl(text: string, base: string): string {
  const url = text === '' ? null : URL.parse(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : ''
}
