import type { Endpoint, Route } from '../../../kernel/index.ts'
import { variantEtag } from '../../requests/conditional/index.ts'
import type { Encoding } from '../compression/index.ts'
import { isSecondOver, lastModified } from './conditions.ts'

/** The parts of a cached response. */
export interface EntryParts {
  /** Cache key. */
  readonly key: string
  /** 200, or 404 for a page of the site. */
  readonly status: number
  /** Null for a page of the site. */
  readonly route: Route | null
  readonly endpoint: Endpoint | null
  /** Names and values, alternating, without the headers that depend on each request. */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly etag: string
  /** Tags of the data that it depends on. */
  readonly tags: readonly string[]
  /** Time of the last change of that data in Unix milliseconds; null if unknown. */
  readonly modified: number | null
  /** Expiry in Unix milliseconds; Infinity if only changes invalidate it. */
  readonly until: number
  /** State of the data before any of it was read. */
  readonly at: number
  /** Counter of registrations (`registrations`) before the response was created. */
  readonly registrations: number
}

/** Estimated bytes of an entry in addition to its texts. */
const ENTRY_OVERHEAD_BYTES = 2000

/** A cached response. */
export class Entry implements EntryParts {
  readonly key: string
  readonly status: number
  readonly route: Route | null
  readonly endpoint: Endpoint | null
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly etag: string
  readonly tags: readonly string[]
  readonly modified: number | null
  readonly until: number
  readonly registrations: number
  /** Latest state of the data for which the entry was verified. */
  at: number
  /** `Last-Modified`, once it is final. */
  #lastModified: string | null = null
  /** Number of uses. */
  hits = 0
  /** Compressed bodies by encoding; null while one is being compressed. */
  readonly encoded = new Map<Encoding, Buffer | null>()

  constructor(parts: EntryParts) {
    this.key = parts.key
    this.status = parts.status
    this.route = parts.route
    this.endpoint = parts.endpoint
    this.headers = parts.headers
    this.body = parts.body
    this.etag = parts.etag
    this.tags = parts.tags
    this.modified = parts.modified
    this.until = parts.until
    this.at = parts.at
    this.registrations = parts.registrations
  }

  /** Whether the entry has expired. */
  get isOver(): boolean {
    return this.until !== Infinity && this.until <= Date.now()
  }

  /** Returns `Last-Modified`; null if unknown. @param now Unix milliseconds */
  lastModified(now: number): string | null {
    if (this.#lastModified !== null || this.modified === null) return this.#lastModified
    const formatted = lastModified(this.modified, now)
    if (isSecondOver(this.modified, now)) this.#lastModified = formatted
    return formatted
  }

  /** Estimated size in bytes. */
  get size(): number {
    let size = ENTRY_OVERHEAD_BYTES + this.body.length
    for (const text of this.headers) size += text.length
    for (const tag of this.tags) size += tag.length + 24
    for (const bytes of this.encoded.values()) size += bytes?.length ?? 0
    return size
  }

  /** Returns the body in an encoding, with its entity tag; undefined if that is not available yet. */
  inEncoding(encoding: Encoding | null): { body: Buffer; etag: string } | undefined {
    if (encoding === null) return { body: this.body, etag: this.etag }
    const body = this.encoded.get(encoding)
    return body === undefined || body === null ? undefined : { body, etag: variantEtag(this.etag, encoding) }
  }
}
