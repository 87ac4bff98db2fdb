import { invalidParam, type RestRequest } from '../../kernel/index.ts'

/** More values than a request needs, and few enough for several lists in one SQL statement. */
const MAX_LIST_VALUES = 4000

/**
 * Returns the distinct values of a list argument; none if the endpoint does not declare the argument, because its
 * values are not validated.
 * @throws rest_invalid_param (400) for more than 4,000 values
 */
export function valuesOf<V extends number | string>(request: RestRequest, name: string): readonly V[] {
  if (request.endpoint?.args[name] === undefined) return []
  const list = [...new Set([(request.get(name) as V | readonly V[] | undefined) ?? []].flat())] as V[]
  if (list.length <= MAX_LIST_VALUES) return list
  throw invalidParam(name, `The parameter ${name} must have at most ${MAX_LIST_VALUES} values.`)
}

/** Returns the limit and offset of the requested page. */
export function pageRange(request: RestRequest): { limit: number; offset: number } {
  const limit = request.get('per_page') as number
  return { limit, offset: ((request.get('page') as number) - 1) * limit }
}

/** Returns the number of the page that begins after so many items. */
export function pageAfter(skipped: number, request: RestRequest): number {
  return Math.ceil(skipped / (request.get('per_page') as number)) + 1
}

/**
 * Returns the IDs that a list is limited to (`include`) and the IDs that it omits (`exclude`). With `include`,
 * `exclude` is ignored, as clients expect (public documentation of such servers' queries).
 * @throws rest_invalid_param (400) for more than 4,000 values
 */
export function includedIds(request: RestRequest): { include: readonly number[]; exclude: readonly number[] } {
  const include = valuesOf<number>(request, 'include')
  return { include, exclude: include.length > 0 ? [] : valuesOf<number>(request, 'exclude') }
}
