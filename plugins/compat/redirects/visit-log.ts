import type { PluginContext, SiteRequest } from '../../public.ts'
import type { Repository } from './repository.ts'
import { readSettings } from './settings.ts'
import type { MissingUrl } from './types.ts'

/** Milliseconds between two writes of counted visits. */
const FLUSH_INTERVAL_MS = 2000
/** Maximum number of URLs that are counted between two writes. */
const MAX_PENDING = 500
const MAX_URL_LENGTH = 1000
const MAX_HEADER_LENGTH = 255
const DAY_MS = 86_400_000

/** Counts hits of redirects and pages that were not found, and writes them together. */
export class VisitLog {
  readonly #plugin: PluginContext
  readonly #repository: Repository
  #hits = new Map<number, number>()
  #missing = new Map<string, MissingUrl>()
  #timer: NodeJS.Timeout | null = null

  constructor(plugin: PluginContext, repository: Repository) {
    this.#plugin = plugin
    this.#repository = repository
  }

  /** Counts a hit of a redirect. */
  hit(id: number): void {
    this.#hits.set(id, (this.#hits.get(id) ?? 0) + 1)
    this.#start()
  }

  /** Counts a page that was not found. Neither the address nor the user is recorded. */
  miss({ url, headers }: SiteRequest): void {
    const key = url.slice(0, MAX_URL_LENGTH)
    const before = this.#missing.get(key)
    if (before === undefined && this.#missing.size >= MAX_PENDING) return
    this.#missing.set(key, {
      url: key,
      hits: (before?.hits ?? 0) + 1,
      agent: (headers.get('user-agent') ?? '').slice(0, MAX_HEADER_LENGTH),
      referrer: (headers.get('referer') ?? '').slice(0, MAX_HEADER_LENGTH),
      last_access: utc(Date.now()),
    })
    this.#start()
  }

  /** Writes what has been counted. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const [hits, missing] = [this.#hits, [...this.#missing.values()]]
    this.#hits = new Map()
    this.#missing = new Map()
    if (hits.size === 0 && missing.length === 0) return
    const { expire_404: days, track_hits: counts } = await readSettings(this.#plugin)
    const time = utc(Date.now())
    if (counts) for (const [id, count] of hits) await this.#repository.addHits(id, { hits: count, last_access: time })
    if (missing.length > 0 && days >= 0)
      await this.#repository.addMissing(missing, days === 0 ? '' : utc(Date.now() - days * DAY_MS))
  }

  #start(): void {
    this.#timer ??= setTimeout(() => {
      this.flush().catch((err: unknown) => this.#plugin.log.warn({ err }, 'counting visits failed'))
    }, FLUSH_INTERVAL_MS).unref()
  }
}

/** Formats Unix milliseconds: `2026-01-31 10:15:00`. */
export function utc(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}
