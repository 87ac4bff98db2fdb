import { shown, type ArgumentSchema } from '../../../kernel/index.ts'
import { booleanLike, numeric } from './cast.ts'

/** Bounds that need room between them. */
const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const

/**
 * Why a schema contradicts itself, in words that follow its name: `has minimum: 5 above its maximum: 1`. Null where it does
 * not. Each of its keywords has been looked at alone.
 * @param type of the values: that of the schema, or of the one around it
 */
export function contradiction(schema: ArgumentSchema, type: unknown): string | null {
  for (const [least, most] of BOUNDS) {
    const [from, to] = [schema[least], schema[most]]
    if (typeof from === 'number' && typeof to === 'number' && from > to)
      return `has ${least}: ${from} above its ${most}: ${to}: no value fits`
  }
  if (type === undefined) return null
  const types = [type].flat() as string[]
  const { enum: values = [], default: preset = null, validate_callback: own } = schema
  const unfit = (values as unknown[]).find((value) => !types.some((one) => isOf(one, value)))
  if (unfit !== undefined) return `has ${shown(unfit)} in its enum, which is not of type ${types.join(' or ')}`
  if (preset === null || own !== undefined || types.some((one) => isOf(one, preset))) return null
  return `has a default that does not fit it: ${shown(preset)}; it is not of type ${types.join(' or ')}`
}

/** Whether a value is of a type; texts are cast, `'1'` to an integer. */
function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'boolean') return booleanLike(value) !== undefined
  if (type === 'integer' || type === 'number') {
    const number = typeof value === 'string' ? numeric(value) : value
    return type === 'integer' ? Number.isInteger(number) : typeof number === 'number' && !Number.isNaN(number)
  }
  if (type === 'object') return typeof value === 'object' && value !== null
  // A text is split where a list is wanted.
  if (type === 'array') return typeof value === 'object' || typeof value === 'string'
  return typeof value === 'string'
}
