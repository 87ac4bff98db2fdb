import type { Arguments } from './arguments.ts'
import { errors, type RestError } from '../errors.ts'
import type { Awaitable } from '../awaitable.ts'
import { currentOwner, type Owner, type Registrant } from '../ownership.ts'
import { noParams } from '../http/query-string.ts'
import type { RestRequest } from './request.ts'
import { expressionOf } from './route-pattern.ts'
import { trimMarks } from '../text/trim.ts'

/** The methods that a route can have. HEAD is answered where GET is. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Handles a request. Returns a response, an error (which may also be thrown), or data that becomes the body. */
export type Handler = (request: RestRequest) => Awaitable<unknown>
/** Whether the user may send the request: only `true` permits; an error says why not. */
export type PermissionCheck = (request: RestRequest) => Awaitable<boolean | RestError>

/** One endpoint of a route, as it is registered (specification 4.2). */
export interface EndpointGroup {
  /** `GET`, `'GET, POST'` or a list; `GET` by default. */
  methods?: string | readonly string[]
  callback: Handler
  permission_callback?: PermissionCheck
  args?: Arguments
  /** Whether requests of a batch may ask for it. */
  allow_batch?: boolean | { v1: boolean }
  /**
   * Whether responses to GET may be kept, as long as nothing that was read for them has changed. Of plugins that are no
   * defaults they are not, unless they say so: what is not read from the store has to be named by `request.dependsOn`,
   * and what depends on the time, the client's address or another site is for `request.doNotKeep`.
   */
  cache?: boolean
  /** A document endpoint that index documents leave out. */
  show_in_index?: boolean
}

/** Options of a route: its endpoints under the keys 0, 1, …; `args` are shared by all of them. */
export interface RouteGroups {
  readonly [index: number]: EndpointGroup
  args?: Arguments
  /** The schema of the objects behind the route, shown by OPTIONS. */
  schema?: () => Record<string, unknown>
  allow_batch?: boolean | { v1: boolean }
  /** Whether responses of its endpoints may be kept. */
  cache?: boolean
  /** Only endpoints have these. */
  methods?: never
  callback?: never
  permission_callback?: never
  /** Options of your own; they are left as they are. */
  [extension: `x-${string}`]: unknown
}

/** A registered endpoint. */
export interface Endpoint {
  readonly methods: readonly string[]
  readonly callback: Handler
  readonly permission_callback: PermissionCheck | null
  readonly args: Arguments
  readonly allow_batch: { v1: boolean } | null
  /** Whether responses to GET may be kept: `default` where nobody has said so of a default plugin's endpoint. */
  readonly cache: boolean | 'default'
  readonly show_in_index: boolean
  /** Name of the plugin that registered it. */
  readonly owner: string
  /** Declared defaults by argument. */
  readonly defaults: Readonly<Record<string, unknown>>
}

/** A registered route. */
export interface Route {
  /** The full route as registered: `/svc/v2/posts/(?P<id>[\d]+)`. */
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
 * Makes a route of what was registered.
 * @throws ROUTE_INVALID when the pattern is no regular expression, or a handler is missing
 */
export function makeRoute(
  namespace: string,
  route: string,
  given: EndpointGroup | readonly EndpointGroup[] | RouteGroups,
): Route {
  const space = trimSlashes(namespace)
  const path = trimSlashes(route)
  const joined = path === '' ? `/${space}` : space === '' ? `/${path}` : `/${space}/${path}`
  // One way to write captures, the one that clients know; (?<= and (?<! are no captures.
  const pattern = joined.replace(/\(\?<(?![=!])/g, '(?P<')
  const { groups, shared } = groupsOf(given)
  if (groups.length === 0) {
    throw refused(pattern, 'it has no endpoint: give it an object with a callback, or a list of such')
  }
  // Before it can stand in the way of every other route.
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

const refused = (pattern: string, why: string) => errors.ROUTE_INVALID(pattern, currentOwner().name, why)

/** The endpoints that a route is registered with, and what they share. */
export function groupsOf(given: EndpointGroup | readonly EndpointGroup[] | RouteGroups): {
  groups: EndpointGroup[]
  shared: RouteGroups
} {
  if ('callback' in given) return { groups: [given as EndpointGroup], shared: {} }
  const groups = Object.entries(given).flatMap(([key, group]) => (/^\d+$/.test(key) ? [group as EndpointGroup] : []))
  return { groups, shared: Array.isArray(given) ? {} : (given as RouteGroups) }
}

function makeEndpoint(pattern: string, group: EndpointGroup, shared: RouteGroups): Endpoint {
  if (typeof group.callback !== 'function') throw refused(pattern, 'an endpoint has no callback: give it a function')
  const args: Arguments = { ...shared.args, ...group.args }
  const defaults = noParams()
  for (const [name, arg] of Object.entries(args)) if (arg.default !== undefined) defaults[name] = arg.default
  const batch = group.allow_batch ?? shared.allow_batch ?? false
  const endpoint: Endpoint = {
    methods: methodsOf(group),
    callback: group.callback,
    permission_callback: group.permission_callback ?? null,
    args,
    allow_batch: typeof batch === 'object' ? batch : batch ? { v1: true } : null,
    cache: group.cache ?? shared.cache ?? (currentOwner().trusted ? 'default' : false),
    show_in_index: group.show_in_index ?? true,
    owner: currentOwner().name,
    defaults,
  }
  const owner = currentOwner()
  owners.set(endpoint, owner.root)
  const isNamed = group.cache !== undefined || shared.cache !== undefined
  if (!owner.trusted && !endpoint.cache && endpoint.methods.includes('GET'))
    owner.noteUncached(`the route ${pattern}: ${isNamed ? 'cache: false' : 'no cache: true'}`)
  return endpoint
}

const owners = new WeakMap<Endpoint, Owner>()

/** Who registered an endpoint, for what goes on after its responses and has to end with its plugin. */
export function ownerOf(endpoint: Endpoint): Owner | undefined {
  return owners.get(endpoint)
}

/** Whether an endpoint is for a method; GET endpoints are for HEAD, too. */
export function allowsMethod(endpoint: Endpoint, method: string): boolean {
  return endpoint.methods.includes(method) || (method === 'HEAD' && endpoint.methods.includes('GET'))
}

/** The methods that an endpoint is registered for, in upper case; GET where it names none. */
export function methodsOf({ methods = ['GET'] }: { methods?: string | readonly string[] }): string[] {
  const names = typeof methods === 'string' ? methods.split(',') : methods
  return names.map((method) => method.trim().toUpperCase())
}

/** A route as it was registered. */
export interface Registered {
  readonly route: Route
  /** Whether it takes the place of those of the same pattern before it. */
  readonly override: boolean
  readonly registrant: Registrant
}

/** The routes of a list by pattern: a second one adds its endpoints to the first, or takes its place. */
export function mergeRoutes(registered: Iterable<Omit<Registered, 'registrant'>>): Map<string, Route> {
  const merged = new Map<string, Route>()
  for (const { route, override } of registered) {
    const there = merged.get(route.pattern)
    if (there === undefined || override) merged.set(route.pattern, { ...route, endpoints: [...route.endpoints] })
    else there.endpoints.push(...route.endpoints)
  }
  return merged
}
