// Type tests of hooks. `npm run check:types` compiles this file; it is never run.
import { expectTypeOf } from 'expect-type'
import {
  action,
  applyFilter,
  applySyncFilter,
  filter,
  isPerRequest,
  isUsed,
  runAction,
  syncAction,
  syncFilter,
  type Action,
  type Awaitable,
  type CurrentUser,
  type Endpoint,
  type Exchange,
  type Family,
  type Filter,
  type Hooks,
  type HookSpec,
  type HookSpecs,
  type ItemTypes,
  type MemberOf,
  type RestRequest,
  type RestResponse,
  type RestServer,
  type Route,
  type SyncAction,
  type SyncFilter,
} from '../../kernel/index.ts'
import '../../plugins/responses/deprecation.ts'
import type { Comment } from '../../plugins/content/comments/index.ts'
import type { Post, PostQuery } from '../../plugins/content/posts/index.ts'
import type {} from './plugins.test-d.ts'

declare const hooks: Hooks
type PostShown = ItemTypes['post']['shown']
declare const request: RestRequest
declare const response: RestResponse
declare const server: RestServer

// A tap takes the value and the arguments of its hook, and returns a value of the same type.
hooks.rest_post_dispatch.tap('typed', (value, from, restRequest) => {
  expectTypeOf(value).toEqualTypeOf<RestResponse>()
  expectTypeOf(from).toEqualTypeOf<RestServer>()
  expectTypeOf(restRequest).toEqualTypeOf<RestRequest>()
  return value
})
hooks.rest_post_dispatch.tapPromise('typed', async (value) => value)
hooks.rest_post_dispatch.tapPromise({ name: 'typed', stage: 10 }, (value, _server, restRequest) =>
  restRequest.id === '' ? value : Promise.resolve(value),
)
// @ts-expect-error a promise of another type
hooks.rest_post_dispatch.tapPromise('typed', async () => 'text')
hooks.rest_post_dispatch.tapAsync('typed', (value, _server, _request, done) => done(null, value))
// @ts-expect-error a tap of a filter returns the type of the value
hooks.rest_post_dispatch.tap('typed', () => 'text')
// @ts-expect-error a tap needs a name
hooks.rest_post_dispatch.tap((value) => value)
hooks.determine_current_user.tap({ name: 'typed', stage: 10, before: 'other' }, (user, restRequest) => {
  expectTypeOf(user).toEqualTypeOf<CurrentUser>()
  expectTypeOf(user.typesTested).toEqualTypeOf<'yes' | undefined>()
  expectTypeOf(restRequest).toEqualTypeOf<RestRequest>()
  return user
})
hooks.rest_request_before_callbacks.tap('typed', (_result, endpoint) => {
  expectTypeOf(endpoint).toEqualTypeOf<Endpoint>()
})
hooks.rest_pre_serve_request.tap('typed', (served, exchange) => {
  expectTypeOf(served).toBeBoolean()
  expectTypeOf(exchange).toEqualTypeOf<Exchange>()
  return served
})
hooks.rest_endpoints.tap('typed', (routes) => {
  expectTypeOf(routes).toEqualTypeOf<Map<string, Route>>()
  return routes
})
hooks.rest_api_init.tapPromise('typed', async (restServer) => {
  expectTypeOf(restServer).toEqualTypeOf<RestServer>()
})

// Hooks of plugins are typed like hooks of the kernel.
hooks.types_tested.tap('typed', (value, by) => {
  expectTypeOf(value).toBeNumber()
  expectTypeOf(by).toBeString()
  return value + 1
})
hooks.types_happened.tap('typed', (event) => {
  expectTypeOf(event).toEqualTypeOf<'a' | 'b'>()
})
hooks.deprecated_function_run.tap('typed', (name, replacement) => {
  expectTypeOf(name).toBeString()
  expectTypeOf(replacement).toEqualTypeOf<string | null>()
})
hooks.save_post.tapPromise('typed', async (post, before) => {
  expectTypeOf(post).toEqualTypeOf<Post>()
  expectTypeOf(before).toEqualTypeOf<Post | null>()
})
// @ts-expect-error an undeclared hook
void hooks.types_tset

// Families: with `for`, and by full name.
hooks.rest_prepare.for('post').tap('typed', (prepared, item, restRequest) => {
  expectTypeOf(prepared).toEqualTypeOf<RestResponse>()
  expectTypeOf(item.title).toBeString()
  expectTypeOf(item.content).toEqualTypeOf<string | undefined>()
  expectTypeOf(restRequest).toEqualTypeOf<RestRequest>()
  return prepared
})
hooks.rest_query.for('page').tap('typed', (query) => {
  expectTypeOf(query).toEqualTypeOf<PostQuery>()
  return { ...query, limit: 5 }
})
// @ts-expect-error an unknown property of a query
hooks.rest_query.for('page').tap('typed', (query) => ({ ...query, limit: 'many' }))
hooks.rest_query.for('plant').tap('typed', (query) => {
  expectTypeOf(query).toBeUnknown()
  return query
})
hooks.rest_after_insert.for('comment').tap('typed', (comment) => {
  expectTypeOf(comment).toEqualTypeOf<Comment>()
})
hooks.rest_pre_insert.for('category').tap('typed', (change) => {
  expectTypeOf(change.name).toEqualTypeOf<string | undefined>()
  return change
})
hooks.rest_prepare_post.tap('typed', (prepared) => {
  expectTypeOf(prepared).toEqualTypeOf<RestResponse>()
  return prepared
})
hooks.types_shown.for('any').tap('typed', (text, id) => {
  expectTypeOf(text).toBeString()
  expectTypeOf(id).toBeNumber()
  return text
})

// A member has the same type with `for` and by full name.
expectTypeOf(hooks.rest_prepare_post).toEqualTypeOf(hooks.rest_prepare.for('post'))
expectTypeOf(hooks.rest_page_query).toEqualTypeOf(hooks.rest_query.for('page'))
expectTypeOf(hooks.rest_pre_insert_comment).toEqualTypeOf(hooks.rest_pre_insert.for('comment'))
expectTypeOf(hooks.rest_pre_insert_user).toEqualTypeOf(hooks.rest_pre_insert.for('user'))
expectTypeOf(hooks.rest_delete_application_password).toEqualTypeOf(hooks.rest_delete.for('application_password'))
expectTypeOf(hooks.rest_post_trashable).toEqualTypeOf(hooks.rest_trashable.for('post'))

// A tap of a filter may return undefined, which leaves the value unchanged.
hooks.rest_prepare.for('post').tap('typed', (prepared) => {
  prepared.headers.set('X-Typed', '1')
})
hooks.rest_post_dispatch.tapPromise('typed', async () => {})
hooks.rest_url_prefix.tap('typed', (prefix) => (prefix === 'a' ? 'b' : undefined))

// Parameters are named and typed by the hook.
expectTypeOf<Parameters<(typeof hooks.rest_prepare_post)['tap']>[1]>().parameters.toEqualTypeOf<
  [value: RestResponse, item: PostShown, request: RestRequest]
>()

// If the name is only known at run time, taps take any item.
declare const name: string
expectTypeOf(hooks.rest_prepare.for(name)).toEqualTypeOf<
  Filter<RestResponse, [item: unknown, request: RestRequest], 'request'>
>()
expectTypeOf(applyFilter(hooks.rest_prepare.for(name), response, {}, request)).toEqualTypeOf<Awaitable<RestResponse>>()
expectTypeOf(hooks.rest_trashable.for(name)).toEqualTypeOf<SyncFilter<boolean, [item: unknown]>>()

// Filters of taps: only those that the hook supports.
hooks.rest_prepare.for('post').tap({ name: 'typed', fields: 'price', context: ['view', 'edit'] }, (shown) => shown)
hooks.rest_prepare.for(name).tapPromise({ name: 'typed', methods: 'GET', stage: 5 }, async (shown) => shown)
hooks.rest_pre_dispatch.tap({ name: 'typed', methods: ['POST', 'PUT'] }, (early) => early)
hooks.save_post.tapPromise({ name: 'typed', types: ['post', 'page'] }, async () => {})
hooks.rest_additional_fields.tapAsync(
  { name: 'typed', types: 'post', fields: ['price'] },
  (data, _type, _r, _s, done) => done(null, data),
)
// @ts-expect-error members of this family have one type
hooks.rest_prepare.for('post').tap({ name: 'typed', types: ['post'] }, (shown) => shown)
// @ts-expect-error the arguments of the request are not checked yet
hooks.rest_pre_dispatch.tap({ name: 'typed', context: 'edit' }, (early) => early)
// @ts-expect-error an unknown context
hooks.rest_prepare.for('post').tapPromise({ name: 'typed', context: 'show' }, (shown) => shown)
// @ts-expect-error a hook without facts
hooks.types_tested.tap({ name: 'typed', methods: 'GET' }, (value) => value)
// @ts-expect-error a tap of an action of posts has no fields
hooks.save_post.tap({ name: 'typed', fields: 'price' }, () => {})
hooks.types_filtered.tap({ name: 'typed', types: 'plant' }, (value) => value)

// Dependencies of a tap: 'nothing', tags, or a function that returns tags.
hooks.types_tested.tap({ name: 'typed', dependsOn: 'nothing' }, (value) => value)
hooks.rest_prepare.for('post').tap({ name: 'typed', dependsOn: (_shown, { id }) => [`stock:${id}`] }, (shown) => shown)
hooks.save_post.tap({ name: 'typed', dependsOn: ['stock'] }, () => {})
// @ts-expect-error tags are a list
hooks.types_tested.tap({ name: 'typed', dependsOn: 'stock' }, (value) => value)
// @ts-expect-error tags are texts
hooks.types_tested.tapPromise({ name: 'typed', dependsOn: (value) => [value] }, async (value) => value)
expectTypeOf(isUsed(hooks.rest_prepare.for(name), { request })).toBeBoolean()
expectTypeOf(isPerRequest(hooks.determine_current_user, { method: 'GET' })).toBeBoolean()

// Runs return a value, or a promise of it.
expectTypeOf(applyFilter(hooks.rest_post_dispatch, response, server, request)).toEqualTypeOf<Awaitable<RestResponse>>()
expectTypeOf(applyFilter(hooks.types_tested, 1, 'me')).toEqualTypeOf<Awaitable<number>>()
expectTypeOf(applySyncFilter(hooks.rest_url_prefix, 'api')).toBeString()
expectTypeOf(runAction(hooks.rest_api_init, server)).toEqualTypeOf<Awaitable<void>>()
// @ts-expect-error the value is a number
void applyFilter(hooks.types_tested, 'one', 'me')
// @ts-expect-error an argument is missing
void applyFilter(hooks.types_tested, 1)
// @ts-expect-error an asynchronous hook
void applySyncFilter(hooks.types_tested, 1, 'me')
// @ts-expect-error an action passes no value
void applyFilter(hooks.rest_api_init, server)

// Specifications: one per hook, of its kind, with a name for each argument.
interface Declared {
  text: Filter<string, [by: string]>
  text_now: SyncFilter<string>
  happened: Action<[what: string]>
  happened_now: SyncAction
  notified: Action<[item: { type: string }], 'type'>
  shown: Family<'shown_*', Filter<string, [id: number]>>
  [member: `shown_${string}`]: MemberOf<Declared['shown']>
  list_params: Family<'list_*_params', SyncFilter<string[]>>
  [params: `list_${string}_params`]: MemberOf<Declared['list_params']>
}
const declared = {
  text: filter('text', 'by'),
  text_now: { ...syncFilter('text'), accepts: (value: unknown) => typeof value === 'string' },
  happened: { ...action('what'), owning: true },
  happened_now: syncAction(),
  notified: { ...action('item'), about: { type: (item: { type: string }) => item.type } },
  'shown_*': filter('text', 'id'),
  'list_*_params': syncFilter('params'),
}
void (declared satisfies HookSpecs<Declared>)
expectTypeOf<keyof HookSpecs<Declared>>().toEqualTypeOf<keyof typeof declared>()
const { text: _text, ...withoutOne } = declared
// @ts-expect-error a name without a specification
void (withoutOne satisfies HookSpecs<Declared>)
const { 'shown_*': _shown, ...withoutFamily } = declared
// @ts-expect-error a family without a specification
void (withoutFamily satisfies HookSpecs<Declared>)
// @ts-expect-error a specification without a type
void ({ ...declared, other: action() } satisfies HookSpecs<Declared>)
// @ts-expect-error another kind
void ({ ...declared, text: syncFilter('text', 'by') } satisfies HookSpecs<Declared>)
// @ts-expect-error an action is not a filter
void ({ ...declared, happened: filter('what') } satisfies HookSpecs<Declared>)
// @ts-expect-error another kind of a family
void ({ ...declared, 'list_*_params': filter('params') } satisfies HookSpecs<Declared>)
// @ts-expect-error a specification without the `about` that its type requires
void ({ ...declared, notified: action('item') } satisfies HookSpecs<Declared>)
// @ts-expect-error a specification with an `about` that its type lacks
void ({ ...declared, text: { ...filter('text', 'by'), about: { type: () => 'post' } } } satisfies HookSpecs<Declared>)
const ofNumbers = { ...action('item'), about: { type: (id: number) => `${id}` } }
// @ts-expect-error a function of other arguments
void ({ ...declared, notified: ofNumbers } satisfies HookSpecs<Declared>)
// @ts-expect-error an argument without a name
void ({ ...declared, text: filter('text') } satisfies HookSpecs<Declared>)
// @ts-expect-error a name without an argument
void ({ ...declared, happened_now: syncAction('what') } satisfies HookSpecs<Declared>)
// @ts-expect-error a name without an argument, of a family
void ({ ...declared, 'shown_*': filter('text', 'id', 'by') } satisfies HookSpecs<Declared>)
expectTypeOf(filter('text', 'by')).toExtend<HookSpec>()
expectTypeOf<HookSpec>().toHaveProperty('kind').toEqualTypeOf<'action' | 'filter' | 'sync action' | 'sync filter'>()
expectTypeOf(hooks['rest_plant_item_schema']).toEqualTypeOf<MemberOf<Hooks['rest_item_schema']> | undefined>()
