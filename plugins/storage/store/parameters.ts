import { errors } from './errors.ts'

/** A parameter as both dialects take it. */
export type Value = string | number | null

/** A number that is compared with a fractional column, where there are no bounds to keep to. */
class Real {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A number as it is, however large: for columns of fractional numbers alone. */
export function real(value: number): unknown {
  return new Real(value)
}

/**
 * Turns the parameters of a query into values that mean the same in both dialects; `Store` says how.
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

/** Keeps numbers within the whole ones of JavaScript: beyond, PostgreSQL refuses what SQLite compares as a float. */
function clamp(number: number): number {
  return Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}
