/** A flat map as PHP serializes it: the locale of a language, or the translations of a post. */
export type FlatMap = Readonly<Record<string, string | number | boolean>>

/** Maximum number of entries of a map. */
const MAX_ENTRIES = 1000

/** Reads a serialized flat map; an empty map if the text is not exactly one. Takes linear time. */
export function readMap(text: string): FlatMap {
  const start = /^a:(\d{1,4}):\{/.exec(text)
  if (start === null || Number(start[1]) > MAX_ENTRIES) return {}
  const reader = new Reader(text, start[0].length)
  const map: Record<string, string | number | boolean> = Object.create(null) as Record<string, never>
  for (let count = Number(start[1]); count > 0; count -= 1) {
    const key = reader.next()
    const value = reader.next()
    if (key === undefined || typeof key === 'boolean' || value === undefined) return {}
    map[String(key)] = value
  }
  return reader.endsWith('}') ? { ...map } : {}
}

/** Serializes a flat map. Lengths of texts count bytes. */
export function writeMap(map: FlatMap): string {
  const entries = Object.entries(map)
  return `a:${entries.length}:{${entries.map(([key, value]) => `${written(key)}${written(value)}`).join('')}}`
}

function written(value: string | number | boolean): string {
  if (typeof value === 'number') return `i:${value};`
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  return `s:${Buffer.byteLength(value)}:"${value}";`
}

/** Reads scalar values one after another. */
class Reader {
  readonly #bytes: Buffer
  #at: number

  constructor(text: string, at: number) {
    this.#bytes = Buffer.from(text)
    this.#at = at
  }

  /** Returns the next value; undefined if it is not a text, an integer or a boolean. */
  next(): string | number | boolean | undefined {
    const head = this.#bytes.toString('latin1', this.#at, this.#at + 24)
    const plain = /^(?:i:(-?\d{1,15})|b:([01]));/.exec(head)
    if (plain !== null) {
      this.#at += plain[0].length
      return plain[1] === undefined ? plain[2] === '1' : Number(plain[1])
    }
    const text = /^s:(\d{1,6}):"/.exec(head)
    if (text === null) return undefined
    const start = this.#at + text[0].length
    const end = start + Number(text[1])
    if (this.#bytes.toString('latin1', end, end + 2) !== '";') return undefined
    this.#at = end + 2
    return this.#bytes.toString('utf8', start, end)
  }

  /** Whether only this text is left. */
  endsWith(text: string): boolean {
    return this.#bytes.toString('latin1', this.#at) === text
  }
}
