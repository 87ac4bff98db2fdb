import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { runDetached, type Migration } from '../../../kernel/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { EmbedBounds, OembedAnswer } from './answer.ts'
import type { RemoteResponse } from './remote-embeds.ts'

export const migrations: readonly Migration[] = [
  {
    name: 'answers',
    sql: ({ integer, text }) => `
      create table oembed__answers (key ${text} not null primary key, answer ${text} not null, until ${integer} not null);
      create index oembed__answers_until on oembed__answers (until)`,
  },
]

/** Milliseconds until a page that could not be embedded is requested again. */
const MISS_TTL_MS = 300_000
/** Maximum stored responses; the ones that expire first are deleted. */
const MAX_STORED_RESPONSES = 10_000

/** Caches responses of other sites in the database until they expire. */
export class EmbedCache {
  readonly #store: Store
  readonly #misses = new LRUCache<string, true>({ max: 1000, ttl: MISS_TTL_MS })
  readonly #pending = new Map<string, Promise<OembedAnswer | null>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns the cached response for a page, or the result of `request`. Concurrent callers share one request. */
  get(url: URL, bounds: EmbedBounds, request: () => Promise<RemoteResponse | null>): Promise<OembedAnswer | null> {
    const key = createHash('sha256')
      .update(JSON.stringify([url.href, bounds.width, bounds.height]))
      .digest('hex')
    if (this.#misses.has(key)) return Promise.resolve(null)
    let answer = this.#pending.get(key)
    if (answer === undefined) {
      // Detached: the request must continue if the first caller aborts.
      answer = runDetached(() => this.#load(key, request)).finally(() => this.#pending.delete(key))
      this.#pending.set(key, answer)
    }
    return answer
  }

  async #load(key: string, request: () => Promise<RemoteResponse | null>): Promise<OembedAnswer | null> {
    const now = Date.now()
    const cached = await this.#store.first(
      sql<{ answer: string }>`select answer from oembed__answers where key = ${key} and until > ${now}`,
    )
    if (cached !== undefined) return JSON.parse(cached.answer) as OembedAnswer
    const response = await request()
    if (response === null) {
      this.#misses.set(key, true)
      return null
    }
    const until = now + response.seconds * 1000
    const answer = JSON.stringify(response.answer)
    await this.#store.transaction(async (tx) => {
      await tx.run(sql`delete from oembed__answers where until <= ${now}`)
      await tx.run(sql`delete from oembed__answers where key in
        (select key from oembed__answers order by until desc limit ${MAX_STORED_RESPONSES} offset ${MAX_STORED_RESPONSES - 1})`)
      await tx.run(sql`insert into oembed__answers (key, answer, until) values (${key}, ${answer}, ${until})
        on conflict (key) do update set answer = excluded.answer, until = excluded.until`)
    })
    return response.answer
  }
}
