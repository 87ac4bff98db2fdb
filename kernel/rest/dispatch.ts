/**
 * Handles requests, from the user to the text of the response, in the order of the steps in kernel/README.md.
 *
 * `isThenable(x) ? await x : x` avoids an `await` of plain values, which takes 0.1 µs each, a dozen times per request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isThenable, type Awaitable } from '../awaitable.ts'
import { errors, RestError } from '../errors.ts'
import { applyFilter } from '../hooks/run.ts'
import { isReadMethod } from '../http/request-line.ts'
import { trace, tracing } from '../tracing.ts'
import { checkRequest } from './check-request.ts'
import { encodeBody, encodeResponse } from './encode.ts'
import { errorResponse, failureResponse } from './error-response.ts'
import type { RestRequest } from './request.ts'
import type { CacheableRequest, HttpCache } from './http-cache.ts'
import { ensureResponse, RestResponse, type Served, type Server } from './response.ts'
import { ownerOf, type Endpoint, type Route } from './routes.ts'

/** The two sides of an outside request, for a tap that sends the response itself. */
export interface RawExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** A request with its endpoint. */
interface Routed {
  readonly server: Server
  readonly request: RestRequest
  readonly route: Route
  readonly endpoint: Endpoint
  /** The result of a tap in place of the handler's, or the error that refuses the request; else null or undefined. */
  early: unknown
  /** Whether the handler must not be called, because an argument, a tap or the permission refuses the request. */
  isRefused: boolean
}

/** Handles an outside request: authentication, dispatch, the filters after it, encoding of the body. Never throws. */
export async function serve(server: Server, request: RestRequest, raw: RawExchange | null): Promise<Served> {
  for (const cache of server.caches) cache.begin(request)
  request.streams = raw !== null
  // The response to a POST request that overrides its method is not cacheable.
  const isRead = isReadMethod(raw?.incoming.method ?? request.method)
  const httpCache = isRead ? server.httpCache : null
  const cachedRequest = httpCache === null ? null : httpCache.begin(request)
  const refusal = await authenticate(server, request)
  const served = await (refusal !== null
    ? finish(server, refusal, request, raw)
    : cachedRequest === null
      ? respond(server, request, raw, httpCache)
      : cachedRequest.record(() => respond(server, request, raw, httpCache, cachedRequest)))
  return encodeBody(served, server, request)
}

/** Identifies the user and checks the credentials. Never throws. @returns the error response; null if they are valid */
async function authenticate(server: Server, request: RestRequest): Promise<RestResponse | null> {
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

/** Handles an internal request: from the filter `rest_pre_dispatch` to `rest_request_after_callbacks`. Never throws. */
export function dispatch(server: Server, request: RestRequest): Awaitable<RestResponse> {
  return tracing.request.hasSubscribers ? traceDispatch(server, request) : dispatchUntraced(server, request)
}

async function dispatchUntraced(server: Server, request: RestRequest): Promise<RestResponse> {
  try {
    const found = await findEndpoint(server, request)
    return found instanceof RestResponse ? found : await callEndpoint(found)
  } catch (error) {
    return failureResponse(server, error, request)
  }
}

/** Returns the response to an authenticated outside request, from the cache or from its endpoint. */
async function respond(
  server: Server,
  request: RestRequest,
  raw: RawExchange | null,
  httpCache: HttpCache | null,
  cachedRequest: CacheableRequest | null = null,
): Promise<Served> {
  try {
    const found = await findEndpoint(server, request)
    if (found instanceof RestResponse) return await finish(server, found, request, raw)
    // The dependencies of a tap's response in place of the handler's are unknown.
    const isCacheable = httpCache !== null && (found.early === null || found.early === undefined)
    if (isCacheable && cachedRequest !== null) {
      return await cachedRequest.serve({
        route: found.route,
        endpoint: found.endpoint,
        respond: async () => postDispatch(server, await callEndpoint(found), request),
        preServe: (response) => preServe(server, response, request, raw),
        encode: (response) => encodeResponse(response, server, request),
      })
    }
    const served = await finish(server, await callEndpoint(found), request, raw)
    return isCacheable ? httpCache.pass(served, request) : served
  } catch (error) {
    return finish(server, failureResponse(server, error, request), request, raw)
  }
}

/** Finds the endpoint of a request and checks its arguments. @returns a response if a tap responds or no route fits */
async function findEndpoint(server: Server, request: RestRequest): Promise<Routed | RestResponse> {
  for (const cache of server.caches) cache.begin(request)
  const filtered = applyFilter(server.hooks.rest_pre_dispatch, null, server, request)
  const early: unknown = isThenable(filtered) ? await filtered : filtered
  if (early !== null && early !== undefined) return toResponse(server, early, request)
  const match = server.find(request)
  if (match === null) return errorResponse(server, errors.rest_no_route(), request)
  request.endpoint = match.endpoint
  request.matchedRoute = match.route.pattern
  request.note?.setRoute(match.route.pattern)
  const routed: Routed = { server, request, ...match, early: null, isRefused: false }
  try {
    const checked = checkArguments(routed)
    routed.early = isThenable(checked) ? await checked : checked
    routed.isRefused = routed.early instanceof RestError
  } catch (error) {
    refuse(routed, error)
  }
  return routed
}

/** Returns the error of the body or of an argument, else the result of `rest_request_before_callbacks`. */
function checkArguments({ server, request, endpoint }: Routed): Awaitable<unknown> {
  if (request.bodyError !== null) {
    const { code, message, data } = request.bodyError
    return new RestError(code, message, data)
  }
  const checked = checkRequest(server.arguments, request, endpoint)
  const runTaps = (invalid: RestError | null) =>
    invalid ?? applyFilter(server.hooks.rest_request_before_callbacks, null, endpoint, request)
  return isThenable(checked) ? checked.then(runTaps) : runTaps(checked)
}

/** Checks the permission, calls the handler, and runs the filter `rest_request_after_callbacks`, also for errors. */
async function callEndpoint(routed: Routed): Promise<RestResponse> {
  const { server, request, route, endpoint } = routed
  if (!routed.isRefused) {
    try {
      const permission = server.permission(request, endpoint)
      const refusal = isThenable(permission) ? await permission : permission
      const result = refusal ?? server.conditional.run(server, request, () => callHandler(routed))
      routed.early = isThenable(result) ? await result : result
    } catch (error) {
      refuse(routed, error)
    }
  }
  const filtered = applyFilter(server.hooks.rest_request_after_callbacks, routed.early, endpoint, request)
  const response = toResponse(server, isThenable(filtered) ? await filtered : filtered, request)
  response.matchedRoute = route.pattern
  response.endpoint = endpoint
  return response
}

/** Calls the handler, unless a tap responds in its place. @returns the checked result */
async function callHandler({ server, request, route, endpoint, early: earlier }: Routed): Promise<unknown> {
  const filtered = applyFilter(server.hooks.rest_dispatch_request, undefined, request, route.pattern, endpoint)
  const early = (isThenable(filtered) ? await filtered : filtered) ?? earlier
  if (early !== null && early !== undefined) return early
  const result = tracing.handler.hasSubscribers ? traceHandler(request, route, endpoint) : endpoint.callback(request)
  return checkResult(isThenable(result) ? await result : result, server, request, route, endpoint)
}

/** @throws HANDLER_RETURNED_WRONG, PROMISE_IN_RESPONSE if the result of a handler cannot be sent */
function checkResult(
  result: unknown,
  server: Server,
  { method }: RestRequest,
  { pattern }: Route,
  endpoint: Endpoint,
): unknown {
  if (result instanceof RestError) return result
  server.advice.checkResult(result, ownerOf(endpoint), method, pattern)
  if (result instanceof RestResponse) return result
  if (result === undefined) {
    const text = `the callback of ${method} ${pattern} returns undefined, and null is sent: return data or null`
    server.warnOnce(endpoint, text)
    return null
  }
  return result
}

/** Runs the filters for responses to outside requests, sets the headers, and encodes the body. */
async function finish(
  server: Server,
  unfiltered: RestResponse,
  request: RestRequest,
  raw: RawExchange | null,
): Promise<Served> {
  const response = await postDispatch(server, unfiltered, request)
  const shown = await preServe(server, response, request, raw)
  return shown.served ? { ...shown, text: null } : await encodeResponse(shown.response, server, request)
}

/** Runs the filter for responses to outside requests (`Allow`, `_fields`, `_embed` …). Never throws. */
export async function postDispatch(
  server: Server,
  response: RestResponse,
  request: RestRequest,
): Promise<RestResponse> {
  try {
    const filtered = applyFilter(server.hooks.rest_post_dispatch, response, server, request)
    return isThenable(filtered) ? await filtered : filtered
  } catch (error) {
    return failureResponse(server, error, request)
  }
}

/** Runs `rest_pre_serve_request`, whose taps can change headers or send the response themselves. Never throws. */
async function preServe(
  server: Server,
  response: RestResponse,
  request: RestRequest,
  raw: RawExchange | null,
): Promise<{ response: RestResponse; served: boolean }> {
  try {
    const filtered = applyFilter(server.hooks.rest_pre_serve_request, false, { server, request, response, raw })
    return { response, served: isThenable(filtered) ? await filtered : filtered }
  } catch (error) {
    return { response: failureResponse(server, error, request, response.headers), served: false }
  }
}

function refuse(routed: Routed, error: unknown): void {
  routed.isRefused = true
  routed.early = error instanceof RestError ? error : failureResponse(routed.server, error, routed.request)
}

/** Converts the result of a handler or a tap to a response. */
function toResponse(server: Server, result: unknown, request: RestRequest): RestResponse {
  const ensured = ensureResponse(result)
  return ensured instanceof RestError ? errorResponse(server, ensured, request) : ensured
}

function traceDispatch(server: Server, request: RestRequest): Awaitable<RestResponse> {
  const { id, method, route: url, user } = request
  const facts = { site: server.hooks, from: 'inside' as const, id, method, url, user }
  return trace(tracing.request, { ...facts, route: null, status: null, fromCache: false }, async (span) => {
    const response = await dispatchUntraced(server, request)
    span.route = request.matchedRoute
    span.status = response.status
    return response
  })
}

function traceHandler(request: RestRequest, { pattern, owner }: Route, endpoint: Endpoint): unknown {
  const about = { part: 'handler' as const, method: request.method, route: pattern, plugin: owner }
  return trace(tracing.handler, about, () => endpoint.callback(request))
}
