import { RestError, type ErrorBody } from '../errors.ts'
import { action, filter, syncFilter, type Action, type Filter, type HookSpecs, type SyncFilter } from '../hooks/hook.ts'
import type { CurrentUser, RestRequest } from './request.ts'
import { dataOf, RestResponse, type Served } from './response.ts'
import type { Endpoint, Route } from './routes.ts'
import type { Exchange, RestServer } from './server.ts'

/** The hooks of the server, in the order in which a request meets them (docs/architecture.md). */
interface DispatchHooks {
  /** Action: the server is made; routes, fields and meta are registered here. @since 0.1.0 */
  rest_api_init: Action<[server: RestServer]>
  /** Filter: the registered routes, each time the table is made; a tap may add, change or take away routes. @since 0.1.0 */
  rest_endpoints: SyncFilter<Map<string, Route>, [server: RestServer]>
  /** Filter: the REST route that a URL names, or null for a page of the site. @since 0.1.0 */
  rest_route_of_address: SyncFilter<string | null, [path: string, query: URLSearchParams]>
  /** Filter: a path as routes are matched with it, slashes at its end taken away; `path` is the one asked for. @since 0.1.0 */
  rest_path_to_match: SyncFilter<string, [path: string]>
  /** Filter: the request that something else than a request stands for in an internal dispatch. @since 0.1.0 */
  rest_ensure_request: SyncFilter<RestRequest, [input: unknown]>
  /** Filter: the user who makes the request; VISITOR until a tap returns another. @since 0.1.0 */
  determine_current_user: Filter<CurrentUser, [request: RestRequest], 'method'>
  /** Filter: null while no tap has checked the credentials, true when they are valid, else the error to respond with. @since 0.1.0 */
  rest_authentication_errors: Filter<RestError | true | null, [request: RestRequest], 'method'>
  /** Filter: a response made before any route is looked up; null goes on. @since 0.1.0 */
  rest_pre_dispatch: Filter<unknown, [server: RestServer, request: RestRequest], 'method'>
  /** Filter: null, or an error that refuses the request before its permission check; arguments are checked. @since 0.1.0 */
  rest_request_before_callbacks: Filter<unknown, [endpoint: Endpoint, request: RestRequest], 'request'>
  /** Filter: a response in place of the handler's; undefined calls the handler. Permission has been checked. @since 0.1.0 */
  rest_dispatch_request: Filter<unknown, [request: RestRequest, route: string, endpoint: Endpoint], 'request'>
  /** Filter: what the handler returned, also when it is an error. @since 0.1.0 */
  rest_request_after_callbacks: Filter<unknown, [endpoint: Endpoint, request: RestRequest], 'request'>
  /** Filter: the response of an outside request, after dispatch, before links and embeds. @since 0.1.0 */
  rest_post_dispatch: Filter<RestResponse, [server: RestServer, request: RestRequest], 'request'>
  /** Filter: whether the response has been sent already; the headers may still change. @since 0.1.0 */
  rest_pre_serve_request: Filter<boolean, [exchange: Exchange], 'request'>
  /** Filter: the data about to be written as JSON, links included. @since 0.1.0 */
  rest_pre_echo_response: Filter<unknown, [server: RestServer, request: RestRequest, response: RestResponse], 'request'>
  /** Filter: the body of the response as text. @since 0.1.0 */
  rest_encoded_response: SyncFilter<string, [request: RestRequest, response: RestResponse], 'request'>
  /**
   * Filter: the response with its body as text or bytes, about to be written: a tap may encode it once more, and says so
   * in the headers. For HEAD the body is there too, so that the headers are those of GET; it is not sent. @since 0.1.0
   */
  rest_response_body: Filter<Served, [request: RestRequest], 'request'>
  /** Filter: the body of an error response. @since 0.1.0 */
  rest_error_body: SyncFilter<ErrorBody, [error: RestError, request: RestRequest], 'method'>
}

declare module '../hooks/hook.ts' {
  interface Hooks extends DispatchHooks {}
}

const isText = (value: unknown) => typeof value === 'string'
const isObject = (value: unknown) => typeof value === 'object' && value !== null
const isResponse = (value: unknown) => value instanceof RestResponse
const isRequest = (value: unknown) => isObject(value) && typeof (value as { route?: unknown }).route === 'string'
const isUser = (value: unknown) => isObject(value) && typeof (value as { id?: unknown }).id === 'number'

// What a run is about stands among its arguments.
const second = <T>(_first: unknown, it: T) => it
const third = <T>(_first: unknown, _second: unknown, it: T) => it
const methodOfSecond = (_first: unknown, { method }: RestRequest) => method
const methodOfThird = (_first: unknown, _second: unknown, { method }: RestRequest) => method

export const dispatchHooks: HookSpecs<DispatchHooks> = {
  rest_api_init: { ...action('server'), owning: true, starting: true },
  rest_endpoints: { ...syncFilter('routes', 'server'), lasting: true, accepts: (routes) => routes instanceof Map },
  rest_route_of_address: {
    ...syncFilter('route', 'path', 'query'),
    accepts: (route) => route === null || isText(route),
  },
  rest_path_to_match: { ...syncFilter('path', 'asked'), accepts: isText },
  rest_ensure_request: { ...syncFilter('request', 'input'), accepts: isRequest },
  determine_current_user: { ...filter('user', 'request'), about: { method: methodOfSecond }, accepts: isUser },
  rest_authentication_errors: {
    ...filter('result', 'request'),
    about: { method: methodOfSecond },
    accepts: (result) => result === null || result === true || result instanceof RestError,
  },
  rest_pre_dispatch: { json: dataOf, ...filter('result', 'server', 'request'), about: { method: methodOfThird } },
  rest_request_before_callbacks: {
    json: dataOf,
    ...filter('result', 'endpoint', 'request'),
    about: { request: third },
  },
  rest_dispatch_request: {
    json: dataOf,
    ...filter('result', 'request', 'route', 'endpoint'),
    about: { request: second },
  },
  rest_request_after_callbacks: { json: dataOf, ...filter('result', 'endpoint', 'request'), about: { request: third } },
  rest_post_dispatch: {
    json: dataOf,
    ...filter('response', 'server', 'request'),
    about: { request: third },
    accepts: isResponse,
  },
  rest_pre_serve_request: {
    ...filter('served', 'exchange'),
    about: { request: (_served, { request }) => request },
    accepts: (served) => typeof served === 'boolean',
  },
  rest_pre_echo_response: {
    json: dataOf,
    ...filter('data', 'server', 'request', 'response'),
    about: { request: third },
  },
  rest_encoded_response: { ...syncFilter('text', 'request', 'response'), about: { request: second }, accepts: isText },
  rest_response_body: { ...filter('served', 'request'), about: { request: second }, accepts: isObject },
  rest_error_body: {
    json: dataOf,
    ...syncFilter('body', 'error', 'request'),
    about: { method: methodOfThird },
    accepts: isObject,
  },
}
