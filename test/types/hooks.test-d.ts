// What the compiler promises about hooks. `npm run check:types` reads it; nothing runs.
import { expectTypeOf } from 'expect-type'
import {
  applyFilter,
  applySyncFilter,
  runAction,
  type Awaitable,
  type CurrentUser,
  type Endpoint,
  type Exchange,
  type Hooks,
  type RestRequest,
  type RestResponse,
  type RestServer,
  type Route,
} from '../../kernel/index.ts'
import '../../plugins/responses/deprecation.ts'
import type { Comment } from '../../plugins/content/comments/index.ts'
import type { Post, PostQuery } from '../../plugins/content/posts/index.ts'
import type {} from './plugins.test-d.ts'

declare const hooks: Hooks
declare const request: RestRequest
declare const response: RestResponse
declare const server: RestServer

// A tap gets the value and the arguments of its hook, and gives a value of the same type.
hooks.rest_post_dispatch.tap('typed', (value, from, asked) => {
  expectTypeOf(value).toEqualTypeOf<RestResponse>()
  expectTypeOf(from).toEqualTypeOf<RestServer>()
  expectTypeOf(asked).toEqualTypeOf<RestRequest>()
  return value
})
hooks.rest_post_dispatch.tapPromise('typed', async (value) => value)
hooks.rest_post_dispatch.tapPromise({ name: 'typed', stage: 10 }, (value, _server, asked) =>
  asked.id === '' ? value : Promise.resolve(value),
)
// @ts-expect-error a promise of something else
hooks.rest_post_dispatch.tapPromise('typed', async () => 'text')
hooks.rest_post_dispatch.tapAsync('typed', (value, _server, _request, done) => done(null, value))
// @ts-expect-error a filter gives back what it got
hooks.rest_post_dispatch.tap('typed', () => 'text')
// @ts-expect-error a tap has a name
hooks.rest_post_dispatch.tap((value) => value)
hooks.determine_current_user.tap({ name: 'typed', stage: 10, before: 'other' }, (user, asked) => {
  expectTypeOf(user).toEqualTypeOf<CurrentUser>()
  expectTypeOf(user.typesTested).toEqualTypeOf<'yes' | undefined>()
  expectTypeOf(asked).toEqualTypeOf<RestRequest>()
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
hooks.rest_api_init.tapPromise('typed', async (made) => {
  expectTypeOf(made).toEqualTypeOf<RestServer>()
})

// Hooks that plugins declare are as good as those of the kernel.
hooks.types_tested.tap('typed', (value, by) => {
  expectTypeOf(value).toBeNumber()
  expectTypeOf(by).toBeString()
  return value + 1
})
hooks.types_happened.tap('typed', (what) => {
  expectTypeOf(what).toEqualTypeOf<'a' | 'b'>()
})
hooks.deprecated_function_run.tap('typed', (name, replacement) => {
  expectTypeOf(name).toBeString()
  expectTypeOf(replacement).toEqualTypeOf<string | null>()
})
hooks.save_post.tapPromise('typed', async (post, before) => {
  expectTypeOf(post).toEqualTypeOf<Post>()
  expectTypeOf(before).toEqualTypeOf<Post | null>()
})
// @ts-expect-error nobody declares this one
void hooks.types_tset

// Families: by `for`, and by full name.
hooks.rest_prepare.for('post').tap('typed', (prepared, item, asked) => {
  expectTypeOf(prepared).toEqualTypeOf<RestResponse>()
  expectTypeOf(item.title).toBeString()
  expectTypeOf(item.content).toEqualTypeOf<string | undefined>()
  expectTypeOf(asked).toEqualTypeOf<RestRequest>()
  return prepared
})
hooks.rest_query.for('page').tap('typed', (query) => {
  expectTypeOf(query).toEqualTypeOf<PostQuery>()
  return { ...query, limit: 5 }
})
// @ts-expect-error a query has no such limit
hooks.rest_query.for('page').tap('typed', (query) => ({ ...query, limit: 'many' }))
hooks.rest_query.for('plant').tap('typed', (query) => {
  expectTypeOf(query).toBeAny()
  return query
})
hooks.rest_after_insert.for('comment').tap('typed', (comment) => {
  expectTypeOf(comment).toEqualTypeOf<Comment>()
})
hooks.rest_pre_insert.for('category').tap('typed', (change) => {
  expectTypeOf(change.name).toEqualTypeOf<string | undefined>()
  return change
})
hooks.rest_prepare_post?.tap('typed', (prepared) => {
  expectTypeOf(prepared).toEqualTypeOf<RestResponse>()
  return prepared
})
hooks.types_shown.for('any').tap('typed', (text, id) => {
  expectTypeOf(text).toBeString()
  expectTypeOf(id).toBeNumber()
  return text
})

// Running them: a value, or a promise of it.
expectTypeOf(applyFilter(hooks.rest_post_dispatch, response, server, request)).toEqualTypeOf<Awaitable<RestResponse>>()
expectTypeOf(applyFilter(hooks.types_tested, 1, 'me')).toEqualTypeOf<Awaitable<number>>()
expectTypeOf(applySyncFilter(hooks.rest_url_prefix, 'api')).toBeString()
expectTypeOf(runAction(hooks.rest_api_init, server)).toEqualTypeOf<Awaitable<void>>()
// @ts-expect-error the value is a number
void applyFilter(hooks.types_tested, 'one', 'me')
// @ts-expect-error an argument is missing
void applyFilter(hooks.types_tested, 1)
