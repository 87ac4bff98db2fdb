import { errors } from './errors.ts'

/** A parameter as both dialects take it. */
export type Value = string | number | null

/**
 * Turns the parameters of a query into values that mean the same in both dialects; `Store` says how.
 *
 * @throws StoreError STORE_PARAMETER_INVALID
 */
export function toValues(parameters: readonly unknown[]): Value[] {
  return parameters.map(toValue)
}

function toValue(parameter: unknown, index: number): Value {
  if (typeof parameter === 'string') return parameter.includes('\0') ? parameter.replaceAll('\0', '') : parameter
  if (typeof parameter === 'number' && !Number.isNaN(parameter)) return clamp(parameter)
  if (typeof parameter === 'bigint') return clamp(Number(parameter))
  if (typeof parameter === 'boolean') return parameter ? 1 : 0
  if (parameter === null) return null
  if (parameter instanceof Date && !Number.isNaN(parameter.getTime())) return parameter.toISOString()
  const kind = typeof parameter === 'number' ? 'NaN' : Array.isArray(parameter) ? 'list' : typeof parameter
  throw errors.STORE_PARAMETER_INVALID(index + 1, kind)
}

/** Keeps numbers within the whole ones of JavaScript: beyond, PostgreSQL refuses what SQLite compares as a float. */
function clamp(number: number): number {
  return Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}
