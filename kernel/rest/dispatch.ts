/**
 * The way of a request through the server, step by step, as docs/architecture.md describes it. A step may return at once or
 * later; a promise is made only where something has to wait.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, RestError } from '../errors.ts'
import { applyFilter } from '../hooks/run.ts'
import { chain, isThenable, proceed, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { authenticate } from './authenticate.ts'
import { checkRequest } from './check-request.ts'
import { encode } from './encode.ts'
import { errorResponse, failureResponse } from './error-response.ts'
import { forbidden } from './forbidden.ts'
import type { RestRequest } from './request.ts'
import { ensureResponse, type RestResponse } from './response.ts'
import type { Endpoint } from './routes.ts'

/** The server, as hooks are given it. Its own module imports this one. */
type Server = Parameters<Hooks['rest_api_init']['promise']>[0]

/** The two sides of an outside request, for a tap that sends the response itself. */
export interface RawExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** A response ready to be written. */
export interface Served {
  response: RestResponse
  /** The body, in bytes where it is long; null when there is none (HEAD, 204) or when a tap has sent it already. */
  text: string | readonly Buffer[] | null
  /** Whether a tap of `rest_pre_serve_request` has sent the response. */
  served: boolean
}

// Each step hands on what the next one needs, so that no function is made where nothing waits.

/** Handles an outside request: authenticate, dispatch, post-dispatch, pre-serve, encode. Never throws. */
export function serve(server: Server, request: RestRequest, raw: RawExchange | null): Awaitable<Served> {
  return proceed(authenticate(server, request), authenticated, server, request, raw)
}

function authenticated(refusal: RestResponse | null, server: Server, request: RestRequest, raw: RawExchange | null) {
  return proceed(refusal ?? dispatch(server, request), dispatched, server, request, raw)
}

function dispatched(response: RestResponse, server: Server, request: RestRequest, raw: RawExchange | null) {
  return proceed(postDispatch(server, response, request), preServe, server, request, raw)
}

/** Handles an internal request: pre-dispatch, then the endpoint of its route. Never throws. */
export function dispatch(server: Server, request: RestRequest): Awaitable<RestResponse> {
  try {
    const early = applyFilter(server.hooks.rest_pre_dispatch, null, server, request)
    const response = proceed(early, routed, server, request, null)
    return isThenable(response) ? rescued(server, request, response) : response
  } catch (error) {
    return failureResponse(server, error, request)
  }
}

function rescued(server: Server, request: RestRequest, response: Promise<RestResponse>): Promise<RestResponse> {
  return response.then(undefined, (error: unknown) => failureResponse(server, error, request))
}

/** The response of the route's endpoint, errors included, after `rest_request_after_callbacks`; an early one in its place. */
function routed(early: unknown, server: Server, request: RestRequest): Awaitable<RestResponse> {
  if (early !== null && early !== undefined) return toResponse(server, early, request)
  const match = server.find(request)
  if (match === null) return errorResponse(server, errors.rest_no_route(), request)
  const { route, endpoint } = match
  request.endpoint = endpoint
  request.matchedRoute = route.pattern
  const result = callEndpoint(server, request, endpoint)
  return proceed(proceed(result, afterCallbacks, server, request, endpoint), respondedBy, server, request, endpoint)
}

function afterCallbacks(result: unknown, { hooks }: Server, request: RestRequest, endpoint: Endpoint) {
  return applyFilter(hooks.rest_request_after_callbacks, result, endpoint, request)
}

function respondedBy(result: unknown, server: Server, request: RestRequest, endpoint: Endpoint): RestResponse {
  const response = toResponse(server, result, request)
  response.matchedRoute = request.matchedRoute
  response.endpoint = endpoint
  return response
}

/** What the handler returns, or why it is not called, errors included. */
function callEndpoint(server: Server, request: RestRequest, endpoint: Endpoint): Awaitable<unknown> {
  const failed = (error: unknown) => (error instanceof RestError ? error : failureResponse(server, error, request))
  try {
    const result = checked(server, request, endpoint)
    // What a handler returns may be a thenable of another library.
    return isThenable(result) ? Promise.resolve(result).then(undefined, failed) : result
  } catch (error) {
    return failed(error)
  }
}

/** The arguments, `rest_request_before_callbacks`, the permission, the handler: each step goes on, or returns in its place. */
function checked(server: Server, request: RestRequest, endpoint: Endpoint): Awaitable<unknown> {
  if (request.bodyError !== null) {
    const { code, message, data } = request.bodyError
    return new RestError(code, message, data)
  }
  return proceed(checkRequest(request, endpoint), beforeCallbacks, server, request, endpoint)
}

function beforeCallbacks(
  invalid: RestError | null,
  server: Server,
  request: RestRequest,
  endpoint: Endpoint,
): Awaitable<unknown> {
  if (invalid !== null) return invalid
  const before = applyFilter(server.hooks.rest_request_before_callbacks, null, endpoint, request)
  return proceed(before, permitted, server, request, endpoint)
}

function permitted(before: unknown, server: Server, request: RestRequest, endpoint: Endpoint): Awaitable<unknown> {
  if (before instanceof RestError) return before
  const refusal = server.permission(request, endpoint)
  if (isThenable(refusal)) return refusal.then((late) => late ?? callHandler(server, request, endpoint, before))
  return refusal ?? callHandler(server, request, endpoint, before)
}

function callHandler(server: Server, request: RestRequest, endpoint: Endpoint, before: unknown): Awaitable<unknown> {
  const pattern = request.matchedRoute ?? ''
  const instead = applyFilter(server.hooks.rest_dispatch_request, undefined, request, pattern, endpoint)
  if (isThenable(instead)) return instead.then((late) => late ?? before ?? endpoint.callback(request))
  return instead ?? before ?? endpoint.callback(request)
}

/** Whether the user may call the endpoint with this request: null, or the refusal. Only `true` permits. */
export function checkPermission(request: RestRequest, endpoint: Endpoint): Awaitable<RestError | null> {
  if (endpoint.permission_callback === null) return null
  const allowed = endpoint.permission_callback(request)
  return allowed === true ? null : chain(allowed, (verdict) => refusalOf(request, verdict))
}

function refusalOf(request: RestRequest, verdict: boolean | RestError): RestError | null {
  if (verdict === true) return null
  return verdict instanceof RestError ? verdict : forbidden(request, errors.rest_forbidden)
}

/** The response after the filters of an outside request: `Allow`, `_fields`, `_embed` … */
export function postDispatch(server: Server, response: RestResponse, request: RestRequest): Awaitable<RestResponse> {
  try {
    const filtered = applyFilter(server.hooks.rest_post_dispatch, response, server, request)
    return isThenable(filtered) ? rescued(server, request, filtered) : filtered
  } catch (error) {
    return failureResponse(server, error, request)
  }
}

/** Headers may still change, and a tap may send the response itself; else its body is encoded. */
function preServe(
  response: RestResponse,
  server: Server,
  request: RestRequest,
  raw: RawExchange | null,
): Awaitable<Served> {
  const failed = (error: unknown) =>
    toServed(false, server, request, failureResponse(server, error, request, response.headers))
  let served: Awaitable<boolean>
  try {
    served = applyFilter(server.hooks.rest_pre_serve_request, false, { server, request, response, raw })
  } catch (error) {
    return failed(error)
  }
  return isThenable(served)
    ? served.then((late) => toServed(late, server, request, response), failed)
    : toServed(served, server, request, response)
}

/** The response with its body as text: links, embedded items, envelope, JSON. */
function toServed(served: boolean, server: Server, request: RestRequest, response: RestResponse): Awaitable<Served> {
  if (served || request.method === 'HEAD' || response.status === 204) return { response, text: null, served }
  try {
    const data = server.responseToData(response)
    const echoed = applyFilter(server.hooks.rest_pre_echo_response, data, server, request, response)
    const text = proceed(echoed, encode, server, request, response)
    if (!isThenable(text)) return { response, text, served }
    return text.then(
      (late): Served => ({ response, text: late, served }),
      (error: unknown) => unencoded(server, request, response, error),
    )
  } catch (error) {
    return unencoded(server, request, response, error)
  }
}

function unencoded(server: Server, request: RestRequest, { headers }: RestResponse, error: unknown): Served {
  const response = failureResponse(server, error, request, headers)
  return { response, text: JSON.stringify(response.data), served: false }
}

/** What a handler or a tap returned, as a response. */
function toResponse(server: Server, result: unknown, request: RestRequest): RestResponse {
  const ensured = ensureResponse(result)
  return ensured instanceof RestError ? errorResponse(server, ensured, request) : ensured
}
