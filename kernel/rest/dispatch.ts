/**
 * The way of a request through the server, step by step, as docs/architecture.md describes it. A step may return at once or
 * later; a promise is made only where something has to wait.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, RestError } from '../errors.ts'
import { applyFilter } from '../hooks/run.ts'
import { attempt, chain, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { authenticate } from './authenticate.ts'
import { checkRequest } from './check-request.ts'
import { encode } from './encode.ts'
import { errorResponse, failureResponse } from './error-response.ts'
import { forbidden } from './forbidden.ts'
import type { RestRequest } from './request.ts'
import { ensureResponse, type RestResponse } from './response.ts'
import type { Endpoint, Route } from './routes.ts'

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

/** Handles an outside request: authenticate, dispatch, post-dispatch, pre-serve, encode. Never throws. */
export function serve(server: Server, request: RestRequest, raw: RawExchange | null): Awaitable<Served> {
  const refused = chain(server.fragments.begin(request), () => authenticate(server, request))
  const dispatched = chain(refused, (refusal) => refusal ?? dispatch(server, request))
  const response = chain(dispatched, (returned) => postDispatch(server, returned, request))
  return chain(response, (filtered) => preServe(server, filtered, request, raw))
}

/** Handles an internal request: pre-dispatch, then the endpoint of its route. Never throws. */
export function dispatch(server: Server, request: RestRequest): Awaitable<RestResponse> {
  return attempt(
    () =>
      chain(server.fragments.begin(request), () =>
        chain(applyFilter(server.hooks.rest_pre_dispatch, null, server, request), (early) =>
          early === null || early === undefined ? routed(server, request) : toResponse(server, early, request),
        ),
      ),
    (error) => failureResponse(server, error, request),
  )
}

/** The response of the route's endpoint, errors included, after `rest_request_after_callbacks`. */
function routed(server: Server, request: RestRequest): Awaitable<RestResponse> {
  const match = server.find(request)
  if (match === null) return errorResponse(server, errors.rest_no_route(), request)
  const { route, endpoint } = match
  request.endpoint = endpoint
  request.matchedRoute = route.pattern
  const result = attempt<unknown>(
    () => callEndpoint(server, request, route, endpoint),
    (error) => (error instanceof RestError ? error : failureResponse(server, error, request)),
  )
  const filtered = chain(result, (returned) =>
    applyFilter(server.hooks.rest_request_after_callbacks, returned, endpoint, request),
  )
  return chain(filtered, (returned) => {
    const response = toResponse(server, returned, request)
    response.matchedRoute = route.pattern
    response.endpoint = endpoint
    return response
  })
}

/** What the handler returns, or why it is not called. Each step goes on to the next one, or returns in its place. */
function callEndpoint(
  server: Server,
  request: RestRequest,
  { pattern }: Route,
  endpoint: Endpoint,
): Awaitable<unknown> {
  const { hooks } = server
  const checkArguments = () => chain(checkRequest(request, endpoint), (invalid) => invalid ?? beforeCallbacks())
  const beforeCallbacks = () =>
    chain(applyFilter(hooks.rest_request_before_callbacks, null, endpoint, request), (before) =>
      before instanceof RestError ? before : checkPermission(before),
    )
  const checkPermission = (before: unknown) =>
    chain(server.permission(request, endpoint), (refusal) => refusal ?? callHandler(before))
  const callHandler = (before: unknown) =>
    chain(
      applyFilter(hooks.rest_dispatch_request, undefined, request, pattern, endpoint),
      (instead) => instead ?? before ?? endpoint.callback(request),
    )

  if (request.bodyError !== null) {
    const { code, message, data } = request.bodyError
    return new RestError(code, message, data)
  }
  return checkArguments()
}

/** Whether the user may call the endpoint with this request: null, or the refusal. Only `true` permits. */
export function checkPermission(request: RestRequest, endpoint: Endpoint): Awaitable<RestError | null> {
  if (endpoint.permission_callback === null) return null
  return chain(endpoint.permission_callback(request), (allowed) => {
    if (allowed === true) return null
    return allowed instanceof RestError ? allowed : forbidden(request, errors.rest_forbidden)
  })
}

/** The response after the filters of an outside request: `Allow`, `_fields`, `_embed` … */
export function postDispatch(server: Server, response: RestResponse, request: RestRequest): Awaitable<RestResponse> {
  return attempt(
    () => applyFilter(server.hooks.rest_post_dispatch, response, server, request),
    (error) => failureResponse(server, error, request),
  )
}

/** Headers may still change, and a tap may send the response itself; else its body is encoded. */
function preServe(
  server: Server,
  response: RestResponse,
  request: RestRequest,
  raw: RawExchange | null,
): Awaitable<Served> {
  let shown = response
  const served = attempt(
    () => applyFilter(server.hooks.rest_pre_serve_request, false, { server, request, response, raw }),
    (error) => {
      shown = failureResponse(server, error, request, response.headers)
      return false
    },
  )
  return chain(served, (isServed) => toServed(server, shown, request, isServed))
}

/** The response with its body as text: links, embedded items, envelope, JSON. */
function toServed(server: Server, response: RestResponse, request: RestRequest, served: boolean): Awaitable<Served> {
  if (served || request.method === 'HEAD' || response.status === 204) return { response, text: null, served }
  return attempt<Served>(
    () => {
      const { rest_pre_echo_response: filter } = server.hooks
      // Texts are written as they are, unless somebody looks at what they say.
      const data =
        response.body !== null && !filter.isUsed()
          ? response.body
          : applyFilter(filter, server.responseToData(response), server, request, response)
      const encoded = chain(data, (echoed) => encode(server, echoed, request, response))
      return chain(encoded, (text) => ({ response, text, served }))
    },
    (error) => {
      const failed = failureResponse(server, error, request, response.headers)
      return { response: failed, text: JSON.stringify(failed.data), served }
    },
  )
}

/** What a handler or a tap returned, as a response. */
function toResponse(server: Server, result: unknown, request: RestRequest): RestResponse {
  const ensured = ensureResponse(result)
  return ensured instanceof RestError ? errorResponse(server, ensured, request) : ensured
}
