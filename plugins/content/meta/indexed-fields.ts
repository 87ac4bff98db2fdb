import { parseValue } from '../../requests/arguments/index.ts'
import { RestError } from '../../../kernel/index.ts'
import { comparesOf, type IndexedField, type IndexedType, type ObjectKind } from '../../storage/field-index/index.ts'
import type { MetaReader } from './reader.ts'
import { EMPTY, valueSchemaOf, type MetaField, type MetaType } from './registry.ts'

/** Field index types by meta type. */
const TYPES: Partial<Record<MetaType, IndexedType>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
}

/** Returns the index type of a key; undefined for lists and objects, which cannot be compared. */
function indexedTypeOf({ type, show_in_rest: shows }: MetaField): IndexedType | undefined {
  const isDate = type === 'string' && typeof shows === 'object' && shows.schema?.format === 'date-time'
  return isDate ? 'date' : TYPES[type]
}

/**
 * Returns the field index definition of a key.
 * @param isShownFor whether objects of a subtype show meta
 */
export function indexedField(
  reader: MetaReader,
  field: MetaField,
  isShownFor: (subtype: string) => boolean,
): IndexedField {
  const { key, objectType, subtype, shown, single, sortable = false, query_callback } = field
  const type = indexedTypeOf(field)!
  const schema = shown?.valueSchema ?? valueSchemaOf(field)
  const { description: _, default: __, context: ___, ...valueSchema } = schema
  return {
    kind: objectType as ObjectKind,
    subtype,
    key,
    name: '',
    shown: shown?.name ?? null,
    type,
    schema,
    compares: comparesOf(field, type),
    sortable,
    single,
    contexts: schema.context ?? null,
    query_callback,
    isShownFor,
    definition: JSON.stringify([single, valueSchema]),
    valuesOf: async (ids) => {
      const stored = await reader.valuesOf(objectType, key, ids)
      const shownOf = (values: readonly unknown[]) =>
        (single ? values.slice(0, 1) : values).map((value) => valueOf(value, field.type, schema))
      return new Map(Array.from(stored, ([id, values]) => [id, shownOf(values)]))
    },
  }
}

/** Parses a stored value by its schema; null if it does not match. */
function valueOf(value: unknown, type: MetaType, schema: IndexedField['schema']): unknown {
  if (value === '' && type !== 'string') return EMPTY[type]
  try {
    return parseValue(value, schema, 'value')
  } catch (error) {
    if (error instanceof RestError) return null
    throw error
  }
}
