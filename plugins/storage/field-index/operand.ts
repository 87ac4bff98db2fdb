import { parseValue } from '../../requests/arguments/index.ts'
import type { SchemaType } from '../../library/schemas/index.ts'
import type { Compare, IndexedField } from './field.ts'

/**
 * Parses a value of a request by the schema of its field. Limits of the schema, such as `minimum`, apply to equality
 * only: a range can have any bounds.
 * @throws rest_invalid_param
 */
export function operand({ schema }: IndexedField, compare: Compare, value: unknown, param: string): unknown {
  const { type, format } = schema
  const { default: _, ...rest } = schema
  const exact = { ...rest, type: oneType(type) }
  const loose = { type: oneType(type), ...(format !== undefined && { format }) }
  if (compare === 'exists') return parseValue(value, { type: 'boolean' }, param)
  if (compare === 'in' || compare === 'not_in')
    return parseValue(value, { type: 'array', items: exact, minItems: 1, maxItems: MAX_VALUES }, param)
  return parseValue(value, compare === 'eq' || compare === 'ne' ? exact : loose, param)
}

/** Maximum length of a list in a request. */
const MAX_VALUES = 100

/** Returns the types without null, which is not a value. */
function oneType(type: IndexedField['schema']['type']): readonly SchemaType[] {
  return [type ?? []].flat().filter((one) => one !== 'null')
}
