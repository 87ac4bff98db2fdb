import type { Logger } from 'pino'
import { errors, RestError, thrownError } from '../errors.ts'
import { applySyncFilter } from '../hooks/run.ts'
import type { Hooks } from '../hooks/hook.ts'
import { isReadMethod } from '../http/request-line.ts'
import type { HeaderValue } from '../http/headers.ts'
import { logRefusal } from '../log-refusal.ts'
import { outageError, RETRY_AFTER } from '../outages.ts'
import { reads } from '../reads.ts'
import type { RestRequest } from './request.ts'
import { RestResponse } from './response.ts'

/** The log and the hooks for error responses. */
export interface ErrorContext {
  readonly hooks: Hooks
  readonly log: Logger
}

/** Errors whose cause is a handler or another callback of the endpoint. */
const HANDLER_ERRORS: ReadonlySet<string> = new Set([
  'rest_internal_error',
  'HANDLER_RETURNED_WRONG',
  'PROMISE_IN_RESPONSE',
  'ARGUMENT_CALLBACK_WRONG',
])

/** Creates the response for an error, and logs failures of the server. Clients do not see their cause. */
export function errorResponse({ hooks, log }: ErrorContext, thrown: RestError, request: RestRequest): RestResponse {
  const error = (thrown.status >= 500 && outageError(thrown, request.work)) || thrown
  // The failed request may be one of many embedded objects, and a cached response must not keep its error for long.
  if (error.status >= 500) reads.current()?.addFailure()
  const isInternal = error.isInternal
  const { id, matchedRoute: route, endpoint } = request
  // A failed tap can belong to another plugin than the endpoint.
  const plugin = error.plugin ?? (HANDLER_ERRORS.has(error.code) ? endpoint?.owner : undefined)
  logRefusal(log, error, { request: id, ...(endpoint !== null && { route }), plugin })
  const response = RestResponse.fromError(error)
  if (error.status === 503) response.headers.set('Retry-After', Number(error.data['retry_after'] ?? RETRY_AFTER))
  if (isInternal) response.data = errorForClient(request).toJSON()
  response.data = applySyncFilter(hooks.rest_error_body, response.data as never, error, request)
  return response
}

/** Returns the error that a client gets for an internal failure. It says whether the client's change is stored. */
function errorForClient({ method, work }: RestRequest): RestError {
  return work.committed && !isReadMethod(method) ? errors.rest_answer_lost('stored') : errors.rest_internal_error()
}

/** Creates the response for any thrown value. @param headers added to the response */
export function failureResponse(
  context: ErrorContext,
  thrown: unknown,
  request: RestRequest,
  headers: Iterable<[string, HeaderValue]> = [],
): RestResponse {
  const error =
    thrown instanceof RestError
      ? thrown
      : (outageError(thrown, request.work) ?? errors.rest_internal_error({ cause: thrownError(thrown) }))
  const response = errorResponse(context, error, request)
  for (const [name, value] of headers) response.headers.set(name, value)
  return response
}
