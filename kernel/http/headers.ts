import { reads } from '../reads.ts'

/** A header's value; numbers stay numbers where a client reads them inside an envelope. */
export type HeaderValue = string | number

interface Entry {
  readonly name: string
  /** A list for the lines of `Set-Cookie`. */
  value: HeaderValue | readonly string[]
}

export type Received = Readonly<Record<string, string | string[] | undefined>>

/** The one header that cannot have its values in one line. */
const COOKIE = 'set-cookie'
/**
 * HTTP headers by name, in any case and with `-` or `_` between words (`content_type`); the spelling of the first use is
 * kept. A received header with an underscore in its name is not found: proxies drop it.
 */
export class HeaderMap implements Iterable<[string, HeaderValue]> {
  /** Headers as they came with a request; read in place until the first change. */
  #received: Received | null = null
  /** By name in lower case; null for the headers of a request until the first change. */
  #entries: Map<string, Entry> | null = null
  #isOfRequest = false
  /** Notes the names that are looked for, in lower case, where somebody wants to know; `*` for all. */
  reads: Set<string> | null = null

  /** @param initial values by name */
  constructor(initial: Received | null = null) {
    if (initial !== null) fill(this.#own(), initial)
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
    const entry = this.#entries?.get(key)
    if (entry === undefined) return null
    return typeof entry.value === 'object' ? entry.value.join(', ') : String(entry.value)
  }

  has(name: string): boolean {
    const { key } = spellingOf(name)
    this.note(key)
    return this.#received === null ? this.#own().has(key) : textOf(this.#received, key) !== null
  }

  set(name: string, value: HeaderValue): void {
    const { key, name: spelling } = spellingOf(name)
    const entries = this.#own()
    const entry = entries.get(key)
    if (entry === undefined) entries.set(key, { name: spelling, value })
    else entry.value = value
  }

  /**
   * Adds a value behind those that are there, joined by a comma; a value that is there already is not repeated. Each
   * `Set-Cookie` is sent in a line of its own.
   */
  append(name: string, value: string): void {
    const { key, name: spelling } = spellingOf(name)
    const entries = this.#own()
    const entry = entries.get(key)
    if (entry === undefined) entries.set(key, { name: spelling, value })
    else if (key === COOKIE) entry.value = [entry.value].flat().map(String).concat(value)
    else if (!isAmong(String(entry.value), value)) entry.value = `${String(entry.value)}, ${value}`
  }

  delete(name: string): void {
    this.#own().delete(spellingOf(name).key)
  }

  get size(): number {
    return this.#own().size
  }

  /** Names and values in turn, as `node:http` takes them. */
  toList(): string[] {
    this.note('*')
    const list: string[] = []
    for (const { name, value } of this.#own().values()) {
      if (typeof value !== 'object') list.push(name, String(value))
      else for (const line of value) list.push(name, line)
    }
    return list
  }

  [Symbol.iterator](): Iterator<[string, HeaderValue]> {
    this.note('*')
    const lines: [string, HeaderValue][] = []
    for (const { name, value } of this.#own().values()) {
      if (typeof value !== 'object') lines.push([name, value])
      else for (const line of value) lines.push([name, line])
    }
    return lines[Symbol.iterator]()
  }

  /** The entries, for a change or as a whole. */
  #own(): Map<string, Entry> {
    if (this.#entries !== null) return this.#entries
    const entries = new Map<string, Entry>()
    this.#entries = entries
    if (this.#received !== null) fill(entries, this.#received)
    this.#received = null
    return entries
  }
}

function fill(entries: Map<string, Entry>, values: Received): void {
  for (const name of Object.keys(values)) {
    const value = textOf(values, name)
    if (value !== null) entries.set(name.toLowerCase(), { name, value })
  }
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

interface Spelling {
  /** In lower case. */
  readonly key: string
  readonly name: string
}

/** Spellings by how names are written in the source, which are few and always the same. */
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
