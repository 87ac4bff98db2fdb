import { plainPhp } from '../php-values.ts'
import { defaultOf, isMultiple, isOn, taxonomyInput, type Field } from './model.ts'

/** Returns the value of a field without inner fields in the format `light`. */
export function lightValue(field: Field, stored: unknown): unknown {
  switch (field.type) {
    case 'number':
    case 'range':
      return numberOf(withDefault(field, stored))
    case 'true_false':
      return isOn(withDefault(field, stored) as never)
    case 'image':
    case 'file':
      return stored === undefined ? null : idOf(stored)
    case 'gallery':
    case 'post_object':
    case 'relationship':
    case 'user':
    case 'page_link':
      return stored === undefined ? null : idsOf(stored)
    case 'taxonomy':
      return lightTerms(field, stored)
    case 'date_picker':
      return stored === undefined || stored === '' ? null : stored
    case 'google_map':
      return stored === undefined || stored === '' || isEmptyList(stored) ? null : stored
    case 'select':
      return choiceOf(field, withDefault(field, stored))
    default:
      return withDefault(field, stored)
  }
}

/** Returns the stored value, or the default of the field; null without one. */
export function withDefault(field: Field, stored: unknown): unknown {
  if (stored !== undefined) return stored
  const value = defaultOf(field)
  return value === undefined ? null : plainPhp(value)
}

const isEmptyList = (stored: unknown) =>
  typeof stored === 'object' && stored !== null && Object.keys(stored).length === 0

function numberOf(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return value
  const number = Number(value)
  return Number.isFinite(number) ? number : value
}

/** Returns an ID as a number; other values are returned unchanged. */
export function idOf(value: unknown): unknown {
  if (typeof value === 'number' || typeof value !== 'string') return value
  const id = Number(value)
  return value.trim() !== '' && Number.isInteger(id) ? id : value
}

function idsOf(value: unknown): unknown {
  return Array.isArray(value) ? value.map(idOf) : idOf(value)
}

/** Multiple choices are always lists. */
function choiceOf(field: Field, value: unknown): unknown {
  if (!isMultiple(field)) return Array.isArray(value) ? (value[0] ?? '') : value
  if (value === '' || value === false || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function lightTerms(field: Field, stored: unknown): unknown {
  // The terms of the post, of which it has none.
  if (stored === false) return false
  const ids = [stored].flat().filter((one) => one !== undefined && one !== '' && one !== null)
  if (isMultiple(field)) return ids.map(idOf)
  return taxonomyInput(field) !== '' && ids.length > 0 ? idOf(ids[0]) : null
}
