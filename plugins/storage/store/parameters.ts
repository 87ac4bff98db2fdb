import { errors } from './errors.ts'

/** A parameter in the form that both dialects accept. */
export type Value = string | number | null

/** A number for a floating-point column, which is not clamped. */
class Real {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** Marks a number to be bound without clamping. For columns of floating-point numbers only. */
export function real(value: number): unknown {
  return new Real(value)
}

/**
 * Converts the parameters of a query to values with the same meaning in both dialects; see `Store`.
 *
 * @throws StoreError STORE_PARAMETER_INVALID
 */
export function toValues(parameters: readonly unknown[]): Value[] {
  return parameters.map(toValue)
}

function toValue(parameter: unknown, index: number): Value {
  if (Number.isSafeInteger(parameter)) return parameter as number
  if (typeof parameter === 'string') return parameter.includes('\0') ? parameter.replaceAll('\0', '') : parameter
  if (typeof parameter === 'number' && !Number.isNaN(parameter)) return clamp(parameter)
  if (typeof parameter === 'bigint') return clamp(Number(parameter))
  if (typeof parameter === 'boolean') return parameter ? 1 : 0
  if (parameter === null) return null
  if (parameter instanceof Real && Number.isFinite(parameter.value)) return parameter.value
  if (parameter instanceof Date && !Number.isNaN(parameter.getTime())) return parameter.toISOString()
  const kind = typeof parameter === 'number' ? 'NaN' : Array.isArray(parameter) ? 'list' : typeof parameter
  throw errors.STORE_PARAMETER_INVALID(index + 1, kind)
}

/** Clamps numbers to JavaScript's safe integers: PostgreSQL refuses larger ones, which SQLite compares as floats. */
function clamp(number: number): number {
  return Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}
