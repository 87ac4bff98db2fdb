import { RestError, shown, type Arguments, type ArgumentSchema } from '../../../kernel/index.ts'
import { schemaMistake } from './check-schema.ts'
import { isSchema } from './rules.ts'
import { validateValue } from './validate.ts'

/** Everything that is wrong with schemas by name: the properties of an item, or arguments. */
export function schemaMistakes(schemas: unknown, what: 'argument' | 'property'): string[] {
  if (!isSchema(schemas))
    return [`${what === 'argument' ? 'it' : 'its properties'} must be an object of schemas by name`]
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const mistake = schemaMistake(schema) ?? (what === 'argument' ? defaultMistake(schema as ArgumentSchema) : null)
    return mistake === null ? [] : [`the ${what} "${name}" ${mistake}`]
  })
}

/**
 * Describes a mistake in the default of a schema, which no request would check. Null where it fits, where it is null, and where
 * callbacks check values in place of the schema.
 */
export function defaultMistake(schema: ArgumentSchema): string | null {
  const { default: preset = null, validate_callback: own } = schema
  if (preset === null || own !== undefined || fits(schema, preset)) return null
  const result = validateValue(preset, schema, 'it')
  return result instanceof RestError ? `has a default that does not fit it: ${shown(preset)}; ${result.message}` : null
}

/** The first wrong default of some schemas by name: `the argument "limit" has …`. Null if every default fits its schema. */
export function defaultMistakeIn(schemas: Arguments, what: string): string | null {
  for (const [name, schema] of Object.entries(schemas)) {
    const mistake = defaultMistake(schema)
    if (mistake !== null) return `the ${what} "${name}" ${mistake}`
  }
  return null
}

/** Whether a plain default surely fits: to compile the checks of a schema takes a millisecond. */
function fits({ type, enum: listed, ...others }: ArgumentSchema, value: unknown): boolean {
  if (listed !== undefined) return listed.includes(value)
  const { minimum = -Infinity, maximum = Infinity, format, pattern, minLength, maxLength, anyOf, oneOf } = others
  if ([format, pattern, minLength, maxLength, anyOf, oneOf].some((one) => one !== undefined)) return false
  if (type === 'boolean' || type === 'string') return typeof value === type
  if (type === 'integer') return Number.isInteger(value) && Number(value) > minimum && Number(value) < maximum
  return type === 'array' && Array.isArray(value) && value.length === 0 && others.minItems === undefined
}
