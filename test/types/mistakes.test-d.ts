// Mistakes of plugin authors that compiler and start refuse. `npm run check:types` compiles this file; it is never run.
import {
  definePlugin,
  type ArgumentSchema,
  type Hooks,
  type PluginContext,
  type RestServer,
} from '../../kernel/index.ts'
import type { Services } from '../../plugins/public.ts'

declare const server: RestServer
declare const hooks: Hooks
declare const services: Services
declare const context: PluginContext
const open = { permission_callback: () => true, callback: () => null }

// Routes
// @ts-expect-error a path is a text
server.registerRoute('a/v1', /it/, open)
// @ts-expect-error namespace and path are separate arguments
server.registerRoute('/a/v1/it', open)
// @ts-expect-error override is a boolean
server.registerRoute('a/v1', 'it', open, { override: true })
// @ts-expect-error a permission check returns a result
server.registerRoute('a/v1', 'it', { ...open, permission_callback: () => {} })
// @ts-expect-error cache is a boolean
server.registerRoute('a/v1', 'it', { ...open, cache: '5m' })
// @ts-expect-error arguments have names
server.registerRoute('a/v1', 'it', { ...open, args: ['size'] })
// @ts-expect-error the schema of a route is a function
server.registerRoute('a/v1', 'it', { 0: open, schema: { type: 'object' } })

// Schemas
export const schemas: ArgumentSchema[] = [
  // @ts-expect-error several types are a list
  { type: 'string|null' },
  // @ts-expect-error null is the text 'null'
  { type: null },
  // @ts-expect-error a pattern is a text
  { type: 'string', pattern: /^a$/ },
  // @ts-expect-error items have one schema
  { type: 'array', items: [{ type: 'string' }] },
  // @ts-expect-error $ref is not supported
  { $ref: '#/definitions/size' },
  // @ts-expect-error a check returns true, false or an error
  { type: 'string', validate_callback: () => 'too long' },
  // @ts-expect-error a check returns a result
  { type: 'string', validate_callback: () => {} },
]

// Taps
// @ts-expect-error a family has no taps
hooks.rest_prepare.tap('a', (response: unknown) => response)
// @ts-expect-error one name at a time
hooks.rest_prepare.for(['post', 'page'])
// @ts-expect-error methods are in capitals
hooks.rest_post_dispatch.tap({ name: 'a', methods: 'post' }, (response) => response)
// @ts-expect-error an unknown context
hooks.rest_post_dispatch.tap({ name: 'a', context: 'veiw' }, (response) => response)
// @ts-expect-error 'nothing', tags or a function
hooks.rest_post_dispatch.tap({ name: 'a', dependsOn: 'nothign' }, (response) => response)
// @ts-expect-error there is no argument after the function
hooks.rest_post_dispatch.tap('a', (response) => response, 10)

// Plugins
// @ts-expect-error onRemove takes a function
context.onRemove(clearTimeout(1))
// @ts-expect-error services are provided, not set
context.services.posts = services.posts
// @ts-expect-error a service is not undefined
context.provide('posts')
// @ts-expect-error secrets are config keys
definePlugin({ name: 'a', secrets: ['databse'], apply() {} })
// @ts-expect-error migrations are a list
definePlugin({ name: 'a', migrations: { one: 'select 1' }, apply() {} })
// @ts-expect-error a migration has sql or run
definePlugin({ name: 'a', migrations: [{ name: 'one', up: 'select 1' }], apply() {} })
// @ts-expect-error apply returns no function
definePlugin({ name: 'a', apply: () => () => {} })

// Registries
// @ts-expect-error features are texts
services.contentTypes.register('plant', { supports: [1] })
// @ts-expect-error capability_type has singular and plural
services.contentTypes.register('plant', { capability_type: ['plant'] })
// @ts-expect-error one capability at a time
services.roles.grant('editor', ['water_plants'])
// @ts-expect-error meta needs a type
services.meta.register('post', 'size')
// @ts-expect-error an image size needs three values
services.imageSizes.register('big', { width: 1 })
