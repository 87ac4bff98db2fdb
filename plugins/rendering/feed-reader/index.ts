import { renameDeprecatedKeys } from '../../library/deprecated-names/index.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { definePlugin, messageOf, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { jittered } from '../../library/long-work/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import { isTooOften, type Requester } from '../../foundation/outgoing/index.ts'
import { loaderOf } from '../../storage/store/index.ts'
import { decodeFeed } from './decode-feed.ts'
import { requesterOf, feedKey, FeedTable, feedTag, migrations, ROOM_TAG, type FeedRow } from './feed-table.ts'
import { parseFeed, type FeedEntry } from './parse-feed.ts'

export type { FeedEntry } from './parse-feed.ts'

export interface FeedReaderOptions {
  /** Seconds between two fetches of a feed, varied by up to 20 %. */
  interval: number
  /**
   * Seconds without a request from a page after which a feed is no longer fetched. After twice this time it is removed.
   */
  idle: number
  /** Maximum number of stored feeds. Further feeds are not fetched until others are removed. */
  max_feeds: number
  /** Maximum number of stored feeds requested by the content of one author, or by the site itself. */
  max_per_author: number
}

/** Reads feeds of other sites. */
export interface FeedReader {
  /**
   * Returns the stored entries of a feed. A new feed is fetched in the background, and the call does not wait for it.
   * When the entries change, cached responses that show them are invalidated.
   * @param url with http or https, at most 2,000 characters
   * @returns at most 20 entries, newest first; null until the feed has been fetched once
   */
  entries(url: string, request: FeedRequest): Promise<readonly FeedEntry[] | null>
}

/** Origin of a request for a feed. */
export interface FeedRequest {
  /** Author of the content that shows the feed, or `site`; fetches are charged to it. */
  readonly requester: Requester
  /** Cache of the request: concurrent reads in the same scope are batched. */
  readonly scope: RequestCache
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Reads the entries of feeds of other sites. Jobs fetch the feeds.
     * @example
     * const entries = await services.feedReader.entries('https://blog.example/feed/', { requester: 'site', scope: request.scope })
     */
    feedReader: FeedReader
  }
}

const JOB = 'fetch-feed'
/** Maximum bytes of a feed, and timeout of one fetch including redirects. */
const MAX_BYTES = 1_000_000
const FETCH_TIMEOUT_MS = 10_000
const MAX_URL_LENGTH = 2000
/** Delay before a fetch is retried after the first failure; doubles with each further failure, up to `interval`. */
const FIRST_RETRY_S = 60
/** Attempts to record a page's request for a feed if the database fails, and the delay between them. */
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
    // Feeds cannot be fetched without these plugins; blocks then show no entries.
    if (!has('jobs') || !has('outgoing')) return provide('feedReader', { entries: async () => null })
    const reader = new StoredFeedReader(plugin, options)
    services.jobs.handle(JOB, {
      retries: Infinity,
      delay: FIRST_RETRY_S,
      timeout: 60,
      // Two, so that slow servers do not hold up other jobs.
      concurrency: 2,
      run: (_payload, { key, signal }) => reader.refresh(key, signal),
    })
    provide('feedReader', reader)
    onRemove(() => reader.stop(), 'requests for feeds')
  },
})

class StoredFeedReader implements FeedReader {
  readonly #plugin: PluginContext
  readonly #options: FeedReaderOptions
  readonly #table: FeedTable
  /** Runs work outside the request and transaction of the rendering that starts it. */
  readonly #outside = AsyncLocalStorage.snapshot()
  /** Writes in progress that record requests for feeds, by feed key. */
  readonly #demands = new Map<string, Promise<void>>()
  readonly #stopped = new AbortController()

  /** Must be called while the plugin is applied. */
  constructor(plugin: PluginContext, options: FeedReaderOptions) {
    this.#plugin = plugin
    this.#options = options
    this.#table = new FeedTable(plugin.services.store)
  }

  async entries(text: string, options: FeedRequest): Promise<readonly FeedEntry[] | null> {
    const { requester, scope } = renameDeprecatedKeys(options, 'feed request', { asker: 'requester' })
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
    // The time of the last request is stored only if the stored one is older than 5 % of `idle`, to save writes.
    if (row === undefined || row.asked < Date.now() - this.#options.idle * 50)
      this.#recordRequest(url.href, key, requester)
    return row === undefined || row.entries === '' ? null : (JSON.parse(row.entries) as FeedEntry[])
  }

  /** Stops recording requests for feeds, and waits for writes in progress. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#demands.values())
  }

  /** Fetches a feed if pages still request it, stores its entries, and schedules the next fetch. */
  async refresh(key: string, signal: AbortSignal): Promise<void> {
    const row = await this.#table.get(key)
    if (row === undefined) return
    const { idle, interval } = this.#options
    const idleSeconds = (Date.now() - row.asked) / 1000
    if (idleSeconds > 2 * idle) return this.#inTransaction(() => this.#table.remove(key))
    if (idleSeconds > idle) {
      // Cached pages send no requests: invalidate them, so that pages that show the feed request it again.
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
      this.#plugin.log.info({ host, reason: messageOf(error) }, 'fetching a feed failed')
      // Exceeding the request limit of the author is not a failure of the feed.
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

  /** @throws Error if the request fails or the response is not a feed */
  async #requestFeed(row: FeedRow, signal: AbortSignal): Promise<FeedEntry[]> {
    const response = await this.#plugin.services.outgoing.request(row.url, {
      requester: requesterOf(row),
      background: true,
      headers: { accept: 'application/rss+xml, application/atom+xml, application/xml, text/xml; q=0.9, */*; q=0.1' },
      size: MAX_BYTES,
      timeout: FETCH_TIMEOUT_MS,
      signal,
    })
    if (response.status !== 200) throw new Error(`the server responded with status ${response.status}`)
    const entries = parseFeed(decodeFeed(response.body, response.headers.get('content-type')))
    if (entries === null) throw new Error('the response is not a feed')
    return entries.map((entry) => ({ ...entry, url: webUrl(entry.url, response.url) }))
  }

  /**
   * Schedules the next fetch of a feed, varied by up to 20 %, so that feeds added together are not always fetched
   * together.
   */
  async #plan(key: string, seconds: number): Promise<void> {
    await this.#plugin.services.jobs.add(JOB, null, { key, in: jittered(seconds) })
  }

  /**
   * Records in the background that a page requested a feed. Rendering does not wait for the write, and can run inside a
   * transaction.
   */
  #recordRequest(url: string, key: string, requester: Requester): void {
    if (this.#demands.has(key) || this.#stopped.signal.aborted) return
    const stored = this.#outside(() => this.#storeDemand(url, key, requester === 'site' ? 0 : requester))
      .catch((err: unknown) => {
        if (!this.#stopped.signal.aborted) this.#plugin.log.warn({ err }, 'recording a request for a feed failed')
      })
      .finally(() => this.#demands.delete(key))
    this.#demands.set(key, stored)
  }

  async #storeDemand(url: string, key: string, requester: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#plugin.services.store.inTurn(() => this.#noteDemand(url, key, requester))
      } catch (error) {
        if (attempt === STORE_ATTEMPTS) throw error
        await delay(STORE_RETRY_MS, undefined, { ref: false, signal: this.#stopped.signal })
      }
    }
  }

  /** Adds a feed, or marks a stored one as requested. Only the worker that adds a feed schedules its fetch. */
  async #noteDemand(url: string, key: string, requester: number): Promise<void> {
    const { interval, max_feeds: maxFeeds, max_per_author: maxPerAuthor } = this.#options
    const { jobs } = this.#plugin.services
    const now = Date.now()
    const row = await this.#table.get(key)
    if (row === undefined) {
      const { all, byAsker } = await this.#table.count(requester)
      if (all >= maxFeeds || byAsker >= maxPerAuthor) return
      if (await this.#table.add({ key, url, asker: requester, asked: now })) await jobs.add(JOB, null, { key })
      return
    }
    await this.#table.markRequested(key, now)
    // The feed was idle, or its job was canceled.
    if (row.tried < now - interval * 2000) await jobs.add(JOB, null, { key })
  }

  #inTransaction(work: () => Promise<void>): Promise<void> {
    return this.#plugin.services.store.transaction(work)
  }
}

/** Resolves a URL in a feed; `''` unless it is an http or https URL. */
function webUrl(text: string, base: string): string {
  const url = text === '' ? null : URL.parse(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : ''
}
