import type { Endpoint, Route } from '../../../kernel/index.ts'
import { variantEtag } from '../../requests/conditional/index.ts'
import type { Encoding } from '../compression/index.ts'
import { isSettled, lastModified } from './conditions.ts'

/** What is kept of a response. */
export interface EntryParts {
  /** What tells it from others. */
  readonly key: string
  /** 200, or 404 for a page of the site. */
  readonly status: number
  /** Null for a page of the site. */
  readonly route: Route | null
  readonly endpoint: Endpoint | null
  /** Names and values in turn, as they are before the headers that depend on each request. */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly etag: string
  /** What it is made of. */
  readonly tags: readonly string[]
  /** When something of that changed last, in Unix milliseconds; null where that is unknown. */
  readonly modified: number | null
  /** When it has to be made again, in Unix milliseconds; Infinity where only a change demands that. */
  readonly until: number
  /** The state of the data before anything was read for it. */
  readonly at: number
  /** The plugins, taps and routes before it was made (`registrations`). */
  readonly registrations: number
}

/** Bytes that an entry takes beside its texts. */
const ENTRY_OVERHEAD_BYTES = 2000

/** A response that is kept. */
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
  /** The latest state of the data in which it was right. */
  at: number
  /** `Last-Modified`, once it stays what it is. */
  #lastModified: string | null = null
  /** How often it was used. */
  hits = 0
  /** Its body compressed; null while it is being made. */
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

  /** Whether it has to be made again, whatever has changed. */
  get isOver(): boolean {
    return this.until !== Infinity && this.until <= Date.now()
  }

  /** `Last-Modified`; null where that is unknown. @param now Unix milliseconds */
  lastModified(now: number): string | null {
    if (this.#lastModified !== null || this.modified === null) return this.#lastModified
    const told = lastModified(this.modified, now)
    if (isSettled(this.modified, now)) this.#lastModified = told
    return told
  }

  /** Bytes that it takes, about. */
  get size(): number {
    let size = ENTRY_OVERHEAD_BYTES + this.body.length
    for (const text of this.headers) size += text.length
    for (const tag of this.tags) size += tag.length + 24
    for (const bytes of this.encoded.values()) size += bytes?.length ?? 0
    return size
  }

  /** The body in an encoding, with its entity tag; undefined where it is not there. */
  in(encoding: Encoding | null): { body: Buffer; etag: string } | undefined {
    if (encoding === null) return { body: this.body, etag: this.etag }
    const body = this.encoded.get(encoding)
    return body === undefined || body === null ? undefined : { body, etag: variantEtag(this.etag, encoding) }
  }
}
