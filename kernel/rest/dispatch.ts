/**
 * The way of a request through the server, step by step, as docs/architecture.md describes it. A step may return at once or
 * later; a promise is made only where something has to wait.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectDependencies } from '../dependencies.ts'
import { errors, RestError } from '../errors.ts'
import { refusePromise } from '../find-promise.ts'
import { applyFilter } from '../hooks/run.ts'
import { attempt, chain, isThenable, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { authenticate } from './authenticate.ts'
import { checkRequest } from './check-request.ts'
import { resultMistake } from './check-result.ts'
import { errorResponse, failureResponse } from './error-response.ts'
import type { RestRequest } from './request.ts'
import { isReadMethod } from '../http/request-line.ts'
import { whereItHolds } from './preconditions.ts'
import { dataOf, ensureResponse, RestResponse, type Served } from './response.ts'
import { trace, tracing } from '../tracing.ts'
import { toServed, toWritten } from './response-text.ts'
import type { KeptRequest, ResponseKeeper, ResponseMaker } from './response-keeper.ts'
import { ownerOf, type Endpoint, type Route } from './routes.ts'

export type { Served } from './response.ts'

/** The server, as hooks are given it. Its own module imports this one. */
type Server = Parameters<Hooks['rest_api_init']['promise']>[0]

/** The two sides of an outside request, for a tap that sends the response itself. */
export interface RawExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/**
 * One request on its way: each step hands it on to the next one, so that no function has to be made where nothing waits.
 * To who keeps responses it is what makes one.
 */
class Way implements ResponseMaker {
  readonly server: Server
  readonly request: RestRequest
  readonly raw: RawExchange | null
  route!: Route
  endpoint!: Endpoint
  /** What a tap responds in place of the handler, or why the request is refused; null for nothing. */
  before: unknown = null
  /** Whether something has failed, and the handler is not called. */
  hasFailed = false

  constructor(server: Server, request: RestRequest, raw: RawExchange | null = null) {
    this.server = server
    this.request = request
    this.raw = raw
  }

  respond(): Awaitable<RestResponse> {
    return chain(make(this), filtered, this)
  }

  preServe(response: RestResponse): ReturnType<typeof preServe> {
    return preServe(response, this)
  }

  encode(response: RestResponse): Awaitable<Served> {
    return toServed(response, this)
  }
}

/** An outside request on its way. */
class OutsideWay extends Way {
  /** Who keeps responses to such requests; null for nobody. */
  readonly keeper: ResponseKeeper | null
  /** The request as they see it; null where its response is certainly not kept. */
  readonly kept: KeptRequest | null

  constructor(server: Server, request: RestRequest, raw: RawExchange | null, keeper: ResponseKeeper | null) {
    super(server, request, raw)
    this.keeper = keeper
    this.kept = keeper === null ? null : keeper.begin(request)
  }
}

/** Handles an outside request: authenticate, dispatch, post-dispatch, pre-serve, encode. Never throws. */
export function serve(server: Server, request: RestRequest, raw: RawExchange | null): Awaitable<Served> {
  server.fragments.begin(request)
  request.streams = raw !== null
  // A POST that names another method is nobody's but its client's.
  const isRead = isReadMethod(raw?.incoming.method ?? request.method)
  const way = new OutsideWay(server, request, raw, isRead ? server.keeper : null)
  return chain(chain(authenticate(way), authenticated, way), toWritten, way)
}

function authenticated(refusal: RestResponse | null, way: OutsideWay): Awaitable<Served> {
  const { kept, request } = way
  if (refusal !== null) return finish(refusal, way)
  if (kept === null) return attempt(dispatchOutside, failed, way)
  return collectDependencies((dependencies) => {
    request.dependencies = dependencies
    kept.enter(dependencies)
    return attempt(dispatchOutside, failed, way)
  })
}

function dispatchOutside(way: OutsideWay): Awaitable<Served> {
  return chain(approach(way), respond, way)
}

/** The response that is there already, or that of the endpoint: kept, or made. */
function respond(early: RestResponse | null, way: OutsideWay): Awaitable<Served> {
  const { before, keeper, kept } = way
  if (early !== null) return finish(early, way)
  // What a tap responds in place of the handler depends on what the tap alone knows.
  if (keeper === null || (before !== null && before !== undefined)) return chain(make(way), finish, way)
  return kept === null ? chain(chain(make(way), finish, way), passed, way) : kept.serve(way)
}

/** The response as it goes out past who keeps others. */
function passed(served: Served, { keeper, request }: OutsideWay): Served {
  return keeper!.pass(served, request)
}

/** From a response to what is sent. */
function finish(response: RestResponse, way: Way): Awaitable<Served> {
  return chain(chain(filtered(response, way), preServe, way), encoded, way)
}

function filtered(response: RestResponse, { server, request }: Way): Awaitable<RestResponse> {
  return postDispatch(server, response, request)
}

function encoded({ response, served }: Shown, way: Way): Awaitable<Served> {
  return served ? { response, text: null, served } : toServed(response, way)
}

function failed(error: unknown, way: Way): Awaitable<Served> {
  return finish(failure(error, way), way)
}

function failure(error: unknown, { server, request }: Way): RestResponse {
  return failureResponse(server, error, request)
}

/** Handles an internal request: pre-dispatch, then the endpoint of its route. Never throws. */
export function dispatch(server: Server, request: RestRequest): Awaitable<RestResponse> {
  const way = new Way(server, request)
  return tracing.request.hasSubscribers ? tracedInside(way) : attempt(dispatchInside, failure, way)
}

/** Handles an internal request, and tells subscribers of it. */
function tracedInside(way: Way): Awaitable<RestResponse> {
  const { server, request } = way
  const { id, method, route: url, user } = request
  const known = { site: server.hooks, from: 'inside' as const, id, method, url, user }
  const told = { ...known, route: null, status: null, isKept: false }
  return trace(tracing.request, told, (span) =>
    chain(attempt(dispatchInside, failure, way), (response) => {
      span.route = request.matchedRoute
      span.status = response.status
      return response
    }),
  )
}

function dispatchInside(way: Way): Awaitable<RestResponse> {
  return chain(approach(way), earlyOrMade, way)
}

function earlyOrMade(early: RestResponse | null, way: Way): Awaitable<RestResponse> {
  return early ?? make(way)
}

/** Up to the permission check: a response in place of that of the endpoint, or null. */
function approach(way: Way): Awaitable<RestResponse | null> {
  const { server, request } = way
  server.fragments.begin(request)
  return chain(applyFilter(server.hooks.rest_pre_dispatch, null, server, request), routed, way)
}

function routed(early: unknown, way: Way): Awaitable<RestResponse | null> {
  const { server, request } = way
  if (early !== null && early !== undefined) return toResponse(server, early, request)
  const match = server.find(request)
  if (match === null) return errorResponse(server, errors.rest_no_route(), request)
  way.route = match.route
  way.endpoint = match.endpoint
  request.endpoint = match.endpoint
  request.matchedRoute = match.route.pattern
  request.note?.setRoute(match.route.pattern)
  return chain(attempt(checkBefore, asResult, way), checked, way)
}

function checked(before: unknown, way: Way): null {
  way.before = before
  return null
}

/** Errors go on to `rest_request_after_callbacks`, those of the inside as responses. */
function asResult(error: unknown, way: Way): RestError | RestResponse {
  way.hasFailed = true
  return error instanceof RestError ? error : failure(error, way)
}

/** Checks the arguments, and asks the taps that may refuse before the permission: an error, a response, or null. */
function checkBefore(way: Way): Awaitable<unknown> {
  const { request, endpoint } = way
  if (request.bodyError !== null) {
    const { code, message, data } = request.bodyError
    return new RestError(code, message, data)
  }
  return chain(checkRequest(way.server.arguments, request, endpoint), beforeCallbacks, way)
}

function beforeCallbacks(invalid: RestError | null, { server, request, endpoint }: Way): Awaitable<unknown> {
  return invalid ?? applyFilter(server.hooks.rest_request_before_callbacks, null, endpoint, request)
}

/** The response of the route's endpoint, errors included, after `rest_request_after_callbacks`. */
function make(way: Way): Awaitable<RestResponse> {
  const { before, hasFailed } = way
  const isRefused = hasFailed || before instanceof RestError
  const result = isRefused ? before : attempt(callEndpoint, asResult, way)
  return chain(chain(result, afterCallbacks, way), asResponse, way)
}

/** What the handler returns, or why the user may not call it. */
function callEndpoint(way: Way): Awaitable<unknown> {
  return chain(way.server.permission(way.request, way.endpoint), permitted, way)
}

function permitted(refusal: RestError | null, way: Way): Awaitable<unknown> {
  return refusal ?? whereItHolds(way, represent, callHandler)
}

function callHandler(way: Way): Awaitable<unknown> {
  const { server, request, route, endpoint } = way
  const instead = applyFilter(server.hooks.rest_dispatch_request, undefined, request, route.pattern, endpoint)
  return chain(instead, handled, way)
}

function handled(instead: unknown, way: Way): unknown {
  const { before, request, endpoint } = way
  const early = instead ?? before
  if (early !== null && early !== undefined) return early
  return chain(tracing.handler.hasSubscribers ? tracedHandler(way) : endpoint.callback(request), checkedResult, way)
}

/** What a handler returned, if it can be sent. */
function checkedResult(result: unknown, { server, request: { method }, route: { pattern }, endpoint }: Way): unknown {
  if (result instanceof RestError) return result
  // Default plugins are tested for it.
  if (ownerOf(endpoint)?.trusted === false)
    refusePromise(dataOf(result), endpoint.owner, `the response to ${method} ${pattern}`)
  if (result instanceof RestResponse) return result
  if (result === undefined) {
    server.tellOnce(
      endpoint,
      `the callback of ${method} ${pattern} returns nothing, and null is sent: return data, or null`,
    )
    return null
  }
  const wrong = resultMistake(result)
  if (wrong !== null) throw errors.HANDLER_RETURNED_WRONG(method, pattern, wrong)
  return result
}

function tracedHandler({ request, route: { pattern, owner }, endpoint }: Way): unknown {
  const told = { part: 'handler' as const, method: request.method, route: pattern, plugin: owner }
  return trace(tracing.handler, told, () => endpoint.callback(request))
}

function afterCallbacks(returned: unknown, { server, request, endpoint }: Way): Awaitable<unknown> {
  return applyFilter(server.hooks.rest_request_after_callbacks, returned, endpoint, request)
}

function asResponse(returned: unknown, { server, request, route, endpoint }: Way): RestResponse {
  const response = toResponse(server, returned, request)
  response.matchedRoute = route.pattern
  response.endpoint = endpoint
  return response
}

/** The response after the filters of an outside request: `Allow`, `_fields`, `_embed` … */
export function postDispatch(server: Server, response: RestResponse, request: RestRequest): Awaitable<RestResponse> {
  try {
    const filtered = applyFilter(server.hooks.rest_post_dispatch, response, server, request)
    return isThenable(filtered)
      ? filtered.then(undefined, (error: unknown) => failureResponse(server, error, request))
      : filtered
  } catch (error) {
    return failureResponse(server, error, request)
  }
}

/** What an outside GET request would be sent, made inside the process: the same bytes, with the same tag. */
export function represent(server: Server, request: RestRequest): Awaitable<Served> {
  const way = new Way(server, request)
  const response = chain(attempt(dispatchInside, failure, way), filtered, way)
  return chain(response, toServed, way)
}

/** A response whose headers are set, and whether a tap has sent it. */
type Shown = Awaited<ReturnType<ResponseMaker['preServe']>>

/** Headers may still change, and a tap may send the response itself. */
function preServe(response: RestResponse, { server, request, raw }: Way): Awaitable<Shown> {
  const failed = (error: unknown): Shown => {
    return { response: failureResponse(server, error, request, response.headers), served: false }
  }
  try {
    const served = applyFilter(server.hooks.rest_pre_serve_request, false, { server, request, response, raw })
    return isThenable(served)
      ? served.then((isServed) => ({ response, served: isServed }), failed)
      : { response, served }
  } catch (error) {
    return failed(error)
  }
}

/** What a handler or a tap returned, as a response. */
function toResponse(server: Server, result: unknown, request: RestRequest): RestResponse {
  const ensured = ensureResponse(result)
  return ensured instanceof RestError ? errorResponse(server, ensured, request) : ensured
}
