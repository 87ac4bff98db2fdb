import { isThenable, type Awaitable } from '../awaitable.ts'
import { RestError } from '../errors.ts'
import type { Hooks } from '../hooks/hook.ts'
import { applyFilter } from '../hooks/run.ts'
import { errorResponse, failureResponse, type ErrorContext } from './error-response.ts'
import type { CurrentUser, RestRequest } from './request.ts'
import type { RestResponse } from './response.ts'

/** The server, as far as the credentials of a request are checked with it. */
interface Server extends ErrorContext {
  identify(request: RestRequest): Awaitable<CurrentUser>
}

/** Identifies the user and checks the credentials. Never throws. @returns the response that refuses them, or null */
export async function authenticate(server: Server, request: RestRequest): Promise<RestResponse | null> {
  try {
    const identified = server.identify(request)
    if (isThenable(identified)) await identified
    const checked = applyFilter(server.hooks.rest_authentication_errors, null, request)
    const error: unknown = isThenable(checked) ? await checked : checked
    return error instanceof RestError ? errorResponse(server, error, request) : null
  } catch (error) {
    return failureResponse(server, error, request)
  }
}

/**
 * Finds out which user sends the request, without checking whether the credentials are good. Done once: before the body
 * is read, where it is larger than visitors may send, and otherwise when the request is handled.
 */
export function identify(hooks: Hooks, request: RestRequest): Awaitable<CurrentUser> {
  if (request.isIdentified) return request.user
  const user = applyFilter(hooks.determine_current_user, request.user, request)
  return isThenable(user) ? user.then((late) => setUser(late, request)) : setUser(user, request)
}

function setUser(user: CurrentUser, request: RestRequest): CurrentUser {
  request.isIdentified = true
  request.user = user
  request.work.root.request = request
  request.note?.setUser(user.id)
  return user
}
