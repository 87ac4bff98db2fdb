/**
 * The type rules of specification 7.1 and 7.2 for single values: what counts as a number, a boolean, a list or a map in
 * text that came over HTTP. Everything here runs in time linear in its input and throws for none.
 */

// Numbers as forms write them: no hexadecimal, no `Infinity`, no digit separators.
const NUMERIC = /^[ \t\n\r\v\f]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[ \t\n\r\v\f]*$/
const LEADING_NUMBER = /^[ \t\n\r\v\f]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/
const LIST_SEPARATORS = /[ \t\n\r\v\f,]+/
const LIST_INDEX = /^(?:0|-?[1-9]\d*)$/

/** More digits than any number needs. */
const LONGEST_NUMBER = 1_000

/** The number that a numeric string says; NaN when it is none. */
export function numeric(text: string): number {
  return text.length <= LONGEST_NUMBER && NUMERIC.test(text) ? Number(text) : NaN
}

/** The boolean that a value is like: booleans, `true`, `false`, `0`, `1` in any case, and the integers 0 and 1. */
export function booleanLike(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === 1 || value === '1') return true
  if (value === 0 || value === '0') return false
  if (typeof value !== 'string' || value.length > 5) return undefined
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** The parts of a comma- or space-separated text; empty parts are left out. */
export function splitList(text: string): string[] {
  return text.split(LIST_SEPARATORS).filter((part) => part !== '')
}

/**
 * A fresh list from a list, from a map whose keys are all numbers (`a[0]=`, `a[7]=`), or from a single value: text is
 * split with `split`, and is otherwise the only item; numbers and `true` are taken for text if `loose`. Undefined for all
 * else. False is no list: as an empty text it would be an empty one, and erase what is stored.
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
 * A fresh map (own properties alone, whatever their names) from a plain object, from an object that serialises to one, or from the empty string. Clients of servers
 * that write an empty map as `[]` send it back so: it counts too if `loose`. Undefined otherwise.
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

/** An object literal, or an object without a prototype of its own kind. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Casts to an integer: leading digits of a text, fractions cut off, what JavaScript cannot hold exactly is 0. */
export function toInteger(value: unknown): number {
  const whole = Math.trunc(toNumber(value))
  return Number.isSafeInteger(whole) ? whole + 0 : 0
}

/** Casts to a finite number: the number that a text starts with, 1 for true and for what is not empty, else 0. */
export function toNumber(value: unknown): number {
  if (typeof value === 'string') value = Number(LEADING_NUMBER.exec(value)?.[1] ?? 0)
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : 0
  return toBoolean(value) ? 1 : 0
}

/** Casts to a boolean: of the strings `false` and `0` are false; null, zero and what is empty are false too. */
export function toBoolean(value: unknown): boolean {
  if (typeof value === 'string') return value !== '0' && value.toLowerCase() !== 'false'
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

/** Casts to a string: `1` for true; what has no text (false, null, lists, maps) is empty. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return value === true ? '1' : ''
}

/** The length of a text in Unicode code points. */
export function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count--
  }
  return count
}

/** Whether a number is a whole multiple of another, as far as floating point can tell. */
export function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

const MAX_CAST_DEPTH = 500

/**
 * A text that is the same for equal values, whatever the order of a map's keys. What lies deeper than any schema
 * compares is equal to all that is as deep.
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

/** Whether a list holds no two equal items. */
export function allDifferent(list: readonly unknown[]): boolean {
  return new Set(list.map((item) => canonical(item))).size === list.length
}
