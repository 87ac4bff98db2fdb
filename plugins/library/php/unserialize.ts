/** A value that PHP has serialized. Arrays whose keys are 0, 1, 2 … are lists, other arrays are maps in PHP's order. */
export type PhpValue = string | number | boolean | null | readonly PhpValue[] | PhpMap
export type PhpMap = ReadonlyMap<string, PhpValue>

/** The same value as JSON: with objects, in which JavaScript sorts keys that are numbers. */
export type PhpJson = string | number | boolean | null | PhpJson[] | { [key: string]: PhpJson }

/** Unusual facts about a value that was read. */
export interface Peculiarities {
  /** Whether a length was wrong. */
  hasWrongLength: boolean
  /** Names of classes whose objects are read as plain data. */
  classes: Set<string>
}

/** Lists and objects nested deeper than this are not read. */
const MAX_NESTING_DEPTH = 64
const QUOTE_BYTE = 0x22
/** The text after a string: ends of the lists around it, then the next part or the end of the value. */
const NEXT_TOKEN = /^\}{0,65}(?:[sO]:\d{1,10}:"|a:\d{1,10}:\{|[id]:-?[\dEe.+-]{1,40};|b:[01];|N;|$)/
const MAX_TOKEN_LENGTH = 128
/** Prefix of a private or protected property: the class or a star between NUL characters. */
// oxlint-disable-next-line no-control-regex
const PROPERTY_PREFIX = /^\0[^\0]{0,200}\0/

/**
 * Reads a value that PHP has serialized, in linear time. If the length of a string is wrong, the string ends where the
 * next part of the value follows; the numbers of entries must be right then. Classes are never instantiated: objects
 * are read as plain data. References are not read.
 * @returns undefined if the text is not exactly one value
 */
export function unserializePhp(text: string): { value: PhpValue; peculiarities: Peculiarities } | undefined {
  // A wrong length can fit to a later string by chance, so that the structure is sound only without lengths.
  for (const ignoresLengths of [false, true]) {
    const reader = new Unserializer(text, ignoresLengths)
    try {
      const value = reader.read()
      return { value, peculiarities: reader }
    } catch (error) {
      if (!(error instanceof NotSerialized)) throw error
    }
  }
  return undefined
}

/** Returns a value as JSON. */
export function phpToJson(value: PhpValue): PhpJson {
  if (value instanceof Map) {
    return Object.fromEntries([...(value as PhpMap)].map(([key, one]) => [key, phpToJson(one)]))
  }
  return Array.isArray(value) ? (value as readonly PhpValue[]).map(phpToJson) : (value as PhpJson)
}

class NotSerialized extends Error {}

class Unserializer implements Peculiarities {
  hasWrongLength = false
  readonly classes = new Set<string>()
  readonly #bytes: Buffer
  readonly #ignoresLengths: boolean
  #at = 0

  constructor(text: string, ignoresLengths: boolean) {
    this.#bytes = Buffer.from(text)
    this.#ignoresLengths = ignoresLengths
  }

  read(): PhpValue {
    const value = this.#value(0)
    if (this.#at !== this.#bytes.length) throw new NotSerialized()
    return value
  }

  #value(depth: number): PhpValue {
    const start = this.#token()
    const [whole = '', type, number = ''] = /^([abdiNsO])(?:;|:(-?[\dEe.+-]{1,40})(;|:))/.exec(start) ?? []
    this.#at += whole.length
    if (type === 'N' && whole === 'N;') return null
    if (type === 'b' && /^b:[01];$/.test(whole)) return number === '1'
    if (type === 'i' && /^i:-?\d{1,20};$/.test(whole)) return integer(number)
    if (type === 'd' && /^d:-?\d+(?:\.\d+)?(?:E[+-]?\d+)?;$/i.test(whole)) return finite(Number(number))
    if (!/^[saO]:\d{1,10}:$/.test(whole)) throw new NotSerialized()
    if (type === 's') return this.#string(Number(number), ';')
    if (depth >= MAX_NESTING_DEPTH) throw new NotSerialized()
    if (type === 'a') return this.#entries(Number(number), depth, false)
    this.classes.add(this.#string(Number(number), ':'))
    const count = /^(\d{1,10}):/.exec(this.#token())
    if (count === null) throw new NotSerialized()
    this.#at += count[0].length
    return this.#entries(Number(count[1]), depth, true)
  }

  /** Reads the entries of a list or an object, in braces. */
  #entries(count: number, depth: number, isObject: boolean): PhpValue {
    this.#expect('{')
    const entries: [key: string | number, value: PhpValue][] = []
    while (this.#bytes[this.#at] !== 0x7d) {
      const key = this.#value(depth + 1)
      if (entries.length >= count || (typeof key !== 'string' && typeof key !== 'number')) throw new NotSerialized()
      entries.push([typeof key === 'string' ? key.replace(PROPERTY_PREFIX, '') : key, this.#value(depth + 1)])
    }
    this.#expect('}')
    if (entries.length !== count) throw new NotSerialized()
    if (!isObject && entries.every(([key], index) => key === index)) return entries.map(([, value]) => value)
    if (entries.some(([key]) => key === '__proto__')) throw new NotSerialized()
    return new Map(entries.map(([key, value]) => [String(key), value]))
  }

  /** Reads a string in quotation marks, and the character after it. @param length in bytes */
  #string(length: number, after: ';' | ':'): string {
    this.#expect('"')
    const start = this.#at
    const isRight = !this.#ignoresLengths && this.#isEnd(start + length, after)
    const end = isRight ? start + length : this.#findEnd(start, after)
    const text = this.#bytes.toString('utf8', start, end)
    this.#at = end + 2
    if (end === start + length) return text
    // XML turns CR LF into LF, so lengths can count the original line ends.
    const restored = text.replace(/\r?\n/g, '\r\n')
    if (Buffer.byteLength(restored) === length) return restored
    this.hasWrongLength = true
    return text
  }

  /** Whether a string ends at a position: with a quotation mark, before the next part of the value. */
  #isEnd(at: number, after: ';' | ':'): boolean {
    if (this.#bytes[at] !== QUOTE_BYTE || this.#bytes[at + 1] !== after.charCodeAt(0)) return false
    return after === ':' || NEXT_TOKEN.test(this.#tokenAt(at + 2))
  }

  #findEnd(from: number, after: ';' | ':'): number {
    for (let at = this.#bytes.indexOf(QUOTE_BYTE, from); at !== -1; at = this.#bytes.indexOf(QUOTE_BYTE, at + 1)) {
      if (this.#isEnd(at, after)) return at
    }
    throw new NotSerialized()
  }

  #expect(character: string): void {
    if (this.#bytes[this.#at] !== character.charCodeAt(0)) throw new NotSerialized()
    this.#at += 1
  }

  #token(): string {
    return this.#tokenAt(this.#at)
  }

  #tokenAt(at: number): string {
    return this.#bytes.toString('latin1', at, at + MAX_TOKEN_LENGTH)
  }
}

/** An integer; as text if a number would lose digits. */
function integer(text: string): number | string {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  return String(BigInt(text))
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new NotSerialized()
  return value
}
