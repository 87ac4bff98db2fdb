import { createHash } from 'node:crypto'
import type { Row } from '../store/index.ts'
import type { IndexedField } from './field.ts'

/** Longest definition that is stored as text; longer ones are stored as a hash. */
const MAX_DEFINITION_LENGTH = 500
/** Increase it when the stored form of values changes, so that all of them are indexed again. */
const FORMAT_VERSION = 1

/** The stored record of a field. */
export type FieldRow = Row<'indexed_fields'>

/** Returns the key of a field without its definition. */
export function placeOf({ kind, key, name, subtype }: Pick<FieldRow, 'kind' | 'key' | 'name' | 'subtype'>): string {
  return JSON.stringify([kind, key, name, subtype])
}

/** Returns the key of a field with its definition: it changes when the values must be indexed again. */
export function identity(field: IndexedField): string {
  return identityOfRow({ ...field, definition: definitionOf(field) })
}

export function identityOfRow(row: Omit<FieldRow, 'id'>): string {
  return `${placeOf(row)} ${row.definition}`
}

/** Returns a definition short enough for an index of PostgreSQL. */
export function definitionOf({ type, definition }: Pick<IndexedField, 'type' | 'definition'>): string {
  const whole = `${FORMAT_VERSION} ${type} ${definition}`
  return whole.length <= MAX_DEFINITION_LENGTH ? whole : createHash('sha256').update(whole).digest('hex')
}
