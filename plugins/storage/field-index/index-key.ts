import { createHash } from 'node:crypto'
import { parseTimestamp } from '../../requests/arguments/index.ts'
import { storableText } from '../store/index.ts'
import type { IndexedType } from './field.ts'

/** Characters of a text in the index. For longer texts, a hash replaces the rest. */
const MAX_KEY_CHARACTERS = 200

/**
 * Returns the value as the index stores it: dates as seconds since 1970, booleans as 0 or 1. Null if the value does not
 * have the type.
 */
export function indexKey(value: unknown, type: IndexedType): string | number | null {
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : null
    case 'date': {
      const seconds = parseTimestamp(value)
      return seconds === false ? null : seconds
    }
    case 'text':
      return typeof value === 'string' ? textKey(value) : null
  }
}

/** Returns the column of `indexed_values` that holds values of a type. */
export function columnOf(type: IndexedType): 'number' | 'text' {
  return type === 'text' ? 'text' : 'number'
}

/**
 * Returns a key short enough for PostgreSQL's index entries. Equal texts have equal keys; different texts have
 * different keys.
 */
function textKey(text: string): string {
  const whole = storableText(text)
  if (whole.length <= MAX_KEY_CHARACTERS) return whole
  const characters = Array.from(whole)
  if (characters.length <= MAX_KEY_CHARACTERS) return whole
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 32)
  return `${characters.slice(0, MAX_KEY_CHARACTERS).join('')}${hash}`
}
