import { createHash } from 'node:crypto'
import type { Row } from '../store/index.ts'
import type { IndexedField } from './field.ts'

/** Characters of what tells the values of a field from those that it had before, of which more are known by their hash. */
const MOST_CHARACTERS = 500
/** Another number where the same value would be kept in another way. */
const FORMAT_VERSION = 1

/** What is known of a field in the database. */
export type FieldRow = Row<'indexed_fields'>

/** What a field is called. */
export function placeOf({ kind, key, name, subtype }: Pick<FieldRow, 'kind' | 'key' | 'name' | 'subtype'>): string {
  return JSON.stringify([kind, key, name, subtype])
}

/** What tells fields apart. */
export function identity(field: IndexedField): string {
  return identityOfRow({ ...field, definition: definitionOf(field) })
}

export function identityOfRow(row: Omit<FieldRow, 'id'>): string {
  return `${placeOf(row)} ${row.definition}`
}

/** A text that an index of PostgreSQL holds. */
export function definitionOf({ type, definition }: Pick<IndexedField, 'type' | 'definition'>): string {
  const whole = `${FORMAT_VERSION} ${type} ${definition}`
  return whole.length <= MOST_CHARACTERS ? whole : createHash('sha256').update(whole).digest('hex')
}
