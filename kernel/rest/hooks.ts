import { RestError, type ErrorBody } from '../errors.ts'
import { action, filter, syncFilter, type Action, type Filter, type HookSpecs, type SyncFilter } from '../hooks/hook.ts'
import type { CurrentUser, RestRequest } from './request.ts'
import { dataOf, RestResponse, type Served } from './response.ts'
import type { Endpoint, Route } from './routes.ts'
import type { Exchange, RestServer } from './server.ts'

/** The hooks of the server, in the order of a request (docs/architecture.md). */
interface DispatchHooks {
  /** Action: the server is created. Register routes, fields and meta here. @since 0.1.0 */
  rest_api_init: Action<[server: RestServer]>
  /** Filter: the routes by pattern, for the route table. Taps can add, change and remove routes. @since 0.1.0 */
  rest_endpoints: SyncFilter<Map<string, Route>, [server: RestServer]>
  /** Filter: the REST route of a URL, or null for a page of the site. @since 0.1.0 */
  rest_route_of_address: SyncFilter<string | null, [path: string, query: URLSearchParams]>
  /** Filter: the path to match with routes, without trailing slashes. `asked` is the requested path. @since 0.1.0 */
  rest_path_to_match: SyncFilter<string, [path: string]>
  /** Filter: the request of an internal dispatch that was called with a path or parameters (`input`). @since 0.1.0 */
  rest_ensure_request: SyncFilter<RestRequest, [input: unknown]>
  /** Filter: the user of the request; VISITOR unless a tap returns another user. @since 0.1.0 */
  determine_current_user: Filter<CurrentUser, [request: RestRequest], 'method'>
  /** Filter: the result of authentication: null if unchecked, true if valid, else the error to send. @since 0.1.0 */
  rest_authentication_errors: Filter<RestError | true | null, [request: RestRequest], 'method'>
  /** Filter: a response that skips routing and handler; null continues the dispatch. @since 0.1.0 */
  rest_pre_dispatch: Filter<unknown, [server: RestServer, request: RestRequest], 'method'>
  /** Filter: null, or the error of a request with checked arguments, before its permission check. @since 0.1.0 */
  rest_request_before_callbacks: Filter<unknown, [endpoint: Endpoint, request: RestRequest], 'request'>
  /** Filter: a result in place of the handler's, after the permission check; undefined calls it. @since 0.1.0 */
  rest_dispatch_request: Filter<unknown, [request: RestRequest, route: string, endpoint: Endpoint], 'request'>
  /** Filter: the result of the handler, or the error of an earlier step. @since 0.1.0 */
  rest_request_after_callbacks: Filter<unknown, [endpoint: Endpoint, request: RestRequest], 'request'>
  /** Filter: the response to an outside request, after dispatch, before links and embeds. @since 0.1.0 */
  rest_post_dispatch: Filter<RestResponse, [server: RestServer, request: RestRequest], 'request'>
  /** Filter: whether a tap sends the response itself. Taps can still change headers. @since 0.1.0 */
  rest_pre_serve_request: Filter<boolean, [exchange: Exchange], 'request'>
  /** Filter: the data about to be encoded as JSON, links included. @since 0.1.0 */
  rest_pre_echo_response: Filter<unknown, [server: RestServer, request: RestRequest, response: RestResponse], 'request'>
  /** Filter: the JSON text of the body. @since 0.1.0 */
  rest_encoded_response: SyncFilter<string, [request: RestRequest, response: RestResponse], 'request'>
  /**
   * Filter: the response with its encoded body, before it is sent. A tap can compress the body and set the matching
   * headers. Responses to HEAD requests contain the body of GET, so that the headers match; it is not sent.
   * @since 0.1.0
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

// Functions for `about`: return an argument of the run, or its method.
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
