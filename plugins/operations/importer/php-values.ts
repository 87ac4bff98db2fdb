import { phpToJson, unserializePhp, type PhpJson } from '../../library/php/index.ts'
import type { RepairCode } from './repairs.ts'

/** The types of a meta value after it is read. */
export type Value = PhpJson

/** A meta value as it is stored: a scalar as plain text, a list or an object as JSON. */
export interface StoredValue {
  value: string
  json: 0 | 1
}

/**
 * Reads a value that PHP may have serialized. Text that only looks serialized (trailing text, references, malformed
 * numbers) is returned unchanged. Wrong lengths are repaired where the structure of the value is sound. Classes are
 * never instantiated: objects are read as plain data.
 * @param report called for what was repaired, and for text that cannot be read
 */
export function readValue(text: string, report: (code: RepairCode, value: string) => void = () => {}): Value {
  if (!looksSerialised(text)) return text
  const read = unserializePhp(text)
  if (read === undefined) {
    report('serialized-broken', text)
    return text
  }
  const { hasWrongLength, classes } = read.peculiarities
  if (hasWrongLength) report('serialized-lengths', text)
  classes.delete('stdClass')
  if (classes.size > 0) report('serialized-class', [...classes].join(', '))
  return phpToJson(read.value)
}

/** Whether `readValue` tries to unserialize the text. */
export function looksSerialised(text: string): boolean {
  // Also without its end: a value that was cut off must be in the report.
  if (/^(?:a:\d{1,10}:\{|[sO]:\d{1,10}:")/.test(text)) return true
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
