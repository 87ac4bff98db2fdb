import { LONG_TEXT_LIMITS, validateValue } from '../../requests/arguments/index.ts'
import type { ArgumentSchema } from '../../../kernel/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import type { MetaField } from './registry.ts'

/** Validation of the argument `meta`: each value is validated when it is written, where null removes it. */
const ARGUMENT: ArgumentSchema = {
  size_limits: LONG_TEXT_LIMITS,
  validate_callback: (value) => validateValue(value, { type: ['object', 'null'] }, 'meta') === true,
  sanitize_callback: null,
}

/**
 * Returns the schema property `meta` for fields.
 * @param hasTitles whether the schemas of values contain their labels
 */
export function metaSchema(fields: readonly MetaField[], hasTitles: boolean): PropertySchema {
  const shown = fields.flatMap(({ label = '', single, shown: own }) => {
    if (own === null) return []
    const title = (schema: PropertySchema) => (hasTitles ? { title: label, ...schema } : schema)
    const { name, schema } = own
    return [{ name, schema: single ? title(schema) : { ...schema, items: title(schema.items!) } }]
  })
  return {
    description: 'Registered meta.',
    type: 'object',
    context: ['view', 'edit'],
    properties: Object.fromEntries(shown.map(({ name, schema }) => [name, schema])),
    arg_options: ARGUMENT,
  }
}
