/** A value that PHP has serialized. Arrays whose keys are 0, 1, 2 … are lists, other arrays are maps in PHP's order. */
export type PhpValue = string | number | boolean | null | readonly PhpValue[] | PhpMap
export type PhpMap = ReadonlyMap<string, PhpValue>

/** Arrays nested deeper than this are malformed. */
const MAX_DEPTH = 64
const QUOTE_BYTE = 0x22
const SEMICOLON_BYTE = 0x3b
/** First bytes of a serialized value, and the end of an array: what can follow a text. */
const STARTS: ReadonlySet<number> = new Set(Buffer.from('abdisNO}'))

/**
 * Reads a value that PHP has serialized. A wrong length of a text is repaired if the text has an end, because imports
 * change URLs within serialized texts.
 * @returns undefined for malformed texts, and for values with classes or references
 */
export function readPhp(text: string): PhpValue | undefined {
  const reader = new Reader(Buffer.from(text))
  try {
    const value = reader.value(0)
    return reader.isAtEnd ? value : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Whether a value is an array with keys. */
export const isPhpMap = (value: PhpValue | undefined): value is PhpMap => value instanceof Map

/** Returns a value without maps: as objects, in which JavaScript sorts keys that are numbers. */
export function plainPhp(value: PhpValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...(value as PhpMap)].map(([key, one]) => [key, plainPhp(one)]))
  return Array.isArray(value) ? (value as PhpValue[]).map(plainPhp) : value
}

/** Serializes a value as PHP does. Objects and maps become arrays with their keys. */
export function writePhp(value: unknown): string {
  if (value === null || value === undefined) return 'N;'
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  if (typeof value === 'number') return Number.isSafeInteger(value) ? `i:${value};` : `d:${value};`
  if (typeof value === 'string') return `s:${Buffer.byteLength(value)}:"${value}";`
  if (typeof value !== 'object') return 'N;'
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((one, index) => [index, one])
    : value instanceof Map
      ? [...(value as ReadonlyMap<string, unknown>)]
      : Object.entries(value)
  const inner = entries.map(([key, one]) => `${writePhp(isIndex(key) ? Number(key) : key)}${writePhp(one)}`)
  return `a:${entries.length}:{${inner.join('')}}`
}

/** Whether PHP stores a key as a number. */
function isIndex(key: string | number): boolean {
  return typeof key === 'number' || (key !== '' && String(Number(key)) === key && Number.isSafeInteger(Number(key)))
}

class Malformed extends Error {}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  value(depth: number): PhpValue {
    if (depth > MAX_DEPTH) throw new Malformed()
    const kind = String.fromCharCode(this.#bytes[this.#at] ?? 0)
    if (kind === 'N') {
      this.#skip('N;')
      return null
    }
    this.#skip(`${kind}:`)
    if (kind === 's') return this.#text()
    if (kind === 'a') return this.#array(depth)
    if (kind !== 'b' && kind !== 'i' && kind !== 'd') throw new Malformed()
    const number = Number(this.#until(SEMICOLON_BYTE))
    if (Number.isNaN(number)) throw new Malformed()
    return kind === 'b' ? number === 1 : number
  }

  #text(): string {
    const length = Number(this.#until(0x3a))
    this.#skip('"')
    const start = this.#at
    let end = start + length
    if (!Number.isSafeInteger(length) || !this.#endsAt(end)) end = this.#findEnd(start)
    this.#at = end + 2
    return this.#bytes.toString('utf8', start, end)
  }

  /** Whether a text can end at a position. */
  #endsAt(end: number): boolean {
    if (this.#bytes[end] !== QUOTE_BYTE || this.#bytes[end + 1] !== SEMICOLON_BYTE) return false
    const next = this.#bytes[end + 2]
    return next === undefined || STARTS.has(next)
  }

  #findEnd(start: number): number {
    for (let end = this.#bytes.indexOf(QUOTE_BYTE, start); end >= 0; end = this.#bytes.indexOf(QUOTE_BYTE, end + 1))
      if (this.#endsAt(end)) return end
    throw new Malformed()
  }

  #array(depth: number): PhpValue {
    const count = Number(this.#until(0x3a))
    this.#skip('{')
    const entries = new Map<string, PhpValue>()
    let isList = true
    for (let index = 0; index < count; index += 1) {
      const key = this.value(MAX_DEPTH)
      if (typeof key !== 'string' && typeof key !== 'number') throw new Malformed()
      isList &&= key === index
      entries.set(String(key), this.value(depth + 1))
    }
    this.#skip('}')
    return isList ? [...entries.values()] : entries
  }

  #until(end: number): string {
    const found = this.#bytes.indexOf(end, this.#at)
    if (found <= this.#at || found - this.#at > 40) throw new Malformed()
    const text = this.#bytes.toString('latin1', this.#at, found)
    this.#at = found + 1
    return text
  }

  #skip(expected: string): void {
    const end = this.#at + expected.length
    if (this.#bytes.toString('latin1', this.#at, end) !== expected) throw new Malformed()
    this.#at = end
  }
}
