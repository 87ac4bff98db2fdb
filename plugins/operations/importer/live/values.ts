import { serializePhp } from '../../../library/php/index.ts'
import { isId } from '../id-map.ts'
import { isRecord } from '../php-values.ts'

/** An object of the old site. Its fields can have any type. */
export type OldObject = Record<string, unknown>

/** Returns a text; `''` for other values. Numbers become text. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : ''
}

/** Returns a positive ID; 0 for other values. */
export function idOf(value: unknown): number {
  const id = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && isId(id) ? id : 0
}

/** Returns the IDs in a list, without others. */
export function idsOf(value: unknown): number[] {
  return Array.isArray(value) ? value.map(idOf).filter((id) => id !== 0) : []
}

export function integerOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0
}

/** Returns a nested object; an empty object for other values. PHP sends an empty object as a list. */
export function objectOf(value: unknown): OldObject {
  return isRecord(value) ? value : {}
}

/** Returns a list; an empty one for other values. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the raw form of a field such as `title`; the rendered form if the old site does not send the raw one. */
export function rawOf(value: unknown): string {
  if (typeof value === 'string') return value
  const { raw, rendered } = objectOf(value)
  return typeof raw === 'string' ? raw : text(rendered)
}

/** Whether a field has its raw form. */
export function hasRaw(value: unknown): boolean {
  return typeof value === 'string' || typeof objectOf(value)['raw'] === 'string'
}

/** Whether an object of the old site hides its text, because the requesting user does not know its password. */
export function isBehindPassword({ content }: OldObject): boolean {
  return !hasRaw(content) && objectOf(content)['protected'] === true
}

/** Converts `2024-05-01T12:00:00` (with or without a zone) to `2024-05-01 12:00:00`; `''` for other values and zeros. */
export function dateOf(value: unknown): string {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)/.exec(text(value))
  if (match === null || match[1] === '0000-00-00' || Number.isNaN(Date.parse(`${match[1]}T${match[2]}Z`))) return ''
  return `${match[1]} ${match[2]}`
}

/** Converts a value to the form in which exports contain meta: lists and objects serialized by PHP. */
export function phpText(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : ''
  if (typeof value !== 'object' || value === null) return text(value)
  return serializePhp(value)
}

/** Whether a value is an object, not a list. */
export function isObject(value: unknown): value is OldObject {
  return isRecord(value)
}

/** Splits a text into its words. */
export function words(list: string): string[] {
  return list.trim().split(/\s+/)
}
