import { unserialize } from 'php-serialize'

/** The types of a meta value after it is read. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value }

/** A meta value as it is stored: a scalar as plain text, a list or an object as JSON. */
export interface StoredValue {
  value: string
  json: 0 | 1
}

/** Lists and objects nested deeper than this are kept serialized. */
const MAX_NESTING_DEPTH = 64
/** A random end mark appended to a value, so that text with anything after the value is not accepted. */
const END = `${crypto.randomUUID()}`

/**
 * Reads a value that PHP may have serialized. Text that only looks serialized (wrong lengths, trailing text,
 * references, malformed numbers) is returned unchanged. Classes are never instantiated: a plain object (`stdClass`) is
 * read as an object, any other stays text.
 */
export function readValue(text: string): Value {
  if (!looksSerialised(text)) return text
  // XML turns CR LF into LF, so the lengths of multi-line texts may refer to the original line ends.
  return (
    unserialised(text) ??
    (text.includes('\n') ? unserialised(text.replaceAll('\n', '\r\n')) : undefined) ??
    (text === 'N;' ? null : text)
  )
}

/** Whether `readValue` tries to unserialize the text. */
export function looksSerialised(text: string): boolean {
  if (/^[asO]:/.test(text)) return text.endsWith(';') || text.endsWith('}')
  return /^(?:N|b:[01]|i:-?\d{1,20}|d:-?\d+(?:\.\d+)?(?:E[+-]?\d+)?);$/.test(text)
}

/** Converts a value to its stored form. As text, true is `1`; false and null are `''`. */
export function storedValue(value: Value): StoredValue {
  if (typeof value === 'object' && value !== null) return { value: JSON.stringify(value), json: 1 }
  if (typeof value === 'boolean') return { value: value ? '1' : '', json: 0 }
  return { value: value === null ? '' : String(value), json: 0 }
}

/** Whether a value is an object, not a list. */
export function isRecord(value: unknown): value is Record<string, Value> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Applies `change` to every string in the value; keys are not changed. */
export function mapTexts(value: Value, change: (text: string) => string): Value {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]))
}

/** Unserializes a value. Returns undefined if the text is not exactly one serialized value. */
function unserialised(text: string): Value | undefined {
  try {
    const scope = Object.assign(Object.create(null), { stdClass: Plain }) as Record<string, unknown>
    const read = unserialize(`a:2:{i:0;${text}s:${END.length}:"${END}";b:1;}`, scope) as Record<string, unknown>
    if (Object.keys(read).length !== 2 || read[END] !== true) return undefined
    return plain(read[0], 0)
  } catch {
    return undefined
  }
}

/** Represents PHP's `stdClass`. */
class Plain {}

/**
 * Converts a value to JSON types.
 * @throws Error if it contains any other type
 */
function plain(value: unknown, depth: number): Value {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object' || depth >= MAX_NESTING_DEPTH) throw new Error('Not a plain value')
  if (Array.isArray(value)) return value.map((entry) => plain(entry, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Plain.prototype) throw new Error('Not a plain object')
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry, depth + 1)]))
}
