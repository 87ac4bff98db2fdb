import { RestError, shown, type Arguments, type ArgumentSchema } from '../../../kernel/index.ts'
import { schemaMistake } from './check-schema.ts'
import { isSchema } from './rules.ts'
import { validateValue } from './validate.ts'

/** Returns all mistakes in the schemas of an item's properties or of arguments. */
export function schemaMistakes(schemas: unknown, noun: 'argument' | 'property'): string[] {
  if (!isSchema(schemas))
    return [`${noun === 'argument' ? 'it' : 'its properties'} must be an object of schemas by name`]
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const mistake = schemaMistake(schema) ?? (noun === 'argument' ? defaultMistake(schema as ArgumentSchema) : null)
    return mistake === null ? [] : [`the ${noun} "${name}" ${mistake}`]
  })
}

/**
 * Describes why the default of a schema is invalid: requests without a value are refused. Returns null if it is valid or
 * null, or if a callback replaces the schema's validation.
 */
export function defaultMistake(schema: ArgumentSchema): string | null {
  const { default: preset = null, validate_callback: own } = schema
  if (preset === null || own !== undefined || isValidDefault(schema, preset)) return null
  const result = validateValue(preset, schema, 'it')
  return result instanceof RestError ? `has an invalid default: ${shown(preset)}; ${result.message}` : null
}

/**
 * Returns the first invalid default in schemas by name: `the argument "limit" has …`; null if all defaults are valid.
 */
export function defaultMistakeIn(schemas: Arguments, noun: string): string | null {
  for (const [name, schema] of Object.entries(schemas)) {
    const mistake = defaultMistake(schema)
    if (mistake !== null) return `the ${noun} "${name}" ${mistake}`
  }
  return null
}

/** Returns whether a simple default is certainly valid, which saves compiling the schema (about 1 ms). */
function isValidDefault({ type, enum: listed, ...others }: ArgumentSchema, value: unknown): boolean {
  if (listed !== undefined) return listed.includes(value)
  const { minimum = -Infinity, maximum = Infinity, format, pattern, minLength, maxLength, anyOf, oneOf } = others
  if ([format, pattern, minLength, maxLength, anyOf, oneOf].some((one) => one !== undefined)) return false
  if (type === 'boolean' || type === 'string') return typeof value === type
  if (type === 'integer') return Number.isInteger(value) && Number(value) > minimum && Number(value) < maximum
  return type === 'array' && Array.isArray(value) && value.length === 0 && others.minItems === undefined
}
