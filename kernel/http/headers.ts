import { reads } from '../reads.ts'
import { validateHeaderName, validateHeaderValue } from './node-http.ts'

/** A header's value; numbers stay numbers where a client reads them inside an envelope. */
export type HeaderValue = string | number

interface Entry {
  /** The name in lower case. */
  readonly key: string
  readonly name: string
  value: HeaderValue
}

export type Received = Readonly<Record<string, string | string[] | undefined>>

/** Headers that are looked for in a list. */
const MAX_LISTED_HEADERS = 24
/** The one header that cannot have its values in one line. */
const COOKIE = 'set-cookie'
/** Headers that say where a message ends, and how its bytes are to be read: only who writes them knows. */
const OF_THE_WRITER: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * HTTP headers by name, in any case and with `-` or `_` between words (`content_type`); the spelling of the first use is
 * kept. A received header with an underscore in its name is not found: proxies drop it.
 */
export class HeaderMap implements Iterable<[string, HeaderValue]> {
  /** Headers as they came with a request; read in place until the first change. */
  #received: Received | null = null
  /** A response has a dozen at most, which a list finds as fast as a map. */
  #entries: Entry[] | null = null
  /** The same entries by their keys, once there are more than a few. */
  #index: Map<string, Entry> | null = null
  #isOfRequest = false
  /** Notes the names that are looked for, in lower case, where somebody wants to know; `*` for all. */
  reads: Set<string> | null = null

  /** @param initial values by name */
  constructor(initial: Received | null = null) {
    if (initial !== null) this.#fill(initial)
  }

  /** The headers of a request as Node gives them: names in lower case, lists only where several may be. */
  static received(headers: Received): HeaderMap {
    const map = new HeaderMap()
    map.#received = headers
    map.#isOfRequest = true
    return map
  }

  /** Notes that what is being made depends on a header, or on something else that tells clients from each other. */
  note(name: string): void {
    this.reads?.add(name)
    if (this.#isOfRequest) reads.current()?.refusePart(`it depends on the header ${name}`)
  }

  /** The value as text, or null; several cookies with a comma between them. */
  get(name: string): string | null {
    const { key } = spellingOf(name)
    this.note(key)
    if (this.#received !== null) return textOf(this.#received, key)
    if (key === COOKIE) return this.#cookies()
    const entry = this.#find(key)
    return entry === undefined ? null : String(entry.value)
  }

  has(name: string): boolean {
    const { key } = spellingOf(name)
    this.note(key)
    return this.#received === null ? this.#find(key) !== undefined : textOf(this.#received, key) !== null
  }

  set(name: string, value: HeaderValue): void {
    const { key, name: spelling } = spellingOf(name)
    if (key === COOKIE) this.delete(name)
    this.#put(key, spelling, value)
  }

  /**
   * Adds a value behind those that are there, joined by a comma; a value that is there already is not repeated. Each
   * `Set-Cookie` is sent in a line of its own.
   */
  append(name: string, value: string): void {
    const { key, name: spelling } = spellingOf(name)
    this.#own()
    const entry = this.#find(key)
    if (entry === undefined || key === COOKIE) this.#add({ key, name: spelling, value })
    else if (!isAmong(String(entry.value), value)) entry.value = `${entry.value}, ${value}`
  }

  delete(name: string): void {
    const { key } = spellingOf(name)
    const entries = this.#own()
    if (this.#find(key) === undefined) return
    this.#entries = entries.filter((entry) => entry.key !== key)
    this.#index?.delete(key)
  }

  get size(): number {
    return this.#own().length
  }

  /** Names and values in turn, as `node:http` takes them. */
  toList(): string[] {
    this.note('*')
    const list: string[] = []
    for (const { name, value } of this.#own()) list.push(name, String(value))
    return list
  }

  [Symbol.iterator](): Iterator<[string, HeaderValue]> {
    this.note('*')
    return this.#own()
      .map(({ name, value }): [string, HeaderValue] => [name, value])
      [Symbol.iterator]()
  }

  #cookies(): string | null {
    const values = this.#own().flatMap(({ key, value }) => (key === COOKIE ? [value] : []))
    return values.length === 0 ? null : values.join(', ')
  }

  #find(key: string): Entry | undefined {
    if (this.#index !== null) return this.#index.get(key)
    if (this.#entries === null) return undefined
    for (const entry of this.#entries) if (entry.key === key) return entry
    return undefined
  }

  #put(key: string, name: string, value: HeaderValue): void {
    this.#own()
    const entry = this.#find(key)
    if (entry === undefined) this.#add({ key, name, value })
    else entry.value = value
  }

  #add(entry: Entry): void {
    const entries = this.#own()
    entries.push(entry)
    if (this.#index !== null) this.#index.set(entry.key, entry)
    else if (entries.length > MAX_LISTED_HEADERS) this.#index = new Map(entries.map((one) => [one.key, one]))
  }

  /** The entries, for a change or as a whole. */
  #own(): Entry[] {
    if (this.#received !== null) {
      const received = this.#received
      this.#received = null
      this.#fill(received)
    }
    this.#entries ??= []
    return this.#entries
  }

  #fill(values: Received): void {
    for (const name of Object.keys(values)) {
      const text = textOf(values, name)
      if (text === null) continue
      const key = name.toLowerCase()
      this.#put(this.#index === null ? interned(key) : key, name, text)
    }
  }
}

/**
 * Headers that can be sent with any response: another name or value is refused by a TypeError at once, as are those that
 * say how the bytes of a response are to be read.
 */
export class SendableHeaders extends HeaderMap {
  override set(name: string, value: HeaderValue): void {
    check(name, String(value))
    super.set(name, value)
  }

  override append(name: string, value: string): void {
    check(name, value)
    super.append(name, value)
  }
}

function check(name: string, value: string): void {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  if (OF_THE_WRITER.has(spellingOf(name).key))
    throw new TypeError(`${name} belongs to whoever writes the response: leave it out.`)
}

/** Whether a list has a value. */
function isAmong(list: string, value: string): boolean {
  return list.includes(value) && list.split(', ').includes(value)
}

/** A value as text; null for one that is not there, or inherited. */
function textOf(values: Received, name: string): string | null {
  const value = values[name]
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : null
}

/** Spellings by how names are written in the source, which are few and always the same. */
const spellings = new Map<string, Pick<Entry, 'key' | 'name'>>()

function spellingOf(name: string): Pick<Entry, 'key' | 'name'> {
  let spelling = spellings.get(name)
  if (spelling === undefined) {
    const written = name.replaceAll('_', '-')
    spelling = { key: interned(written.toLowerCase()), name: written }
    if (spellings.size < 500) spellings.set(name, spelling)
  }
  return spelling
}

/** A text as V8 keeps names of properties: two of them are compared by pointer. */
function interned(text: string): string {
  return Object.keys({ [text]: null })[0]!
}
