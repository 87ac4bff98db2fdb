import type { ErrorMaker, RestError } from '../errors.ts'
import type { RestRequest } from './request.ts'

/** 401 for a visitor, 403 for a user who is logged in (specification 5.2). */
export function authorizationStatus(request: Pick<RestRequest, 'user'>): 401 | 403 {
  return request.user.id === 0 ? 401 : 403
}

/** An error of a table (`defineErrors`) with the status of a refusal: `forbidden(request, errors.rest_cannot_view)`. */
export function forbidden<A extends unknown[]>(
  request: Pick<RestRequest, 'user'>,
  make: ErrorMaker<A>,
  ...args: A
): RestError {
  return make(...args, { data: { status: authorizationStatus(request) } })
}
