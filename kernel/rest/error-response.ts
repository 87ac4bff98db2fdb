import type { Logger } from 'pino'
import { errors, RestError, thrownError } from '../errors.ts'
import { applySyncFilter } from '../hooks/run.ts'
import type { Hooks } from '../hooks/hook.ts'
import { isReadMethod } from '../http/request-line.ts'
import type { HeaderValue } from '../http/headers.ts'
import { logRefusal } from '../log-refusal.ts'
import { outageOf, RETRY_AFTER } from '../outages.ts'
import { reads } from '../reads.ts'
import type { RestRequest } from './request.ts'
import { RestResponse } from './response.ts'

/** What errors are logged to and filtered by. */
export interface ErrorContext {
  readonly hooks: Hooks
  readonly log: Logger
}

/** Errors of what belongs to an endpoint. */
const OF_HANDLERS: ReadonlySet<string> = new Set([
  'rest_internal_error',
  'HANDLER_RETURNED_WRONG',
  'PROMISE_IN_RESPONSE',
  'ARGUMENT_CALLBACK_WRONG',
])

/** The response for an error. What failed inside the server is logged; the client learns that it did. */
export function errorResponse({ hooks, log }: ErrorContext, thrown: RestError, request: RestRequest): RestResponse {
  const error = (thrown.status >= 500 && outageOf(thrown, request.work)) || thrown
  // What failed may have been one of many embedded objects: the next time it may be there.
  if (error.status >= 500) reads.current()?.addFailure()
  const internal = error.isInternal
  const { id, matchedRoute: route, endpoint } = request
  // A tap may be that of another plugin than the endpoint.
  const plugin = error.plugin ?? (OF_HANDLERS.has(error.code) ? endpoint?.owner : undefined)
  logRefusal(log, error, { request: id, ...(endpoint !== null && { route }), plugin })
  const response = RestResponse.fromError(error)
  if (error.status === 503) response.headers.set('Retry-After', Number(error.data['retry_after'] ?? RETRY_AFTER))
  if (internal) response.data = unexplained(request).toJSON()
  response.data = applySyncFilter(hooks.rest_error_body, response.data as never, error, request)
  return response
}

/** What a client learns of a failure that only the log explains: whether its change is stored all the same. */
function unexplained({ method, work }: RestRequest): RestError {
  return work.committed && !isReadMethod(method) ? errors.rest_answer_lost('stored') : errors.rest_internal_error()
}

/** The response for anything thrown; `headers` stay. */
export function failureResponse(
  context: ErrorContext,
  thrown: unknown,
  request: RestRequest,
  headers: Iterable<[string, HeaderValue]> = [],
): RestResponse {
  const error =
    thrown instanceof RestError
      ? thrown
      : (outageOf(thrown, request.work) ?? errors.rest_internal_error({ cause: thrownError(thrown) }))
  const response = errorResponse(context, error, request)
  for (const [name, value] of headers) response.headers.set(name, value)
  return response
}
