// Shares the requests in progress with the watchdog's thread, which loads this file: it must import only types.
import type { RequestNote, RequestNotes } from '../config/index.ts'

/** Maximum number of requests that are noted at the same time. Further requests are not noted. */
const MAX_NOTES = 64
/** Maximum bytes of a path or a pattern. Longer ones are truncated. */
const TEXT_BYTES = 240

// Layout of a note: four numbers, then two texts.
const [ORDER, USER, PATH_LENGTH, ROUTE_LENGTH] = [0, 1, 2, 3]
const NUMBERS_PER_REQUEST = 4
const NOTE_BYTES = NUMBERS_PER_REQUEST * 4 + 2 * TEXT_BYTES

/** Stored as the user of a request until its user is identified. */
const UNKNOWN_USER = -1

/** A request in progress, as `readRequests` returns it. */
export interface RequestInProgress {
  /** Method and path, without the query, which can contain secrets. */
  readonly request: string
  /** Pattern of its route; null for a page, and before the route is found. */
  readonly route: string | null
  /** ID of its user; null before the user is identified. */
  readonly user: number | 'visitor' | null
}

/**
 * Notes the requests in progress in memory that another thread can read while this thread is blocked. A note takes about
 * 0.2 µs. Responses from the cache are not noted, because no plugin code runs for them.
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

/** Returns the requests in progress, latest first. @param memory the memory of another thread's `RequestsInProgress` */
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
