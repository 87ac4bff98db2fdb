import { RestError } from '../errors.ts'
import { applyFilter } from '../hooks/run.ts'
import { attempt, chain, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { errorResponse, failureResponse, type ErrorContext } from './error-response.ts'
import type { CurrentUser, RestRequest } from './request.ts'
import type { RestResponse } from './response.ts'

/**
 * Finds out which user sends the request, without checking whether the credentials are good. Done once: before the body
 * is read, where it is larger than visitors may send, and otherwise when the request is handled.
 */
export function identify(hooks: Hooks, request: RestRequest): Awaitable<CurrentUser> {
  if (request.isIdentified) return request.user
  return chain(applyFilter(hooks.determine_current_user, request.user, request), (user) => {
    request.isIdentified = true
    request.user = user
    return user
  })
}

/** Identifies the user and checks the credentials; the response that refuses them where they are bad, else null. */
export function authenticate(
  server: ErrorContext & { identify(request: RestRequest): Awaitable<CurrentUser> },
  request: RestRequest,
): Awaitable<RestResponse | null> {
  return attempt<RestResponse | null>(
    () => {
      const identified = server.identify(request)
      const checked = chain(identified, () => applyFilter(server.hooks.rest_authentication_errors, null, request))
      return chain(checked, (error) => (error instanceof RestError ? errorResponse(server, error, request) : null))
    },
    (error) => failureResponse(server, error, request),
  )
}
