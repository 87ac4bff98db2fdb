import {
  action,
  dataOf,
  filter,
  RestResponse,
  syncFilter,
  type Action,
  type Any,
  type Arguments,
  type Family,
  type Filter,
  type HookSpecs,
  type ItemTypes,
  type ItemTypeOf,
  type MemberOf,
  type RestRequest,
  type Route,
  type SyncFilter,
} from '../../kernel/index.ts'
import { schemaMistakes } from '../requests/arguments/index.ts'
import type { ItemSchema } from './item-schema.ts'
import type { MetaSubject } from './resource.ts'
import type { Selection } from './selection.ts'

/** Hooks of resources, most of them families with a member for each object type, and of the index documents. */
interface ResourceHooks {
  /** Family: the schema of an object type (`rest_post_item_schema`). @since 0.1.0 */
  rest_item_schema: Family<'rest_*_item_schema', SyncFilter<ItemSchema>>
  [item_schema: `rest_${string}_item_schema`]: MemberOf<ResourceHooks['rest_item_schema']>
  /** Family: the arguments of a list, as its route is registered (`rest_post_collection_params`). @since 0.1.0 */
  rest_collection_params: Family<'rest_*_collection_params', SyncFilter<Arguments, [kind: unknown]>>
  [params: `rest_${string}_collection_params`]: MemberOf<ResourceHooks['rest_collection_params']>
  /** Family: the query of a list, after its arguments have been validated (`rest_post_query`). @since 0.1.0 */
  rest_query: Family<'rest_*_query', Filter<unknown, [request: RestRequest], 'request'>>
  // `any`, here and below: TypeScript requires that every known member is assignable to it.
  [query: `rest_${string}_query`]: Filter<Any, [request: RestRequest], 'request'>
  /**
   * Family: a new item or the changes of an item, about to be stored (`rest_pre_insert_post`). Arguments and
   * permissions have been checked; a tap can change the item, or refuse it by throwing. @since 0.1.0
   */
  rest_pre_insert: Family<'rest_pre_insert_*', Filter<unknown, [request: RestRequest]>>
  [pre_insert: `rest_pre_insert_${string}`]: Any
  /**
   * Family: an item has been stored, its meta and registered fields have not; the transaction is open
   * (`rest_insert_post`). @since 0.1.0
   */
  rest_insert: Family<'rest_insert_*', Action<[item: unknown, request: RestRequest, creating: boolean]>>
  [insert: `rest_insert_${string}`]: MemberOf<ResourceHooks['rest_insert']>
  /**
   * Family: an item has been stored with meta and registered fields, and the transaction is committed
   * (`rest_after_insert_post`). @since 0.1.0
   */
  rest_after_insert: Family<'rest_after_insert_*', Action<[item: unknown, request: RestRequest, creating: boolean]>>
  [after_insert: `rest_after_insert_${string}`]: MemberOf<ResourceHooks['rest_after_insert']>
  /**
   * Family: a request has deleted an item or moved it to the trash, and the transaction is committed
   * (`rest_delete_post`). @since 0.1.0
   */
  rest_delete: Family<'rest_delete_*', Action<[item: unknown, response: RestResponse, request: RestRequest]>>
  [deletion: `rest_delete_${string}`]: Action<Any>
  /** Filter: the data of an item with its own fields; registered fields are added here. @since 0.1.0 */
  rest_additional_fields: Filter<
    Record<string, unknown>,
    [objectType: string, request: RestRequest, selection: Selection],
    'type' | 'request'
  >
  /**
   * Action: an item has been stored, and meta and registered fields store their values from the request. The
   * transaction is open: an error rolls it back and becomes the response. @since 0.1.0
   */
  rest_update_additional_fields: Action<
    [item: unknown, objectType: string, request: RestRequest, meta: MetaSubject | null],
    'type'
  >
  /** Family: the response for an item (`rest_prepare_post`). @since 0.1.0 */
  rest_prepare: Family<'rest_prepare_*', Filter<RestResponse, [item: unknown, request: RestRequest], 'request'>>
  [prepare: `rest_prepare_${string}`]: MemberOf<ResourceHooks['rest_prepare']>
  /** Filter: prefixes of compact link relations: name and URL with `{rel}`. @since 0.1.0 */
  rest_response_link_curies: SyncFilter<{ name: string; href: string; templated: boolean }[]>
  /** Filter: the index document. @since 0.1.0 */
  rest_index: Filter<RestResponse, [request: RestRequest], 'request'>
  /** Filter: the document of one namespace. @since 0.1.0 */
  rest_namespace_index: Filter<RestResponse, [request: RestRequest], 'request'>
  /** Filter: the description of a route in an index document; null omits the route. @since 0.1.0 */
  rest_route_data: SyncFilter<Record<string, unknown> | null, [route: Route, context: string]>
}

/**
 * Members of these families with known item types. A type without `change` in `ItemTypes` has no typed insert filter:
 * its plugin declares one.
 */
type QueryHooks = {
  [N in keyof ItemTypes as `rest_${N}_query`]: Filter<ItemTypeOf<N, 'query'>, [request: RestRequest], 'request'>
}
type PreInsertHooks = {
  [N in keyof ItemTypes as ItemTypes[N] extends { change: unknown } ? `rest_pre_insert_${N}` : never]: Filter<
    ItemTypeOf<N, 'change'>,
    [request: RestRequest]
  >
}
type InsertHooks = {
  [N in keyof ItemTypes as `rest_insert_${N}`]: Action<
    [item: ItemTypeOf<N, 'item'>, request: RestRequest, creating: boolean]
  >
}
type AfterInsertHooks = {
  [N in keyof ItemTypes as `rest_after_insert_${N}`]: Action<
    [item: ItemTypeOf<N, 'item'>, request: RestRequest, creating: boolean]
  >
}
type DeleteHooks = {
  [N in keyof ItemTypes as `rest_delete_${N}`]: Action<
    [item: ItemTypeOf<N, 'item'>, response: RestResponse, request: RestRequest]
  >
}
type PrepareHooks = {
  [N in keyof ItemTypes as `rest_prepare_${N}`]: Filter<
    RestResponse,
    [item: ItemTypeOf<N, 'shown'>, request: RestRequest],
    'request'
  >
}

declare module '../../kernel/index.ts' {
  interface Hooks
    extends ResourceHooks, QueryHooks, PreInsertHooks, InsertHooks, AfterInsertHooks, DeleteHooks, PrepareHooks {}
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
const isResponse = (value: unknown) => value instanceof RestResponse
// The subject of a run is one of its arguments.
const second = <T>(_first: unknown, it: T) => it
const third = <T>(_first: unknown, _second: unknown, it: T) => it

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
  rest_response_link_curies: { ...syncFilter('curies'), lasting: true, accepts: Array.isArray },
  rest_index: { json: dataOf, ...filter('response', 'request'), about: { request: second }, accepts: isResponse },
  rest_namespace_index: {
    json: dataOf,
    ...filter('response', 'request'),
    about: { request: second },
    accepts: isResponse,
  },
  rest_route_data: { json: dataOf, ...syncFilter('data', 'route', 'context'), lasting: true },
}
