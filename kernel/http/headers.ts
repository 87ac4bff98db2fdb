import { reads } from '../reads.ts'

/** The value of a header. Numbers stay numbers in the JSON of an envelope. */
export type HeaderValue = string | number

interface Entry {
  readonly name: string
  /** A list for the lines of `Set-Cookie`. */
  value: HeaderValue | readonly string[]
}

export type Received = Readonly<Record<string, string | string[] | undefined>>

/** The only header whose values cannot be joined into one line. */
const COOKIE = 'set-cookie'
/**
 * HTTP headers by name. Names are case-insensitive, and `_` means `-` (`content_type`); the spelling of the first use
 * is sent. Received headers with an underscore in their name cannot be read, because proxies drop them.
 */
export class HeaderMap implements Iterable<[string, HeaderValue]> {
  /** Headers as received by Node, read in place until the first change. */
  #received: Received | null = null
  /** Entries by name in lower case; null for the headers of a request until the first change. */
  #entries: Map<string, Entry> | null = null
  #isOfRequest = false
  /** Collects the names that are read, in lower case, and `*` for all; null if they are not recorded. */
  reads: Set<string> | null = null

  /** @param initial values by name */
  constructor(initial: Received | null = null) {
    if (initial !== null) copyEntries(this.#ownEntries(), initial)
  }

  /** Creates the headers of a request from Node's headers: names in lower case, lists only for repeatable headers. */
  static received(headers: Received): HeaderMap {
    const map = new HeaderMap()
    map.#received = headers
    map.#isOfRequest = true
    return map
  }

  /** Records that the current result depends on a header, or on another property of the client. */
  note(name: string): void {
    this.reads?.add(name)
    if (this.#isOfRequest) reads.current()?.refusePart(`it depends on the header ${name}`)
  }

  /** Returns the value as text, or null; several cookies are joined by a comma. */
  get(name: string): string | null {
    const { key } = spellingOf(name)
    this.note(key)
    if (this.#received !== null) return textOf(this.#received, key)
    const entry = this.#entries?.get(key)
    if (entry === undefined) return null
    return typeof entry.value === 'object' ? entry.value.join(', ') : String(entry.value)
  }

  has(name: string): boolean {
    const { key } = spellingOf(name)
    this.note(key)
    return this.#received === null ? this.#ownEntries().has(key) : textOf(this.#received, key) !== null
  }

  set(name: string, value: HeaderValue): void {
    const { key, name: spelling } = spellingOf(name)
    const entries = this.#ownEntries()
    const entry = entries.get(key)
    if (entry === undefined) entries.set(key, { name: spelling, value })
    else entry.value = value
  }

  /**
   * Appends a value to the existing values, separated by a comma, unless it is one of them. Each `Set-Cookie` is sent
   * in a separate line.
   */
  append(name: string, value: string): void {
    const { key, name: spelling } = spellingOf(name)
    const entries = this.#ownEntries()
    const entry = entries.get(key)
    if (entry === undefined) entries.set(key, { name: spelling, value })
    else if (key === COOKIE) entry.value = [entry.value].flat().map(String).concat(value)
    else if (!listIncludes(String(entry.value), value)) entry.value = `${String(entry.value)}, ${value}`
  }

  delete(name: string): void {
    this.#ownEntries().delete(spellingOf(name).key)
  }

  get size(): number {
    return this.#ownEntries().size
  }

  /** Returns alternating names and values, for `writeHead` of `node:http`. */
  toList(): string[] {
    this.note('*')
    const list: string[] = []
    for (const { name, value } of this.#ownEntries().values()) {
      if (typeof value !== 'object') list.push(name, String(value))
      else for (const line of value) list.push(name, line)
    }
    return list
  }

  [Symbol.iterator](): Iterator<[string, HeaderValue]> {
    this.note('*')
    const lines: [string, HeaderValue][] = []
    for (const { name, value } of this.#ownEntries().values()) {
      if (typeof value !== 'object') lines.push([name, value])
      else for (const line of value) lines.push([name, line])
    }
    return lines[Symbol.iterator]()
  }

  /** Returns the entries for a change or an iteration; copies received headers at the first call. */
  #ownEntries(): Map<string, Entry> {
    if (this.#entries !== null) return this.#entries
    const entries = new Map<string, Entry>()
    this.#entries = entries
    if (this.#received !== null) copyEntries(entries, this.#received)
    this.#received = null
    return entries
  }
}

function copyEntries(entries: Map<string, Entry>, values: Received): void {
  for (const name of Object.keys(values)) {
    const value = textOf(values, name)
    if (value !== null) entries.set(name.toLowerCase(), { name, value })
  }
}

/** Whether a comma-separated list contains a value. */
function listIncludes(list: string, value: string): boolean {
  return list.includes(value) && list.split(', ').includes(value)
}

/** Returns a value as text; null if it is missing or inherited. */
function textOf(values: Received, name: string): string | null {
  const value = values[name]
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : null
}

interface Spelling {
  /** The name in lower case. */
  readonly key: string
  readonly name: string
}

/** Cache of spellings by the names in the source code, which are few. */
const spellings = new Map<string, Spelling>()

function spellingOf(name: string): Spelling {
  let spelling = spellings.get(name)
  if (spelling === undefined) {
    const written = name.replaceAll('_', '-')
    spelling = { key: written.toLowerCase(), name: written }
    if (spellings.size < 500) spellings.set(name, spelling)
  }
  return spelling
}
