/**
 * The way of a request through the server, step by step, as docs/architecture.md describes it. A step may return at once or
 * later; a promise is made only where something has to wait.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectDependencies } from '../dependencies.ts'
import { errors, RestError } from '../errors.ts'
import { applyFilter } from '../hooks/run.ts'
import { attempt, chain, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { authenticate } from './authenticate.ts'
import { checkRequest } from './check-request.ts'
import { encode } from './encode.ts'
import { etagOf, etagOfPieces } from './etag.ts'
import { errorResponse, failureResponse } from './error-response.ts'
import { forbidden } from './forbidden.ts'
import type { RestRequest } from './request.ts'
import { isReadMethod } from '../http/request-line.ts'
import { whereItHolds } from './preconditions.ts'
import { ensureResponse, type RestResponse, type Served } from './response.ts'
import type { KeptRequest, ResponseMaker } from './response-keeper.ts'
import type { Endpoint, Route } from './routes.ts'

export type { Served } from './response.ts'

/** The server, as hooks are given it. Its own module imports this one. */
type Server = Parameters<Hooks['rest_api_init']['promise']>[0]

/** The two sides of an outside request, for a tap that sends the response itself. */
export interface RawExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** Handles an outside request: authenticate, dispatch, post-dispatch, pre-serve, encode. Never throws. */
export function serve(server: Server, request: RestRequest, raw: RawExchange | null): Awaitable<Served> {
  const { keeper, fragments } = server
  // A POST that names another method is nobody's but its client's.
  const isRead = isReadMethod(raw?.incoming.method ?? request.method)
  fragments.begin(request)
  const served = serveBy(server, request, raw, keeper === null || !isRead ? null : keeper.begin(request))
  return chain(served, (encoded) => toWritten(server, encoded, request))
}

function serveBy(
  server: Server,
  request: RestRequest,
  raw: RawExchange | null,
  kept: KeptRequest | null,
): Awaitable<Served> {
  const filter = (response: RestResponse) => postDispatch(server, response, request)
  const headed = (response: RestResponse) => preServe(server, response, request, raw)
  const encoded = (response: RestResponse, served: boolean) => toServed(server, response, request, served)
  const finish: Finish<Served> = (response) =>
    chain(filter(response), (filtered) =>
      chain(headed(filtered), ({ response: shown, served }) => encoded(shown, served)),
    )
  return chain(authenticate(server, request), (refusal) => {
    if (refusal !== null) return finish(refusal)
    if (kept === null) return dispatchTo(server, request, finish)
    return collectDependencies((dependencies) => {
      request.dependencies = dependencies
      kept.enter(dependencies)
      return dispatchTo(server, request, finish, ({ route, endpoint }, make) => {
        const respond = () => chain(make(), filter)
        return kept.serve({ route, endpoint, respond, preServe: headed, encode: (shown) => encoded(shown, false) })
      })
    })
  })
}

/** Handles an internal request: pre-dispatch, then the endpoint of its route. Never throws. */
export function dispatch(server: Server, request: RestRequest): Awaitable<RestResponse> {
  return dispatchTo(server, request, (response) => response)
}

/** What becomes of a response. */
type Finish<T> = (response: RestResponse) => Awaitable<T>
/** What comes between the checked arguments and the response, where `make` need not be called. */
type Keep<T> = (match: Pick<ResponseMaker, 'route' | 'endpoint'>, make: () => Awaitable<RestResponse>) => Awaitable<T>

function dispatchTo<T>(
  server: Server,
  request: RestRequest,
  finish: Finish<T>,
  keep: Keep<T> | null = null,
): Awaitable<T> {
  server.fragments.begin(request)
  return attempt(
    () =>
      chain(applyFilter(server.hooks.rest_pre_dispatch, null, server, request), (early) =>
        early === null || early === undefined
          ? routed(server, request, finish, keep)
          : finish(toResponse(server, early, request)),
      ),
    (error) => finish(failureResponse(server, error, request)),
  )
}

/** The response of the route's endpoint, errors included, after `rest_request_after_callbacks`. */
function routed<T>(server: Server, request: RestRequest, finish: Finish<T>, keep: Keep<T> | null): Awaitable<T> {
  const match = server.find(request)
  if (match === null) return finish(errorResponse(server, errors.rest_no_route(), request))
  const { route, endpoint } = match
  request.endpoint = endpoint
  request.matchedRoute = route.pattern
  const failed = (error: unknown) => (error instanceof RestError ? error : failureResponse(server, error, request))
  let isOver = false
  const checked = attempt<unknown>(
    () => checkBefore(server, request, endpoint),
    (error) => {
      isOver = true
      return failed(error)
    },
  )
  return chain(checked, (before) => {
    const isRefused = isOver || before instanceof RestError
    const make = () => {
      const result = isRefused ? before : attempt(() => callEndpoint(server, request, route, endpoint, before), failed)
      return afterCallbacks(server, request, route, endpoint, result)
    }
    // What a tap responds in place of the handler depends on what the tap alone knows.
    const isOpen = before === null || before === undefined
    return keep !== null && isOpen ? keep(match, make) : chain(make(), finish)
  })
}

/** Checks the arguments, and asks the taps that may refuse before the permission: an error, a response, or null. */
function checkBefore(server: Server, request: RestRequest, endpoint: Endpoint): Awaitable<unknown> {
  if (request.bodyError !== null) {
    const { code, message, data } = request.bodyError
    return new RestError(code, message, data)
  }
  return chain(
    checkRequest(request, endpoint),
    (invalid): Awaitable<unknown> =>
      invalid ?? applyFilter(server.hooks.rest_request_before_callbacks, null, endpoint, request),
  )
}

/** What the handler returns, or why the user may not call it. */
function callEndpoint(
  server: Server,
  request: RestRequest,
  { pattern }: Route,
  endpoint: Endpoint,
  before: unknown,
): Awaitable<unknown> {
  const callHandler = () =>
    whereItHolds(server, request, represent, () =>
      chain(
        applyFilter(server.hooks.rest_dispatch_request, undefined, request, pattern, endpoint),
        (instead) => instead ?? before ?? endpoint.callback(request),
      ),
    )
  return chain(server.permission(request, endpoint), (refusal): Awaitable<unknown> => refusal ?? callHandler())
}

function afterCallbacks(
  server: Server,
  request: RestRequest,
  { pattern }: Route,
  endpoint: Endpoint,
  result: Awaitable<unknown>,
): Awaitable<RestResponse> {
  const filtered = chain(result, (returned) =>
    applyFilter(server.hooks.rest_request_after_callbacks, returned, endpoint, request),
  )
  return chain(filtered, (returned) => {
    const response = toResponse(server, returned, request)
    response.matchedRoute = pattern
    response.endpoint = endpoint
    return response
  })
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

/** What an outside GET request would be sent, made inside the process: the same bytes, with the same tag. */
function represent(server: Server, request: RestRequest): Awaitable<Served> {
  const response = chain(dispatch(server, request), (returned) => postDispatch(server, returned, request))
  return chain(response, (filtered) => toServed(server, filtered, request, false))
}

/** Headers may still change, and a tap may send the response itself. */
function preServe(
  server: Server,
  response: RestResponse,
  request: RestRequest,
  raw: RawExchange | null,
): Awaitable<{ response: RestResponse; served: boolean }> {
  let shown = response
  const served = attempt(
    () => applyFilter(server.hooks.rest_pre_serve_request, false, { server, request, response, raw }),
    (error) => {
      shown = failureResponse(server, error, request, response.headers)
      return false
    },
  )
  return chain(served, (isServed) => ({ response: shown, served: isServed }))
}

/** The response with its body as text: links, embedded items, envelope, JSON. */
function toServed(server: Server, response: RestResponse, request: RestRequest, served: boolean): Awaitable<Served> {
  if (served || response.status === 204) return { response, text: null, served }
  return attempt<Served>(
    () => {
      const { rest_pre_echo_response: filter } = server.hooks
      // Texts are written as they are, unless somebody looks at what they say.
      const data =
        response.body !== null && !filter.isUsed()
          ? response.body
          : applyFilter(filter, server.responseToData(response), server, request, response)
      const encoded = chain(data, (echoed) => encode(echoed, server, request, response))
      return chain(encoded, (text) => chain(tag(response, request, text), () => ({ response, text, served })))
    },
    (error) => toFailed(server, error, request, response),
  )
}

/** Sets the `ETag` of what was read, unless the handler knows a better one. */
function tag({ status, headers }: RestResponse, { method }: RestRequest, text: Served['text']): Awaitable<void> {
  if (status !== 200 || text === null || !isReadMethod(method) || headers.has('ETag')) return
  return chain(typeof text === 'string' ? etagOf(text) : etagOfPieces(text), (etag) => headers.set('ETag', etag))
}

/** The response as it is written: its body may be encoded once more, and that of HEAD is left out. */
function toWritten(server: Server, served: Served, request: RestRequest): Awaitable<Served> {
  if (served.served) return served
  const finished = attempt<Served>(
    () => applyFilter(server.hooks.rest_response_body, served, request),
    (error) => toFailed(server, error, request, served.response),
  )
  return request.method === 'HEAD' ? chain(finished, (read) => ({ ...read, text: null })) : finished
}

/** What is sent in place of a response whose body could not be made. */
function toFailed(server: Server, error: unknown, request: RestRequest, { headers }: RestResponse): Served {
  headers.delete('ETag')
  const failed = failureResponse(server, error, request, headers)
  return { response: failed, text: JSON.stringify(failed.data), served: false }
}

/** What a handler or a tap returned, as a response. */
function toResponse(server: Server, result: unknown, request: RestRequest): RestResponse {
  const ensured = ensureResponse(result)
  return ensured instanceof RestError ? errorResponse(server, ensured, request) : ensured
}
