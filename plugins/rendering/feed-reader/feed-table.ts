import { createHash } from 'node:crypto'
import type { Migration } from '../../../kernel/index.ts'
import type { Requester } from '../../foundation/outgoing/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { FeedEntry } from './parse-feed.ts'

export const migrations: readonly Migration[] = [
  {
    name: 'feeds',
    // Times are Unix milliseconds. The asker 0 is the site; entries are JSON, and '' before the first successful fetch.
    sql: ({ integer, text }) => `
      create table feed_reader__feeds (
        key ${text} not null primary key,
        url ${text} not null,
        asker ${integer} not null,
        asked ${integer} not null,
        tried ${integer} not null,
        failures ${integer} not null,
        entries ${text} not null
      )`,
  },
]

/** A stored feed. */
export interface FeedRow {
  readonly key: string
  readonly url: string
  /** ID of the user whose content requested the feed first; 0 for the site. */
  readonly asker: number
  /** Approximate time a page last requested it, in Unix milliseconds. */
  readonly asked: number
  /** Time its last fetch ended, in Unix milliseconds; 0 before the first fetch. */
  readonly tried: number
  /** Number of consecutive failed fetches. */
  readonly failures: number
  /** JSON; `''` before the first successful fetch. */
  readonly entries: string
}

/** Tag of responses that lack a feed because the limit of stored feeds is reached. */
export const ROOM_TAG = 'feeds'

/** Tag of responses that show a feed. */
export const feedTag = (key: string) => `feed:${key}`

/** Returns the key of a feed, a hash of its URL. */
export const feedKey = (url: string) => createHash('sha256').update(url).digest('hex')

export const requesterOf = ({ asker }: FeedRow): Requester => (asker === 0 ? 'site' : asker)

/** Reads and writes stored feeds. */
export class FeedTable {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns the feeds with these keys, in the same order; undefined for feeds that are not stored. */
  async find(keys: readonly string[]): Promise<(FeedRow | undefined)[]> {
    const isKey = this.#store.isIn('key', keys)
    const rows = await this.#store.all(sql<FeedRow>`select * from feed_reader__feeds where ${isKey}`, keys.map(feedTag))
    const byKey = new Map(rows.map((row) => [row.key, row]))
    return keys.map((key) => byKey.get(key))
  }

  async get(key: string): Promise<FeedRow | undefined> {
    return (await this.find([key]))[0]
  }

  /** Counts all feeds, and the feeds of one user or of the site. */
  async count(asker: number): Promise<{ all: number; byAsker: number }> {
    const query = sql<{ total: number; own: number }>`
      select count(*) as total, count(case when asker = ${asker} then 1 end) as own from feed_reader__feeds`
    const row = await this.#store.first(query, [])
    return { all: Number(row?.total ?? 0), byAsker: Number(row?.own ?? 0) }
  }

  /** Adds a feed that has not been fetched. @returns whether it was added; false if it already exists */
  async add({ key, url, asker, asked }: Pick<FeedRow, 'key' | 'url' | 'asker' | 'asked'>): Promise<boolean> {
    const { changes } = await this.#store.run(sql`
      insert into feed_reader__feeds (key, url, asker, asked, tried, failures, entries)
      values (${key}, ${url}, ${asker}, ${asked}, 0, 0, '') on conflict (key) do nothing`)
    return changes > 0
  }

  /** Records that a page requested a feed. */
  async markRequested(key: string, time: number): Promise<void> {
    await this.#store.run(sql`update feed_reader__feeds set asked = ${time} where key = ${key}`)
  }

  /** Stores the entries of a successful fetch. If they changed, invalidates the responses that show them. */
  async setEntries(row: FeedRow, entries: readonly FeedEntry[]): Promise<void> {
    const text = JSON.stringify(entries)
    await this.#store.run(sql`
      update feed_reader__feeds set entries = ${text}, tried = ${Date.now()}, failures = 0 where key = ${row.key}`)
    if (text !== row.entries) await this.announce(row.key)
  }

  /** Records a failed fetch and keeps the stored entries. */
  async setFailures(key: string, failures: number): Promise<void> {
    await this.#store.run(sql`
      update feed_reader__feeds set tried = ${Date.now()}, failures = ${failures} where key = ${key}`)
  }

  async remove(key: string): Promise<void> {
    await this.#store.run(sql`delete from feed_reader__feeds where key = ${key}`)
    await this.announce(key, ROOM_TAG)
  }

  /** Invalidates all cached responses that show a feed. */
  async announce(key: string, ...others: readonly string[]): Promise<void> {
    await this.#store.changes.touch([feedTag(key), ...others])
  }
}
