import { shown, type ArgumentSchema } from '../../../kernel/index.ts'
import { booleanLike, numeric } from './cast.ts'

/** Pairs of lower and upper bounds. */
const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const

/**
 * Describes how valid keywords of a schema contradict each other, worded to follow its name: `has minimum: 5 above its
 * maximum: 1`. Returns null if they do not.
 * @param type type of the schema or, if it has none, of the enclosing one
 */
export function contradiction(schema: ArgumentSchema, type: unknown): string | null {
  for (const [lower, upper] of BOUNDS) {
    const [from, to] = [schema[lower], schema[upper]]
    if (typeof from === 'number' && typeof to === 'number' && from > to)
      return `has ${lower}: ${from} above its ${upper}: ${to}: no value is valid`
  }
  if (type === undefined) return null
  const types = [type].flat() as string[]
  const { enum: values = [], default: preset = null, validate_callback: own } = schema
  const mistyped = (values as unknown[]).find((value) => !types.some((one) => hasType(one, value)))
  if (mistyped !== undefined) return `has ${shown(mistyped)} in its enum, which is not of type ${types.join(' or ')}`
  if (preset === null || own !== undefined || types.some((one) => hasType(one, preset))) return null
  return `has an invalid default: ${shown(preset)}; it is not of type ${types.join(' or ')}`
}

/** Returns whether a value has a type after casting: the text `'1'` is an integer. */
function hasType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'boolean') return booleanLike(value) !== undefined
  if (type === 'integer' || type === 'number') {
    const number = typeof value === 'string' ? numeric(value) : value
    return type === 'integer' ? Number.isInteger(number) : typeof number === 'number' && !Number.isNaN(number)
  }
  if (type === 'object') return typeof value === 'object' && value !== null
  // A text can be split into a list.
  if (type === 'array') return typeof value === 'object' || typeof value === 'string'
  return typeof value === 'string'
}
