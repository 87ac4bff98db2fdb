import { createHash } from 'node:crypto'
import { storableText } from '../storable.ts'
import type { ColumnKind } from './table-columns.ts'

/** A value in the form in which both databases are compared: text, or bytes; null for NULL. */
export type CanonicalValue = string | Buffer | null

/** Converts a value as a database returns it. PostgreSQL returns all values as text. */
export function canonicalValue(value: unknown, kind: ColumnKind): CanonicalValue {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return Buffer.from(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (kind === 'bytes') return /^\\x(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text.slice(2), 'hex') : text
  if (kind === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text
  if (kind === 'real') return canonicalNumber(text)
  if (kind === 'time') return canonicalTime(text)
  if (kind === 'json') return canonicalJson(text)
  // PostgreSQL stores neither NUL characters nor lone surrogates.
  return storableText(text)
}

const BOOLEANS: Readonly<Record<string, string>> = { t: '1', true: '1', f: '0', false: '0' }

function canonicalNumber(text: string): string {
  const number = Number(text)
  // Decimals with more digits than a floating-point number has.
  if (text.trim() === '' || Number.isNaN(number) || (!/e/i.test(text) && text.length > 17)) return text
  return String(number)
}

/** Dates and times without a zone are in UTC, as the store binds them. */
function canonicalTime(text: string): string {
  const [, day, time, zone = ''] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text) ?? []
  if (day === undefined || time === undefined) return text
  const offset = zone === '' ? 'Z' : zone.length === 3 ? `${zone}:00` : zone
  const date = new Date(`${day}T${time}${offset}`)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}

/** JSON without regard to whitespace and to the order of keys, which `jsonb` does not keep. */
function canonicalJson(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)))
  } catch {
    return text
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).map(([key, entry]) => [key, sorted(entry)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Counts rows and computes a hash of them that does not depend on their order. */
export class TableDigest {
  rows = 0
  #sum = 0n

  add(rows: readonly (readonly CanonicalValue[])[]): void {
    for (const row of rows) {
      const text = JSON.stringify(row.map((value) => (Buffer.isBuffer(value) ? { hex: value.toString('hex') } : value)))
      this.#sum =
        (this.#sum + BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 32)}`)) % HASH_VALUES
      this.rows += 1
    }
  }

  get hash(): string {
    return this.#sum.toString(16).padStart(32, '0')
  }
}

const HASH_VALUES = 2n ** 128n
