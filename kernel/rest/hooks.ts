import { RestError, type ErrorBody } from '../errors.ts'
import {
  action,
  filter,
  syncFilter,
  type Action,
  type Family,
  type Filter,
  type HookSpecs,
  type ItemTypes,
  type Known,
  type MemberOf,
  type SyncFilter,
} from '../hooks/hook.ts'
import type { Arguments } from '../schema/schema.ts'
import { schemaMistakes } from './check-route.ts'
import type { ItemSchema } from './item-schema.ts'
import type { CurrentUser, RestRequest } from './request.ts'
import type { Served } from './dispatch.ts'
import type { MetaSubject } from './resource.ts'
import { dataOf, RestResponse } from './response.ts'
import type { Endpoint, Route } from './routes.ts'
import type { Selection } from './selection.ts'
import type { Exchange, RestServer } from './server.ts'

/** The hooks of the server, in the order in which a request meets them (docs/architecture.md). */
interface DispatchHooks {
  /** Action: the server is made; routes, fields and meta are registered here. @since 0.1.0 */
  rest_api_init: Action<[server: RestServer]>
  /** Filter: the registered routes, each time the table is made; a tap may add, change or take away routes. @since 0.1.0 */
  rest_endpoints: SyncFilter<Map<string, Route>, [server: RestServer]>
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
  /** Filter: prefixes of compact link relations: name and URL with `{rel}`. @since 0.1.0 */
  rest_response_link_curies: SyncFilter<{ name: string; href: string; templated: boolean }[]>
  /** Filter: the index document. @since 0.1.0 */
  rest_index: Filter<RestResponse, [request: RestRequest], 'request'>
  /** Filter: the document of one namespace. @since 0.1.0 */
  rest_namespace_index: Filter<RestResponse, [request: RestRequest], 'request'>
  /** Filter: how one route is described in an index document; null leaves it out. @since 0.1.0 */
  rest_route_data: SyncFilter<Record<string, unknown> | null, [route: Route, context: string]>
  /** Filter: the headers that pages of other origins may read. @since 0.1.0 */
  rest_exposed_cors_headers: SyncFilter<string[]>
  /** Filter: the headers that pages of other origins may send. @since 0.1.0 */
  rest_allowed_cors_headers: SyncFilter<string[]>
}

/** The hooks of resources: most are families with a member for each object type. */
interface ResourceHooks {
  /** Family: the schema of an object type (`rest_post_item_schema`). @since 0.1.0 */
  rest_item_schema: Family<'rest_*_item_schema', SyncFilter<ItemSchema>>
  [item_schema: `rest_${string}_item_schema`]: MemberOf<ResourceHooks['rest_item_schema']>
  /** Family: the arguments of a list, as its route is registered (`rest_post_collection_params`). @since 0.1.0 */
  rest_collection_params: Family<'rest_*_collection_params', SyncFilter<Arguments, [kind: unknown]>>
  [params: `rest_${string}_collection_params`]: MemberOf<ResourceHooks['rest_collection_params']>
  /** Family: what a list asks its model for, once its arguments are checked (`rest_post_query`). @since 0.1.0 */
  rest_query: Family<'rest_*_query', Filter<unknown, [request: RestRequest], 'request'>>
  [query: `rest_${string}_query`]: MemberOf<ResourceHooks['rest_query']>
  /**
   * Family: an item about to be stored, or what is about to change of one (`rest_pre_insert_post`). Its arguments are
   * checked and the user may; a tap may change it, or refuse by throwing. @since 0.1.0
   */
  rest_pre_insert: Family<'rest_pre_insert_*', Filter<unknown, [request: RestRequest]>>
  [pre_insert: `rest_pre_insert_${string}`]: MemberOf<ResourceHooks['rest_pre_insert']>
  /** Family: an item is stored, meta and registered fields are not yet; the transaction is open (`rest_insert_post`). @since 0.1.0 */
  rest_insert: Family<'rest_insert_*', Action<[item: unknown, request: RestRequest, creating: boolean]>>
  [insert: `rest_insert_${string}`]: MemberOf<ResourceHooks['rest_insert']>
  /** Family: an item is stored whole, and the transaction closed (`rest_after_insert_post`). @since 0.1.0 */
  rest_after_insert: Family<'rest_after_insert_*', Action<[item: unknown, request: RestRequest, creating: boolean]>>
  [after_insert: `rest_after_insert_${string}`]: MemberOf<ResourceHooks['rest_after_insert']>
  /** Family: a request has deleted an item, or moved it to the trash, and the transaction is closed (`rest_delete_post`). @since 0.1.0 */
  rest_delete: Family<'rest_delete_*', Action<[item: unknown, response: RestResponse, request: RestRequest]>>
  [deletion: `rest_delete_${string}`]: MemberOf<ResourceHooks['rest_delete']>
  /** Filter: an item's data once its own fields are there; registered fields are added here. @since 0.1.0 */
  rest_additional_fields: Filter<
    Record<string, unknown>,
    [objectType: string, request: RestRequest, selection: Selection],
    'type' | 'request'
  >
  /**
   * Action: an item is stored; meta and registered fields take over what the request gives for them. The transaction is
   * open: an error that is thrown takes everything back, and is the response. @since 0.1.0
   */
  rest_update_additional_fields: Action<
    [item: unknown, objectType: string, request: RestRequest, meta: MetaSubject | null],
    'type'
  >
  /** Family: the response that shows an item (`rest_prepare_post`). @since 0.1.0 */
  rest_prepare: Family<'rest_prepare_*', Filter<RestResponse, [item: unknown, request: RestRequest], 'request'>>
  [prepare: `rest_prepare_${string}`]: MemberOf<ResourceHooks['rest_prepare']>
}

/**
 * The members of these families whose items are known. A type without `change` in `ItemTypes` has no insert filter of
 * this shape: its plugin declares its own.
 */
type QueryHooks = {
  [N in keyof ItemTypes as `rest_${N}_query`]: Filter<Known<N, 'query'>, [request: RestRequest], 'request'>
}
type PreInsertHooks = {
  [N in keyof ItemTypes as ItemTypes[N] extends { change: unknown } ? `rest_pre_insert_${N}` : never]: Filter<
    Known<N, 'change'>,
    [request: RestRequest]
  >
}
type InsertHooks = {
  [N in keyof ItemTypes as `rest_insert_${N}`]: Action<
    [item: Known<N, 'item'>, request: RestRequest, creating: boolean]
  >
}
type AfterInsertHooks = {
  [N in keyof ItemTypes as `rest_after_insert_${N}`]: Action<
    [item: Known<N, 'item'>, request: RestRequest, creating: boolean]
  >
}
type DeleteHooks = {
  [N in keyof ItemTypes as `rest_delete_${N}`]: Action<
    [item: Known<N, 'item'>, response: RestResponse, request: RestRequest]
  >
}
type PrepareHooks = {
  [N in keyof ItemTypes as `rest_prepare_${N}`]: Filter<
    RestResponse,
    [item: Known<N, 'shown'>, request: RestRequest],
    'request'
  >
}

declare module '../hooks/hook.ts' {
  interface Hooks
    extends
      DispatchHooks,
      ResourceHooks,
      QueryHooks,
      PreInsertHooks,
      InsertHooks,
      AfterInsertHooks,
      DeleteHooks,
      PrepareHooks {}
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
  rest_response_link_curies: { ...syncFilter('curies'), lasting: true, accepts: Array.isArray },
  rest_index: { json: dataOf, ...filter('response', 'request'), about: { request: second }, accepts: isResponse },
  rest_namespace_index: {
    json: dataOf,
    ...filter('response', 'request'),
    about: { request: second },
    accepts: isResponse,
  },
  rest_route_data: { json: dataOf, ...syncFilter('data', 'route', 'context'), lasting: true },
  rest_exposed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
  rest_allowed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
}

export const resourceHooks: HookSpecs<ResourceHooks> = {
  'rest_*_item_schema': {
    ...syncFilter('schema'),
    lasting: true,
    accepts: isObject,
    mistakes: (schema) => schemaMistakes((schema as ItemSchema).properties, 'property'),
  },
  'rest_*_collection_params': {
    ...syncFilter('params', 'kind'),
    lasting: true,
    accepts: isObject,
    mistakes: (params) => schemaMistakes(params, 'argument'),
  },
  'rest_*_query': { ...filter('args', 'request'), about: { request: second } },
  'rest_pre_insert_*': { ...filter('prepared', 'request'), accepts: isObject },
  'rest_insert_*': action('item', 'request', 'creating'),
  'rest_after_insert_*': action('item', 'request', 'creating'),
  'rest_delete_*': action('item', 'response', 'request'),
  rest_additional_fields: {
    json: dataOf,
    ...filter('data', 'objectType', 'request', 'selection'),
    about: { type: second, request: third },
    accepts: isObject,
    othersFailAlone: ({ id }: { id?: unknown }, _type, request: RestRequest) =>
      request.isForList ? { request: request.id, route: request.matchedRoute, item: id } : null,
  },
  rest_update_additional_fields: { ...action('item', 'objectType', 'request', 'meta'), about: { type: second } },
  'rest_prepare_*': {
    ...filter('response', 'item', 'request'),
    about: { request: third },
    accepts: isResponse,
    json: dataOf,
    othersFailAlone: (_response, item: { id?: unknown }, request: RestRequest) =>
      request.isForList ? { request: request.id, route: request.matchedRoute, item: item.id } : null,
  },
}
