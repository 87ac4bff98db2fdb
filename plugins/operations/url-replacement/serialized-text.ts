/** Start of a string with its announced length in bytes. */
const STRING_START = /s:\d{1,10}:"/g
/** Levels of nested values. */
const MAX_LEVELS = 200

/** Whether a text looks like a list, an object or a string that PHP has serialized. */
export function looksLikePhp(text: string): boolean {
  return /^[aOsCE]:\d+:/.test(text) && /[;}]$/.test(text)
}

/**
 * Changes the strings in a value that PHP has serialized, and corrects their lengths. Class names and keys do not
 * change. If the value is damaged, the lengths of the changed strings are set and all others are left as they are.
 */
export function changeSerialized(text: string, change: (text: string) => string): string {
  try {
    return new SerializedText(text, change).changed()
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error
    return changeDamaged(text, change)
  }
}

/** Changes what looks like strings, each up to the next quote with a semicolon. */
function changeDamaged(text: string, change: (text: string) => string): string {
  let changed = ''
  let done = 0
  for (const { 0: start, index } of text.matchAll(STRING_START)) {
    const begin = index + start.length
    if (index < done) continue
    const end = text.indexOf('";', begin)
    if (end < 0) break
    const content = text.slice(begin, end)
    const next = change(content)
    if (next === content) continue
    changed += text.slice(done, index) + stringOf(next)
    done = end + 2
  }
  return changed + text.slice(done)
}

class DamagedError extends Error {}

function stringOf(text: string): string {
  return `s:${Buffer.byteLength(text)}:"${text}";`
}

/** Copies a serialized value with changed strings. */
class SerializedText {
  readonly #bytes: Buffer
  readonly #change: (text: string) => string
  #at = 0
  #levels = 0

  constructor(text: string, change: (text: string) => string) {
    this.#bytes = Buffer.from(text)
    this.#change = change
  }

  changed(): string {
    const value = this.#value(false)
    if (this.#at !== this.#bytes.length) throw new DamagedError()
    return value
  }

  /** @param isKey whether the value is a key, which does not change */
  #value(isKey: boolean): string {
    const kind = String.fromCharCode(this.#bytes[this.#at] ?? 0)
    if (kind === 'N') return this.#take('N;')
    if ('bidrR'.includes(kind)) return this.#until(';')
    if (kind === 's') return this.#string(isKey)
    if (kind === 'E') return this.#named('E', ';')
    if (kind === 'a') return this.#until(':') + this.#entries()
    if (kind === 'O') return this.#named('O', ':') + this.#entries()
    if (kind === 'C') return this.#custom()
    throw new DamagedError()
  }

  #string(isKey: boolean): string {
    this.#take('s:')
    const text = this.#quoted()
    this.#take(';')
    if (isKey) return stringOf(text)
    const isNested = looksLikePhp(text)
    return stringOf(isNested ? changeSerialized(text, this.#change) : this.#change(text))
  }

  /** A length and a quoted name: the class of an object, or an enum. */
  #named(kind: string, end: string): string {
    this.#take(`${kind}:`)
    const name = this.#quoted()
    return `${kind}:${Buffer.byteLength(name)}:"${name}"${this.#take(end)}`
  }

  /** An object that serializes itself, as text of its own format. */
  #custom(): string {
    const start = this.#named('C', ':')
    const length = this.#number(':')
    this.#take('{')
    const content = this.#change(this.#slice(length))
    return `${start}${Buffer.byteLength(content)}:{${content}${this.#take('}')}`
  }

  /** The number of entries, and the keys and values in braces. */
  #entries(): string {
    this.#levels += 1
    if (this.#levels > MAX_LEVELS) throw new DamagedError()
    const count = this.#number(':')
    this.#take('{')
    const parts: string[] = []
    for (let entry = 0; entry < count; entry += 1) parts.push(this.#value(true), this.#value(false))
    this.#levels -= 1
    return `${count}:{${parts.join('')}${this.#take('}')}`
  }

  #quoted(): string {
    const length = this.#number(':')
    this.#take('"')
    const text = this.#slice(length)
    this.#take('"')
    return text
  }

  #number(end: string): number {
    const digits = this.#until(end).slice(0, -1)
    if (!/^\d{1,10}$/.test(digits)) throw new DamagedError()
    return Number(digits)
  }

  #slice(length: number): string {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    const text = bytes.toString()
    // A length that ends within a character is wrong.
    if (bytes.length < length || Buffer.byteLength(text) !== length) throw new DamagedError()
    this.#at += length
    return text
  }

  #until(end: string): string {
    const found = this.#bytes.indexOf(end, this.#at)
    if (found < 0 || found - this.#at > MAX_SCALAR_BYTES) throw new DamagedError()
    const text = this.#bytes.toString('utf8', this.#at, found + 1)
    this.#at = found + 1
    return text
  }

  #take(expected: string): string {
    if (this.#bytes.toString('utf8', this.#at, this.#at + expected.length) !== expected) throw new DamagedError()
    this.#at += expected.length
    return expected
  }
}

/** Bytes of a number, the longest value without a length. */
const MAX_SCALAR_BYTES = 64
