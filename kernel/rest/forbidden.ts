import type { ErrorMaker, RestError } from '../errors.ts'
import type { RestRequest } from './request.ts'

/** Returns the status for a refused request: 401 for visitors, 403 for logged-in users (specification 5.2). */
export function authorizationStatus(request: Pick<RestRequest, 'user'>): 401 | 403 {
  return request.user.id === 0 ? 401 : 403
}

/** Creates an error of a table with the status 401 or 403: `forbidden(request, errors.rest_cannot_view)`. */
export function forbidden<A extends unknown[]>(
  request: Pick<RestRequest, 'user'>,
  make: ErrorMaker<A>,
  ...args: A
): RestError {
  return make(...args, { data: { status: authorizationStatus(request) } })
}
