/**
 * Type rules of specification 7.1 and 7.2 for single values: which strings from HTTP count as a number, a boolean, a
 * list or a map. All functions run in linear time and never throw.
 */

// Decimal numbers only: no hexadecimal, no `Infinity`, no digit separators.
const NUMERIC = /^[ \t\n\r\v\f]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[ \t\n\r\v\f]*$/
const LEADING_NUMBER = /^[ \t\n\r\v\f]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/
const LIST_SEPARATORS = /[ \t\n\r\v\f,]+/
const LIST_INDEX = /^(?:0|-?[1-9]\d*)$/

/** Longest numeric string, in characters. */
const MAX_NUMBER_LENGTH = 1_000

/** Parses a numeric string. @returns NaN if it is not numeric */
export function numeric(text: string): number {
  return text.length <= MAX_NUMBER_LENGTH && NUMERIC.test(text) ? Number(text) : NaN
}

/**
 * Converts a boolean-like value: booleans, `true`, `false`, `0`, `1` in any case, and the integers 0 and 1. Returns
 * undefined for any other value.
 */
export function booleanLike(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === 1 || value === '1') return true
  if (value === 0 || value === '0') return false
  if (typeof value !== 'string' || value.length > 5) return undefined
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** Splits a text at commas and white space, without empty parts. */
export function splitList(text: string): string[] {
  return text.split(LIST_SEPARATORS).filter((part) => part !== '')
}

/**
 * Creates a new list from a list, from a map with numeric keys (`a[0]=`, `a[7]=`), or from a single value. Text is
 * split if `split`, otherwise it becomes the only item; numbers and `true` are treated as text if `loose`. Returns
 * undefined for any other value, including false: as an empty list it would erase the stored one.
 */
export function listOf(value: unknown, split: boolean, loose: boolean): unknown[] | undefined {
  if (Array.isArray(value)) return value.slice()
  if (typeof value === 'string') return split ? splitList(value) : [value]
  if (typeof value === 'number' || typeof value === 'boolean') {
    if (value === false && split) return undefined
    return loose ? (split ? splitList(toText(value)) : [value]) : undefined
  }
  if (typeof value !== 'object' || value === null || !isPlain(value)) return undefined
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every((key) => LIST_INDEX.test(key)) ? Object.values(value) : undefined
}

/**
 * Creates a new map, with own properties only, from a plain object, from an object whose `toJSON` returns one, or from
 * the empty string. An empty list counts too if `loose`, because clients send back the `[]` that some servers return
 * for an empty map. Returns undefined for any other value.
 */
export function mapOf(value: unknown, loose: boolean): Record<string, unknown> | undefined {
  if (value === '' || (loose && Array.isArray(value) && value.length === 0)) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON()
    return typeof json === 'object' && json !== null && isPlain(json) ? { ...json } : undefined
  }
  return isPlain(value) ? { ...value } : undefined
}

/** Returns whether a value is an object literal or has no prototype. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Casts to an integer: takes the leading digits of a text and truncates fractions. Unsafe integers become 0. */
export function toInteger(value: unknown): number {
  const whole = Math.trunc(toNumber(value))
  return Number.isSafeInteger(whole) ? whole + 0 : 0
}

/**
 * Casts to a finite number: the leading number of a text; otherwise 1 for true and non-empty values, 0 for all others.
 */
export function toNumber(value: unknown): number {
  if (typeof value === 'string') value = Number(LEADING_NUMBER.exec(value)?.[1] ?? 0)
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : 0
  return toBoolean(value) ? 1 : 0
}

/** Casts to a boolean: the strings `false` and `0`, null, zero and empty lists or maps are false. */
export function toBoolean(value: unknown): boolean {
  if (typeof value === 'string') return value !== '0' && value.toLowerCase() !== 'false'
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

/** Casts to a string: `1` for true, and '' for false, null, lists and maps. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return value === true ? '1' : ''
}

/** Returns the length of a text in Unicode code points. */
export function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count--
  }
  return count
}

/** Returns whether a number is an integer multiple of another, within floating-point precision. */
export function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

const MAX_CAST_DEPTH = 500

/**
 * Returns a text that is identical for equal values, regardless of the key order of maps. Values below the maximum
 * depth are considered equal.
 */
export function canonical(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth === MAX_CAST_DEPTH) return '…'
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  const keys = Object.keys(value).sort()
  const parts = keys.map(
    (key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key], depth + 1)}`,
  )
  return `{${parts.join(',')}}`
}

/** Returns whether all items of a list differ. */
export function allDifferent(list: readonly unknown[]): boolean {
  return new Set(list.map((item) => canonical(item))).size === list.length
}
