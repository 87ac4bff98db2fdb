import type { Arguments } from './arguments.ts'
import { errors, type RestError } from '../errors.ts'
import type { Awaitable } from '../awaitable.ts'
import { currentOwner, type Owner, type Registrant } from '../ownership.ts'
import { noParams } from '../http/query-string.ts'
import type { RestRequest } from './request.ts'
import { expressionOf } from './route-pattern.ts'
import { trimMarks } from '../text/trim.ts'

/** The methods that a route can have. GET includes HEAD. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Handles a request. Returns a response, an error (which can also be thrown), or data that becomes the body. */
export type Handler = (request: RestRequest) => Awaitable<unknown>
/** Returns whether the user may send the request: only `true` permits it; an error becomes the response. */
export type PermissionCheck = (request: RestRequest) => Awaitable<boolean | RestError>

/** An endpoint of a route, as passed to `registerRoute` (specification 4.2). */
export interface EndpointGroup {
  /** `GET`, `'GET, POST'` or a list; `GET` by default. */
  methods?: string | readonly string[]
  /** With null, requests are refused with `rest_invalid_handler`. */
  callback: Handler | null
  permission_callback?: PermissionCheck
  args?: Arguments
  /** Whether batches can contain requests for it. */
  allow_batch?: boolean | { v1: boolean }
  /**
   * Whether responses to GET can be cached until the data they were made from changes. False by default for third-party
   * plugins. If you set it, call `request.dependsOn` for data that is not read from the store, and
   * `request.preventCaching` if the response depends on the time, the address of the client or another site.
   */
  cache?: boolean
  /** Whether index documents list the endpoint; true by default. */
  show_in_index?: boolean
}

/** Options of a route: its endpoints under the keys 0, 1, …, and `args` for all of them. */
export interface RouteGroups {
  readonly [index: number]: EndpointGroup
  args?: Arguments
  /** Returns the schema of the objects of the route, which OPTIONS shows. */
  schema?: () => Record<string, unknown>
  allow_batch?: boolean | { v1: boolean }
  /** Whether responses of its endpoints can be cached. See `cache` of `EndpointGroup`. */
  cache?: boolean
  // Keys of endpoints only.
  methods?: never
  callback?: never
  permission_callback?: never
  /** Your own options, stored unchanged. */
  [extension: `x-${string}`]: unknown
}

/** A registered endpoint. */
export interface Endpoint {
  readonly methods: readonly string[]
  readonly callback: Handler
  readonly permission_callback: PermissionCheck | null
  readonly args: Arguments
  readonly allow_batch: { v1: boolean } | null
  /** Whether responses to GET can be cached; `default` if an endpoint of a default plugin does not set it. */
  readonly cache: boolean | 'default'
  readonly show_in_index: boolean
  /** Name of the plugin that registered it. */
  readonly owner: string
  /** Default values by argument. */
  readonly defaults: Readonly<Record<string, unknown>>
}

/** A registered route. */
export interface Route {
  /** The full pattern: `/svc/v2/posts/(?P<id>[\d]+)`. */
  readonly pattern: string
  readonly namespace: string
  readonly endpoints: Endpoint[]
  readonly options: Readonly<Record<string, unknown>>
  readonly schema: (() => Record<string, unknown>) | null
  /** Name of the plugin that registered it. */
  readonly owner: string
}

const trimSlashes = (text: string) => trimMarks(text, '/')

/**
 * Creates a route from the arguments of `registerRoute`.
 * @throws ROUTE_INVALID if the pattern is not a regular expression, or a handler is missing
 */
export function makeRoute(
  namespace: string,
  route: string,
  definition: EndpointGroup | readonly EndpointGroup[] | RouteGroups,
): Route {
  const space = trimSlashes(namespace)
  const path = trimSlashes(route)
  const joined = path === '' ? `/${space}` : space === '' ? `/${path}` : `/${space}/${path}`
  // Clients know captures as `(?P<name>`. `(?<=` and `(?<!` are not captures.
  const pattern = joined.replace(/\(\?<(?![=!])/g, '(?P<')
  const { groups, shared } = groupsOf(definition)
  if (groups.length === 0) {
    throw invalidRoute(pattern, 'it has no endpoint: pass an object with a callback, or a list of such objects')
  }
  // Fails here: in the table, an invalid pattern would break all routes.
  expressionOf(pattern)
  const options = Object.fromEntries(Object.entries(shared).filter(([key]) => !/^(?:\d+|args|schema|cache)$/.test(key)))
  return {
    pattern,
    namespace: space,
    endpoints: groups.map((group) => makeEndpoint(pattern, group, shared)),
    options,
    schema: shared.schema ?? null,
    owner: currentOwner().name,
  }
}

const invalidRoute = (pattern: string, reason: string) => errors.ROUTE_INVALID(pattern, currentOwner().name, reason)

/** Splits the argument of `registerRoute` into endpoints and their shared options. */
export function groupsOf(definition: EndpointGroup | readonly EndpointGroup[] | RouteGroups): {
  groups: EndpointGroup[]
  shared: RouteGroups
} {
  if ('callback' in definition) return { groups: [definition as EndpointGroup], shared: {} }
  const groups = Object.entries(definition).flatMap(([key, group]) =>
    /^\d+$/.test(key) ? [group as EndpointGroup] : [],
  )
  return { groups, shared: Array.isArray(definition) ? {} : (definition as RouteGroups) }
}

function makeEndpoint(pattern: string, group: EndpointGroup, shared: RouteGroups): Endpoint {
  const callback = group.callback ?? (() => errors.rest_invalid_handler())
  if (typeof callback !== 'function') throw invalidRoute(pattern, 'a callback is not a function')
  const args: Arguments = { ...shared.args, ...group.args }
  const defaults = noParams()
  for (const [name, arg] of Object.entries(args)) if (arg.default !== undefined) defaults[name] = arg.default
  const batch = group.allow_batch ?? shared.allow_batch ?? false
  const endpoint: Endpoint = {
    methods: methodsOf(group),
    callback,
    permission_callback: group.permission_callback ?? null,
    args,
    allow_batch: typeof batch === 'object' ? batch : batch ? { v1: true } : null,
    cache: group.cache ?? shared.cache ?? (currentOwner().trusted ? 'default' : false),
    show_in_index: group.show_in_index ?? true,
    owner: currentOwner().name,
    defaults,
  }
  const owner = currentOwner()
  endpointOwners.set(endpoint, owner.root)
  const isNamed = group.cache !== undefined || shared.cache !== undefined
  if (!owner.trusted && !endpoint.cache && endpoint.methods.includes('GET'))
    owner.noteUncached(`the route ${pattern}: ${isNamed ? 'cache: false' : 'no cache: true'}`)
  return endpoint
}

const endpointOwners = new WeakMap<Endpoint, Owner>()

/** Returns the owner of an endpoint, for streams, which must end with their plugin. */
export function ownerOf(endpoint: Endpoint): Owner | undefined {
  return endpointOwners.get(endpoint)
}

/** Returns whether an endpoint handles a method; GET endpoints also handle HEAD. */
export function allowsMethod(endpoint: Endpoint, method: string): boolean {
  return endpoint.methods.includes(method) || (method === 'HEAD' && endpoint.methods.includes('GET'))
}

/** Returns the methods of an endpoint in upper case; GET by default. */
export function methodsOf({ methods = ['GET'] }: { methods?: string | readonly string[] }): string[] {
  const names = typeof methods === 'string' ? methods.split(',') : methods
  return names.map((method) => method.trim().toUpperCase())
}

/** A registered route with its registrant. */
export interface Registered {
  readonly route: Route
  /** Whether it replaces earlier routes with the same pattern. */
  readonly override: boolean
  readonly registrant: Registrant
}

/** Returns routes by pattern: a later route with the same pattern adds its endpoints, or replaces the earlier one. */
export function mergeRoutes(registered: Iterable<Omit<Registered, 'registrant'>>): Map<string, Route> {
  const merged = new Map<string, Route>()
  for (const { route, override } of registered) {
    const existing = merged.get(route.pattern)
    if (existing === undefined || override) merged.set(route.pattern, { ...route, endpoints: [...route.endpoints] })
    else existing.endpoints.push(...route.endpoints)
  }
  return merged
}
