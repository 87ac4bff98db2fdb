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
  return chain(applyFilter(hooks.determine_current_user, request.user, request), identified, request)
}

function identified(user: CurrentUser, request: RestRequest): CurrentUser {
  request.isIdentified = true
  request.user = user
  request.work.root.request = request
  request.note?.setUser(user.id)
  return user
}

/** Who checks credentials, and for which request. */
interface Asked {
  readonly server: ErrorContext & { identify(request: RestRequest): Awaitable<CurrentUser> }
  readonly request: RestRequest
}

/** Identifies the user and checks the credentials; the response that refuses them where they are bad, else null. */
export function authenticate(asked: Asked): Awaitable<RestResponse | null> {
  return attempt<RestResponse | null, Asked>(checked, failed, asked)
}

function checked(asked: Asked): Awaitable<RestResponse | null> {
  return chain(chain(asked.server.identify(asked.request), credentialsChecked, asked), refused, asked)
}

function credentialsChecked(_: CurrentUser, { server, request }: Asked): Awaitable<RestError | true | null> {
  return applyFilter(server.hooks.rest_authentication_errors, null, request)
}

function refused(error: unknown, { server, request }: Asked): RestResponse | null {
  return error instanceof RestError ? errorResponse(server, error, request) : null
}

function failed(error: unknown, { server, request }: Asked): RestResponse {
  return failureResponse(server, error, request)
}
