import { isThenable, type Awaitable } from '../awaitable.ts'
import { errors, RestError } from '../errors.ts'
import { shown } from '../text/shown.ts'
import { trace, tracing } from '../tracing.ts'
import { forbidden } from './forbidden.ts'
import type { RestRequest } from './request.ts'
import type { Endpoint, PermissionCheck } from './routes.ts'

/** Tells the log of a mistake of the author of an endpoint. */
type Tell = (endpoint: Endpoint, text: string) => void

/**
 * Whether the user may call the endpoint with this request: null, or the refusal. Only `true` permits.
 * @param tell is told of a check that returns neither true or false nor an error
 */
export function checkPermission(request: RestRequest, endpoint: Endpoint, tell: Tell): Awaitable<RestError | null> {
  const { permission_callback: check } = endpoint
  if (check === null) return null
  const allowed = tracing.handler.hasSubscribers ? tracedCheck(request, check) : check(request)
  return isThenable(allowed)
    ? allowed.then((late) => refusalOf(late, request, endpoint, tell))
    : refusalOf(allowed, request, endpoint, tell)
}

function tracedCheck(request: RestRequest, check: PermissionCheck): ReturnType<PermissionCheck> {
  const told = { part: 'permission' as const, method: request.method, route: request.matchedRoute ?? '', plugin: null }
  return trace(tracing.handler, told, () => check(request))
}

function refusalOf(allowed: unknown, request: RestRequest, endpoint: Endpoint, tell: Tell): RestError | null {
  if (allowed === true) return null
  if (allowed instanceof RestError) return allowed
  if (allowed !== false) {
    const what = `a permission_callback of ${request.method} ${request.matchedRoute} returned ${shown(allowed)}`
    tell(endpoint, `${what}, and the request was refused: return true, false or an error`)
  }
  return forbidden(request, errors.rest_forbidden)
}
