// The watchdog's thread loads this file: it imports types alone.
import type { RequestNote, RequestNotes } from '../config/index.ts'

/** How many requests are noted at once; further ones are not. */
const MAX_NOTES = 64
/** Bytes of a path or a pattern; longer ones are cut off. */
const TEXT_BYTES = 240

// A note: four numbers, then two texts.
const [ORDER, USER, PATH_LENGTH, ROUTE_LENGTH] = [0, 1, 2, 3]
const NUMBERS_PER_REQUEST = 4
const NOTE_BYTES = NUMBERS_PER_REQUEST * 4 + 2 * TEXT_BYTES

/** The user of a request whose user has not been identified. */
const UNKNOWN_USER = -1

/** A request that was in progress, as `readRequests` returns it. */
export interface RequestInProgress {
  /** Method and path, without the query, which may hold secrets. */
  readonly request: string
  /** Pattern of its route; null for a page, and before the route was found. */
  readonly route: string | null
  /** ID of its user; null if the user was not identified yet. */
  readonly user: number | 'visitor' | null
}

/**
 * Notes the requests in progress in memory that another thread can read while this one is blocked. A note takes some
 * 0.2 µs; responses from the cache are not noted, since no code of a plugin runs for them.
 */
export class RequestsInProgress implements RequestNotes {
  readonly memory = new SharedArrayBuffer(MAX_NOTES * NOTE_BYTES)
  readonly #free = Array.from({ length: MAX_NOTES }, (_, index) => new SharedNote(this, index * NOTE_BYTES))
  #count = 0

  /** Notes a request until `end` is called. @returns its note; null if too many are in progress */
  begin(method: string, url: string): SharedNote | null {
    const note = this.#free.pop()
    if (note === undefined) return null
    this.#count = (this.#count % 0x7fff_ffff) + 1
    note.begin(this.#count, method, url)
    return note
  }

  /** @internal */
  free(note: SharedNote): void {
    this.#free.push(note)
  }
}

/** The note of one request. */
class SharedNote implements RequestNote {
  readonly #all: RequestsInProgress
  readonly #numbers: Int32Array
  readonly #texts: Buffer

  constructor(all: RequestsInProgress, offset: number) {
    this.#all = all
    this.#numbers = new Int32Array(all.memory, offset, NUMBERS_PER_REQUEST)
    this.#texts = Buffer.from(all.memory, offset + NUMBERS_PER_REQUEST * 4, 2 * TEXT_BYTES)
  }

  begin(order: number, method: string, url: string): void {
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    this.#numbers[PATH_LENGTH] = this.#texts.write(`${method} ${path}`, 0, TEXT_BYTES)
    this.#numbers[ROUTE_LENGTH] = 0
    this.#numbers[USER] = UNKNOWN_USER
    this.#numbers[ORDER] = order
  }

  setUser(id: number): void {
    this.#numbers[USER] = id
  }

  setRoute(pattern: string): void {
    this.#numbers[ROUTE_LENGTH] = this.#texts.write(pattern, TEXT_BYTES, TEXT_BYTES)
  }

  end(): void {
    this.#numbers[ORDER] = 0
    this.#all.free(this)
  }
}

/** The requests in progress, the one that began last first. @param memory of the `RequestsInProgress` of another thread */
export function readRequests(memory: SharedArrayBuffer): RequestInProgress[] {
  const found: { readonly order: number; readonly request: RequestInProgress }[] = []
  for (let offset = 0; offset < memory.byteLength; offset += NOTE_BYTES) {
    const numbers = new Int32Array(memory, offset, NUMBERS_PER_REQUEST)
    const texts = Buffer.from(memory, offset + NUMBERS_PER_REQUEST * 4, 2 * TEXT_BYTES)
    const order = numbers[ORDER]!
    if (order === 0) continue
    const user = numbers[USER]!
    const length = numbers[ROUTE_LENGTH]!
    const request = {
      request: texts.toString('utf8', 0, numbers[PATH_LENGTH]),
      route: length === 0 ? null : texts.toString('utf8', TEXT_BYTES, TEXT_BYTES + length),
      user: user === UNKNOWN_USER ? null : user === 0 ? ('visitor' as const) : user,
    }
    found.push({ order, request })
  }
  return found.toSorted((one, other) => other.order - one.order).map(({ request }) => request)
}
