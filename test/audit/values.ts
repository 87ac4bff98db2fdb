import type { Random } from './random.ts'

/** The schema of an argument in the index and in OPTIONS responses. */
export interface Schema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  default?: unknown
  required?: boolean
  items?: Schema
  properties?: Readonly<Record<string, Schema>> | readonly never[]
}

/** Validity of a value: valid, invalid by a small margin, or arbitrary. */
export type Manner = 'valid' | 'near' | 'hostile'

const WORDS = [
  'a',
  'post',
  'Hello',
  'publish',
  'the text',
  'ü',
  '日本語',
  'x-y_z',
  'p@mail.example',
  'https://x.example/',
]
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const
/** Maximum nesting depth of valid values. */
const MAX_VALID_DEPTH = 6

/** Texts that programs have misinterpreted: SQL, paths, names, numbers, letters, marks. */
const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\u0001\u0008\u001b\u007f',
  '\ud800',
  'a\udc00b',
  '\udbff\ud800',
  '\ufeff',
  '\u202e',
  '\u2028',
  '\ufffe',
  '😀'.repeat(50),
  'e\u0301'.repeat(50),
  'ﬀ',
  'İ',
  'ß',
  '１２３',
  '٣',
  '０x１',
  "'",
  '"',
  '`',
  '\\',
  '\\\\',
  "\\'",
  "'; drop table posts; --",
  "1' or '1'='1",
  '1 or 1=1',
  "') union select 1,2,3 --",
  '$1',
  '?',
  ':id',
  '@x',
  '%',
  '_',
  '%25',
  '%00',
  '*',
  '**',
  '(',
  '((((',
  '[',
  '[]',
  '{}',
  '{{x}}',
  '${x}',
  '../../../../etc/passwd',
  '..\\..\\x',
  '/etc/passwd',
  'C:\\x',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  '//evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'NaN',
  'Infinity',
  '-Infinity',
  '-0',
  '1e309',
  '1e3',
  '0x10',
  '0b1',
  '08',
  '1.5',
  '-1',
  '9007199254740993',
  '9223372036854775808',
  '99999999999999999999999',
  'null',
  'undefined',
  'true',
  'false',
  '0',
  '1',
  '<script>alert(1)</script>',
  '<img src=x onerror=x>',
  '<!-- svc:x {"a":1} /-->',
  '<!-- svc:x {',
  '[gallery ids="1',
  '[caption]',
  ']]>',
  '<![CDATA[',
  '&amp;#x3c;',
  '&#0;',
  '&#x110000;',
  'a,b,c',
  ',',
  ',,,',
  'a\r\nset-cookie: x=1',
  'a\nb',
  '\t',
  '0000-00-00T00:00:00',
  '2024-02-30T25:61:61',
  '9999-12-31T23:59:59Z',
  '2024-01-01T00:00:00+99:99',
  '-0001-01-01T00:00:00',
  '00000000-0000-0000-0000-000000000000',
  '::1',
  '256.256.256.256',
  'a@b',
  '@',
  'a@b@c',
  'UTC+99',
  'Europe/Nowhere',
  'x'.repeat(201),
  'ü'.repeat(201),
]

/** Pieces that cause problems in large numbers. */
const PIECES: readonly string[] = [
  'a',
  ' ',
  '.',
  '..',
  '-',
  '_',
  ',',
  '/',
  '%',
  '\n',
  '\n\n',
  '<',
  '<a',
  '<p>',
  '<b>',
  '<pre>',
  '</pre>',
  '<div>\n',
  '<!--',
  '-->',
  '&',
  '&amp',
  '[',
  '[[',
  '[gallery]',
  '[caption]',
  '[audio src="',
  '"',
  "'",
  'a ',
  ' a',
  'a.',
  '.a',
  '1,',
  '*',
  '(',
  '\\',
  'ü',
  '😀',
  '\ud800',
  'http://',
  'x@',
  '<!-- svc:p -->',
  '<br>\n',
  '<li>',
  '=',
  'x=',
  '{',
  '\t',
  '\r',
]

const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  2,
  10,
  100,
  101,
  1.5,
  0.1,
  1e-7,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  2 ** 63,
  1e21,
  1e308,
  65_536,
]

/** Generates values for arguments from their schemas. */
export class Values {
  readonly #random: Random
  /** IDs of existing objects, so that not all requests refer to missing objects. */
  readonly #ids: readonly number[]
  /** Maximum length of a text or list. */
  readonly #maxLength: number

  constructor(random: Random, ids: readonly number[], maxLength: number) {
    this.#random = random
    this.#ids = ids
    this.#maxLength = maxLength
  }

  /** Returns a value for an argument. */
  of(schema: Schema, manner: Manner): unknown {
    if (manner === 'valid') return this.valid(schema)
    return manner === 'near' ? this.near(schema) : this.hostile(0)
  }

  /** Returns a value that matches the schema. */
  valid(schema: Schema, depth = 0): unknown {
    const random = this.#random
    if (schema.enum !== undefined && schema.enum.length > 0) return random.pick(schema.enum)
    if (schema.default !== undefined && random.chance(0.2)) return schema.default
    const type = typeof schema.type === 'string' ? schema.type : random.pick(schema.type ?? ['string'])
    switch (type) {
      case 'integer':
      case 'number':
        return this.#number(schema)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      case 'array': {
        const length = Math.max(schema.minItems ?? 0, random.below(Math.min(schema.maxItems ?? 4, 4) + 1))
        return Array.from({ length: depth > MAX_VALID_DEPTH ? 0 : length }, () =>
          this.valid(schema.items ?? {}, depth + 1),
        )
      }
      case 'object': {
        const entries = Object.entries(schema.properties ?? {}).filter(() => random.chance(0.6))
        return Object.fromEntries(
          depth > MAX_VALID_DEPTH ? [] : entries.map(([key, of]) => [key, this.valid(of, depth + 1)]),
        )
      }
      default:
        return this.#text(schema)
    }
  }

  /** Returns a value that violates the schema slightly: a bound exceeded by one, another type, one more level. */
  near(schema: Schema): unknown {
    const random = this.#random
    const value = this.valid(schema)
    switch (random.below(12)) {
      case 0:
        return [value]
      case 1:
        return { raw: value }
      case 2:
        return { [random.pick(['0', 'a', '__proto__', 'constructor', ''])]: value }
      case 3:
        return typeof value === 'string' ? Number(value) || 0 : JSON.stringify(value)
      case 4:
        return this.valid({ ...schema, enum: [], type: random.pick(TYPES) })
      case 5:
        return [value, value, random.pick(HOSTILE_TEXTS)]
      case 6:
        return (schema.minimum ?? 0) - 1
      case 7:
        return (schema.maximum ?? 100) + 1
      case 8:
        return `${typeof value === 'string' ? value : ''}${random.pick(HOSTILE_TEXTS)}`
      case 9:
        return 'x'.repeat((schema.maxLength ?? 200) + 1)
      case 10:
        return null
      default:
        return typeof value === 'string' ? value.toUpperCase() : [[value]]
    }
  }

  /** Returns an arbitrary value, regardless of the schema. */
  hostile(depth: number): unknown {
    const random = this.#random
    switch (random.below(depth > 3 ? 4 : 9)) {
      case 0:
        return random.pick(NUMBERS)
      case 1:
      case 2:
        return random.pick(HOSTILE_TEXTS)
      case 3:
        return random.pick([true, false, null, [], {}, '', [[]], [null], [{}]])
      case 4:
        return Array.from({ length: random.below(5) }, () => this.hostile(depth + 1))
      case 5:
        return Object.fromEntries(
          Array.from({ length: random.below(4) }, () => [random.pick(HOSTILE_TEXTS), this.hostile(depth + 1)]),
        )
      case 6:
        return this.#nested()
      case 7:
        return this.long()
      default:
        return this.#longList()
    }
  }

  /** Returns an arbitrary text. */
  hostileText(): string {
    return this.#random.chance(0.9) ? this.#random.pick(HOSTILE_TEXTS) : this.long()
  }

  /**
   * Returns a text or a list with a length between the square root of `maxLength` and `maxLength`.
   * @param pieces pieces of the text
   */
  large(maxLength: number, pieces: readonly string[] = PIECES): string | unknown[] {
    const random = this.#random
    const size = Math.floor(maxLength ** (0.5 + random.next() / 2))
    if (random.chance(0.3)) return this.#longList(size / 5)
    return random.chance(0.5) ? this.long(size) : repeated(random.pick(pieces), size)
  }

  /** Returns a size: mostly small, sometimes up to the maximum. */
  #size(): number {
    return Math.floor(this.#maxLength ** this.#random.next())
  }

  /** Returns a text of a few different pieces, repeated many times. */
  long(size = this.#size()): string {
    const random = this.#random
    const piece = Array.from({ length: 1 + random.below(3) }, () => random.pick(PIECES)).join('')
    const end = random.chance(0.5) ? random.pick(PIECES) : ''
    return repeated(piece, size) + end
  }

  #longList(size = this.#size() / 10): unknown[] {
    const length = Math.ceil(size)
    const one = this.#random.chance(0.5) ? this.#random.pick(HOSTILE_TEXTS) : undefined
    return Array.from({ length }, (_, index) => one ?? index)
  }

  #nested(): unknown {
    let value: unknown = 1
    const list = this.#random.chance(0.5)
    const levels = Math.min(this.#size(), 3000)
    for (let level = 0; level < levels; level += 1) value = list ? [value] : { a: value }
    return value
  }

  #number({ minimum, maximum }: Schema): number {
    const random = this.#random
    if (random.chance(0.2) && minimum !== undefined) return minimum
    if (random.chance(0.2) && maximum !== undefined) return maximum
    if (random.chance(0.5) && this.#ids.length > 0) return random.pick(this.#ids)
    return (minimum ?? 0) + random.below(Math.min((maximum ?? 100) - (minimum ?? 0), 1000) + 1)
  }

  #text({ format, minLength = 0, maxLength = 200 }: Schema): string {
    const random = this.#random
    if (format === 'date-time')
      return `20${20 + random.below(10)}-0${1 + random.below(9)}-1${random.below(10)}T10:00:00`
    if (format === 'email') return `m${random.below(1000)}@mail.example`
    if (format === 'uri') return `https://x${random.below(10)}.example/`
    if (format === 'uuid') return '0189c0de-0000-7000-8000-000000000000'
    if (format === 'ip') return '192.0.2.1'
    const text = random.pick(WORDS)
    return text.padEnd(minLength, 'x').slice(0, maxLength)
  }
}

function repeated(piece: string, size: number): string {
  return piece.repeat(Math.max(1, Math.floor(size / piece.length)))
}
