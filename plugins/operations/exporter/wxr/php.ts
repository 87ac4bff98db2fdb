import { looksSerialised, readValue, type Value } from '../../importer/index.ts'
import { cleanText } from '../../../../kernel/index.ts'

/** A row of a meta table. */
interface StoredMeta {
  readonly value: string
  /** 1 if `value` is JSON text. */
  readonly json: number
}

/**
 * Returns a meta value as export files contain it: scalars as plain text, lists and objects serialized by PHP. Text
 * that an import would take for serialized is serialized as text, as WordPress does.
 */
export function exportedValue({ value, json }: StoredMeta): string {
  if (json === 1) return serialize(JSON.parse(value) as Value)
  const text = xmlText(value).replace(/\r\n?/g, '\n')
  return looksSerialised(text) && readValue(text) !== text ? serialize(text) : text
}

/** Returns a text without the characters that XML or an import does not accept. */
export function xmlText(text: string): string {
  return cleanText(text).replace(/[\uFFFE\uFFFF]/g, '')
}

/** Serializes a JSON value in the format of PHP's `serialize`. Objects become arrays, as plugins expect them. */
export function serialize(value: Value): string {
  if (value === null) return 'N;'
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  if (typeof value === 'number') return serializeNumber(value)
  if (typeof value === 'string') return serializeText(xmlText(value))
  const entries: readonly (readonly [string | number, Value])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  return `a:${entries.length}:{${entries.map(([key, entry]) => serializeKey(key) + serialize(entry)).join('')}}`
}

function serializeNumber(value: number): string {
  if (Number.isSafeInteger(value)) return `i:${value === 0 ? 0 : value};`
  return `d:${String(value)
    .replace(/^(-?\d+)e/, '$1.0e')
    .replace('e', 'E')};`
}

function serializeText(text: string): string {
  return `s:${Buffer.byteLength(text)}:"${text}";`
}

/** PHP converts keys that are decimal integers to integers. */
function serializeKey(key: string | number): string {
  const isInteger =
    typeof key === 'number' || (/^(?:0|-?[1-9]\d{0,15})$/.test(key) && Number.isSafeInteger(Number(key)))
  return isInteger ? `i:${key};` : serializeText(xmlText(key))
}
