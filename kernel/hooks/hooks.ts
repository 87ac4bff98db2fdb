import {
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
  HookMap,
  SyncHook,
  SyncWaterfallHook,
  type Tap as TapOptions,
} from 'tapable'
import type { Arguments } from '../schema/schema.ts'
import type { ItemSchema } from '../rest/item-schema.ts'
import type { Selection } from '../rest/selection.ts'
import { errors, RestError } from '../errors.ts'
import { suggest } from '../text/suggest.ts'
import { withinSeconds } from '../deadline.ts'
import { currentOwner, type Owner } from '../ownership.ts'
import type { HeaderMap } from '../http/headers.ts'
import type { CurrentUser, RestRequest } from '../rest/request.ts'
import type { ErrorBody } from '../errors.ts'
import type { MetaSubject } from '../rest/resource-controller.ts'
import { RestResponse } from '../rest/response.ts'
import type { Endpoint, Route } from '../rest/routes.ts'
import type { Exchange, RestServer } from '../rest/server.ts'
import type { SitePage, SiteRequest } from '../http/site-request.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a family's taps know the type of their own member
type Any = any

/** Something happens; taps may wait for their own work. */
export type Action<A extends unknown[] = []> = AsyncSeriesHook<A>
/** A value passes through the taps in order; returning undefined leaves it as it is. Taps may be asynchronous. */
export type Filter<V, A extends unknown[] = []> = AsyncSeriesWaterfallHook<[V, ...A]> & SometimesWaiting<V, A>
/** Something happens, and nobody can wait: synchronous taps alone. */
export type SyncAction<A extends unknown[] = []> = SyncHook<A>
/** A value passes through synchronous taps alone; returning undefined leaves it as it is. */
export type SyncFilter<V, A extends unknown[] = []> = SyncWaterfallHook<[V, ...A]>
/**
 * Hooks that differ in one part of their name: `hooks.rest_prepare.for('post')` is `hooks.rest_prepare_post`. `Members`
 * are those that are known more closely than by `H`.
 */
export type Family<H, Members = object> = { for<N extends keyof Members & string>(name: N): Members[N] } & HookMap<H>

/**
 * The types behind object types, by their names, for the taps of families: `shown` is what a response is made of,
 * `item` what is stored, `change` what is about to be stored, `query` what a list asks for. Plugins merge theirs in:
 * `{ plant: PostTypes }`. Of types that are not here, and by full names, taps take anything.
 */
export interface ItemTypes {}
type Known<N extends keyof ItemTypes, K extends string> = ItemTypes[N] extends Record<K, infer T> ? T : Any

/** A tap that has to wait for some values only gives the others back at once, which costs no promise. */
interface SometimesWaiting<V, A extends unknown[]> {
  tapPromise(options: string | TapOptions, tap: (value: V, ...args: A) => Awaitable<V>): void
}

type AnyHook = SyncHook<Any> | SyncWaterfallHook<Any> | AsyncSeriesHook<Any> | AsyncSeriesWaterfallHook<Any>
export type HookKind = 'action' | 'filter' | 'sync action' | 'sync filter'

/** What a hook is, as its owner declares it. */
export interface HookSpec {
  readonly kind: HookKind
  readonly args: readonly string[]
  /** Registrations made by a tap while this hook runs belong to the tap's plugin. */
  readonly owning?: boolean
  /** Whether it runs at the start alone: a tap that does not come to an end within its plugin's deadline fails it. */
  readonly starting?: boolean
  /** Whether a value can be what a tap of a filter returns; another is the error TAP_RETURNED_WRONG, naming the plugin. */
  readonly accepts?: (value: unknown) => boolean
}

/** Declares an action and names its arguments. */
export const action = (...args: string[]): HookSpec => ({ kind: 'action', args })
/** Declares a filter; the first name is that of the value. */
export const filter = (...args: string[]): HookSpec => ({ kind: 'filter', args })
/** Declares a synchronous action. */
export const syncAction = (...args: string[]): HookSpec => ({ kind: 'sync action', args })
/** Declares a synchronous filter; the first name is that of the value. */
export const syncFilter = (...args: string[]): HookSpec => ({ kind: 'sync filter', args })

/** The hooks of the kernel itself, in the order in which a request meets them (docs/architecture.md). */
export interface KernelHooks {
  /** Filter: the class of the server, before it is made. @since 0.1.0 */
  svc_rest_server_class: SyncFilter<typeof RestServer>
  /** Action: the server is made; routes, fields and meta are registered here. @since 0.1.0 */
  rest_api_init: Action<[server: RestServer]>
  /** Filter: the registered routes, each time the table is made; a tap may add, change or take away routes. @since 0.1.0 */
  rest_endpoints: SyncFilter<Map<string, Route>, [server: RestServer]>
  /** Filter: first path segment of the interface. @since 0.1.0 */
  rest_url_prefix: SyncFilter<string>
  /** Filter: an address that the URL builder made. @since 0.1.0 */
  rest_url: SyncFilter<string, [path: string, blogId: number | null, scheme: string]>
  /** Filter: a path as routes are matched with it, slashes at its end taken away; `path` is the one asked for. @since 0.1.0 */
  rest_path_to_match: SyncFilter<string, [path: string]>
  /** Filter: the request that something else than a request stands for in an internal dispatch. @since 0.1.0 */
  rest_ensure_request: SyncFilter<RestRequest, [input: unknown]>
  /** Filter: the REST route that an address names, or null for a page of the site. @since 0.1.0 */
  rest_route_of_address: SyncFilter<string | null, [path: string, query: URLSearchParams]>
  /** Filter: the person who asks; VISITOR until a tap knows better. @since 0.1.0 */
  determine_current_user: Filter<CurrentUser, [request: RestRequest]>
  /** Filter: null while nobody has judged the credentials, true when they are good, else the error to answer with. @since 0.1.0 */
  rest_authentication_errors: Filter<RestError | true | null, [request: RestRequest]>
  /** Filter: an answer given before any route is looked up; null goes on. @since 0.1.0 */
  rest_pre_dispatch: Filter<unknown, [server: RestServer, request: RestRequest]>
  /** Filter: null, or an error that refuses the request before its permission check; arguments are checked. @since 0.1.0 */
  rest_request_before_callbacks: Filter<unknown, [endpoint: Endpoint, request: RestRequest]>
  /** Filter: an answer given in place of the handler's; undefined calls the handler. The permission is given. @since 0.1.0 */
  rest_dispatch_request: Filter<unknown, [request: RestRequest, route: string, endpoint: Endpoint]>
  /** Filter: what the handler answered, also when it is an error. @since 0.1.0 */
  rest_request_after_callbacks: Filter<unknown, [endpoint: Endpoint, request: RestRequest]>
  /** Filter: the response of an outside request, after dispatch, before links and embeds. @since 0.1.0 */
  rest_post_dispatch: Filter<RestResponse, [server: RestServer, request: RestRequest]>
  /** Filter: whether the answer has been sent already; the headers may still change. @since 0.1.0 */
  rest_pre_serve_request: Filter<boolean, [exchange: Exchange]>
  /** Filter: the data about to be written as JSON, links included. @since 0.1.0 */
  rest_pre_echo_response: Filter<unknown, [server: RestServer, request: RestRequest, response: RestResponse]>
  /** Filter: the bytes of the answer as text. @since 0.1.0 */
  rest_encoded_response: SyncFilter<string, [request: RestRequest, response: RestResponse]>
  /** Filter: the body of an error answer. @since 0.1.0 */
  rest_error_body: SyncFilter<ErrorBody, [error: RestError, request: RestRequest]>
  /** Filter: prefixes of compact link relations: name and address with `{rel}`. @since 0.1.0 */
  rest_response_link_curies: SyncFilter<{ name: string; href: string; templated: boolean }[]>
  /** Filter: the index document. @since 0.1.0 */
  rest_index: Filter<RestResponse, [request: RestRequest]>
  /** Filter: the document of one namespace. @since 0.1.0 */
  rest_namespace_index: Filter<RestResponse, [request: RestRequest]>
  /** Filter: how one route is described in an index document; null leaves it out. @since 0.1.0 */
  rest_route_data: SyncFilter<Record<string, unknown> | null, [route: Route, context: string]>
  /** Filter: the headers that pages of other origins may read. @since 0.1.0 */
  rest_exposed_cors_headers: SyncFilter<string[]>
  /** Filter: the headers that pages of other origins may send. @since 0.1.0 */
  rest_allowed_cors_headers: SyncFilter<string[]>
  /** Family: the schema of an object type (`rest_post_item_schema`). @since 0.1.0 */
  rest_item_schema: Family<SyncFilter<ItemSchema>>
  [item_schema: `rest_${string}_item_schema`]: SyncFilter<ItemSchema>
  /** Filter: an item's data once its own fields are there; registered fields are added here. @since 0.1.0 */
  rest_additional_fields: Filter<
    Record<string, unknown>,
    [objectType: string, request: RestRequest, selection: Selection]
  >
  /**
   * Action: an item is stored; meta and registered fields take over what the request gives for them. The transaction is
   * open: an error that is thrown takes everything back, and is the response. @since 0.1.0
   */
  rest_update_additional_fields: Action<
    [item: unknown, objectType: string, request: RestRequest, meta: MetaSubject | null]
  >
  /** Family: the response that shows an item (`rest_prepare_post`). @since 0.1.0 */
  rest_prepare: Family<
    Filter<RestResponse, [item: Any, request: RestRequest]>,
    { [N in keyof ItemTypes]: Filter<RestResponse, [item: Known<N, 'shown'>, request: RestRequest]> }
  >
  [prepare: `rest_prepare_${string}`]: Filter<RestResponse, [item: Any, request: RestRequest]>
  /** Family: what a list asks its model for, once its arguments are checked (`rest_post_query`). @since 0.1.0 */
  rest_query: Family<
    Filter<Any, [request: RestRequest]>,
    { [N in keyof ItemTypes]: Filter<Known<N, 'query'>, [request: RestRequest]> }
  >
  [query: `rest_${string}_query`]: Filter<Any, [request: RestRequest]>
  /** Family: the arguments of a list, as its route is registered (`rest_post_collection_params`). @since 0.1.0 */
  rest_collection_params: Family<SyncFilter<Arguments, [kind: Any]>>
  [params: `rest_${string}_collection_params`]: SyncFilter<Arguments, [kind: Any]>
  /**
   * Family: an item about to be stored, or what is about to change of one (`rest_pre_insert_post`). Its arguments are
   * checked and the person may; a tap may change it, or refuse by throwing. @since 0.1.0
   */
  rest_pre_insert: Family<
    Filter<Any, [request: RestRequest]>,
    { [N in keyof ItemTypes]: Filter<Known<N, 'change'>, [request: RestRequest]> }
  >
  [pre_insert: `rest_pre_insert_${string}`]: Any
  /** Family: an item is stored, meta and registered fields are not yet; the transaction is open (`rest_insert_post`). @since 0.1.0 */
  rest_insert: Family<
    Action<[item: Any, request: RestRequest, creating: boolean]>,
    { [N in keyof ItemTypes]: Action<[item: Known<N, 'item'>, request: RestRequest, creating: boolean]> }
  >
  [insert: `rest_insert_${string}`]: Action<Any>
  /** Family: an item is stored whole, and the transaction closed (`rest_after_insert_post`). @since 0.1.0 */
  rest_after_insert: Family<
    Action<[item: Any, request: RestRequest, creating: boolean]>,
    { [N in keyof ItemTypes]: Action<[item: Known<N, 'item'>, request: RestRequest, creating: boolean]> }
  >
  [after_insert: `rest_after_insert_${string}`]: Action<Any>
  /** Family: a request has deleted an item, or moved it to the trash, and the transaction is closed (`rest_delete_post`). @since 0.1.0 */
  rest_delete: Family<
    Action<[item: Any, response: RestResponse, request: RestRequest]>,
    { [N in keyof ItemTypes]: Action<[item: Known<N, 'item'>, response: RestResponse, request: RestRequest]> }
  >
  [deletion: `rest_delete_${string}`]: Action<Any>
  /** Filter: the answer to an address that is not of the interface; null is answered with 404. @since 0.1.0 */
  site_request: Filter<SitePage | null, [request: SiteRequest]>
  /** Action: the headers of a page of the site are about to be sent and may still change. @since 0.1.0 */
  site_headers: SyncAction<[headers: HeaderMap, request: SiteRequest]>
  /**
   * Action: the site is about to be served at this home address; its port opens once every tap is through. Where the
   * system chooses the port, it is open already, and nobody has been told of it. @since 0.1.0
   */
  server_starting: Action<[home: string]>
  /** Action: the server accepts requests. @since 0.1.0 */
  server_listening: Action<[home: string]>
  /** Action: the server stops: no new requests; those under way are finished. @since 0.1.0 */
  server_stopping: Action
}

/** Every hook by name: the kernel's own and those that plugins merge in. */
export interface Hooks extends KernelHooks {}

const isText = (value: unknown) => typeof value === 'string'
const isObject = (value: unknown) => typeof value === 'object' && value !== null
const isResponse = (value: unknown) => value instanceof RestResponse
const isRequest = (value: unknown) => isObject(value) && typeof (value as { route?: unknown }).route === 'string'
const isUser = (value: unknown) => isObject(value) && typeof (value as { id?: unknown }).id === 'number'

const KERNEL_HOOKS: Readonly<Record<string, HookSpec>> = {
  svc_rest_server_class: syncFilter('class'),
  rest_api_init: { ...action('server'), owning: true, starting: true },
  rest_endpoints: { ...syncFilter('routes', 'server'), accepts: (routes) => routes instanceof Map },
  rest_url_prefix: { ...syncFilter('prefix'), accepts: isText },
  rest_url: { ...syncFilter('url', 'path', 'blogId', 'scheme'), accepts: isText },
  rest_path_to_match: { ...syncFilter('path', 'asked'), accepts: isText },
  rest_ensure_request: { ...syncFilter('request', 'input'), accepts: isRequest },
  rest_route_of_address: {
    ...syncFilter('route', 'path', 'query'),
    accepts: (route) => route === null || isText(route),
  },
  determine_current_user: { ...filter('user', 'request'), accepts: isUser },
  rest_authentication_errors: {
    ...filter('result', 'request'),
    accepts: (result) => result === null || result === true || result instanceof RestError,
  },
  rest_pre_dispatch: filter('result', 'server', 'request'),
  rest_request_before_callbacks: filter('result', 'endpoint', 'request'),
  rest_dispatch_request: filter('result', 'request', 'route', 'endpoint'),
  rest_request_after_callbacks: filter('result', 'endpoint', 'request'),
  rest_post_dispatch: { ...filter('response', 'server', 'request'), accepts: isResponse },
  rest_pre_serve_request: { ...filter('served', 'exchange'), accepts: (served) => typeof served === 'boolean' },
  rest_pre_echo_response: filter('data', 'server', 'request', 'response'),
  rest_encoded_response: { ...syncFilter('text', 'request', 'response'), accepts: isText },
  rest_error_body: { ...syncFilter('body', 'error', 'request'), accepts: isObject },
  rest_response_link_curies: { ...syncFilter('curies'), accepts: Array.isArray },
  'rest_*_item_schema': { ...syncFilter('schema'), accepts: isObject },
  rest_additional_fields: { ...filter('data', 'objectType', 'request', 'selection'), accepts: isObject },
  rest_update_additional_fields: action('item', 'objectType', 'request', 'meta'),
  'rest_prepare_*': { ...filter('response', 'item', 'request'), accepts: isResponse },
  'rest_*_query': filter('args', 'request'),
  'rest_*_collection_params': { ...syncFilter('params', 'kind'), accepts: isObject },
  'rest_pre_insert_*': { ...filter('prepared', 'request'), accepts: isObject },
  'rest_insert_*': action('item', 'request', 'creating'),
  'rest_after_insert_*': action('item', 'request', 'creating'),
  'rest_delete_*': action('item', 'response', 'request'),
  rest_index: { ...filter('response', 'request'), accepts: isResponse },
  rest_namespace_index: { ...filter('response', 'request'), accepts: isResponse },
  rest_route_data: syncFilter('data', 'route', 'context'),
  rest_exposed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
  rest_allowed_cors_headers: { ...syncFilter('names'), accepts: Array.isArray },
  site_request: filter('page', 'request'),
  site_headers: syncAction('headers', 'request'),
  server_starting: { ...action('home'), starting: true },
  server_listening: action('home'),
  server_stopping: action(),
}

type Tap = (...args: Any[]) => unknown

/** A tap as tapable keeps it, with the plugin that made it. */
interface OwnedTap {
  name: string
  type: 'sync' | 'async' | 'promise'
  fn: (...args: Any[]) => Any
  stage?: number
  before?: string | string[]
  plugin: string
  /** How it is run. */
  step: () => Step
}

/** One tap of a run. */
interface Step {
  /** The tap; where it may wait it returns a promise, unless it was through at once. */
  readonly call: Tap
  /** The error that names plugin and hook, made of what the tap threw. */
  readonly fail: (cause: unknown) => Error
  /** The error for a promise of a tap that may not wait; null for one that may. */
  readonly notAwaited: ((result: PromiseLike<unknown>) => Error) | null
  /** Gives back what a tap of a filter returned. Throws for a value that the filter cannot pass on; null takes any. */
  readonly accepted: ((value: unknown) => unknown) | null
}

/** A hook with its taps in order, as they are run; null until the next run, after the taps have changed. */
interface Planned {
  steps: readonly Step[] | null
  readonly taps: readonly OwnedTap[]
  readonly interceptors: readonly unknown[]
}

/** A hook as `svc hooks` prints it. */
export interface HookListing {
  name: string
  kind: HookKind
  args: readonly string[]
  owner: string
  /** Name of the family that it is a member of (`rest_prepare_*`), or null. */
  family: string | null
  taps: { name: string; plugin: string; stage: number }[]
}

/** Called around each tap while tracing is on; it returns what `call` returns, which is a promise for a tap that waits. */
export type TapTracer = (
  hook: string,
  plugin: string,
  tap: string,
  call: () => unknown,
  args: readonly unknown[],
) => unknown

interface Declared {
  spec: HookSpec
  owner: string
  /** The text before and after the `*` of a family. */
  parts: readonly [string, string] | null
}

/**
 * The hooks of one kernel. Names are looked up as written, then in the families (`rest_prepare_*`), longest fixed part
 * first; names that carry the word may be written with `svc` or with the word in use.
 */
export class HookRegistry {
  /** Hooks by name, as plugins see them. Throws HOOK_UNKNOWN for a name nobody declared. */
  readonly hooks: Hooks
  #tracer: TapTracer | undefined
  readonly #word: string
  readonly #declared = new Map<string, Declared>()
  readonly #made = new Map<string, AnyHook>()
  readonly #families = new Map<string, HookMap<AnyHook>>()

  constructor(word = 'svc') {
    this.#word = word
    for (const [name, spec] of Object.entries(KERNEL_HOOKS)) this.declare(name, spec)
    // A name that was asked for becomes a plain property, which costs nothing to read; the proxy behind the object is
    // asked for the others.
    const unknown = new Proxy(Object.prototype, {
      get: (_, name) => {
        if (typeof name !== 'string') return undefined
        const found = this.find(name)
        Object.defineProperty(this.hooks, name, { value: found, configurable: true })
        return found
      },
      has: (_, name) => typeof name === 'string' && this.#resolve(this.#neutral(name)) !== undefined,
    })
    this.hooks = Object.create(unknown) as Hooks
  }

  /** Runs every tap while it is set; for tracing. */
  get tracer(): TapTracer | undefined {
    return this.#tracer
  }

  set tracer(tracer: TapTracer | undefined) {
    this.#tracer = tracer
    for (const hook of this.#made.values()) (hook as unknown as Planned).steps = null
  }

  /**
   * Declares a hook, or with a `*` in its name a family, for the current owner.
   * @throws HOOK_TAKEN when another owner declared the name
   */
  declare(name: string, spec: HookSpec): void {
    const owner = currentOwner()
    const taken = this.#declared.get(name)
    if (taken !== undefined) throw errors.HOOK_TAKEN(name, taken.owner)
    const star = name.indexOf('*')
    const parts = star < 0 ? null : ([name.slice(0, star), name.slice(star + 1)] as const)
    this.#declared.set(name, { spec, owner: owner.name, parts })
    if (parts !== null) {
      const family = familyName(parts)
      this.#families.set(family, new HookMap((key) => this.find(`${parts[0]}${key}${parts[1]}`) as AnyHook))
    }
    owner.onRemove(() => this.#withdraw(name))
  }

  /**
   * The hook or family of a name.
   * @throws HOOK_UNKNOWN with the nearest known name
   */
  find(name: string): AnyHook | HookMap<AnyHook> {
    const neutral = this.#neutral(name)
    const made = this.#made.get(neutral) ?? this.#families.get(neutral)
    if (made !== undefined) return made
    const declared = this.#resolve(neutral)
    if (declared === undefined) throw errors.HOOK_UNKNOWN(name, suggest(name, this.#declared.keys()))
    const hook = this.#make(neutral, declared.spec)
    this.#made.set(neutral, hook)
    return hook
  }

  /** Every declared hook, and every member of a family that is in use, in order of declaration. */
  list(): HookListing[] {
    const listing: HookListing[] = []
    for (const [name, { spec, owner, parts }] of this.#declared) {
      const members =
        parts === null ? [name] : [...this.#made.keys()].filter((made) => this.#resolve(made)?.parts === parts)
      if (parts !== null) listing.push({ name, kind: spec.kind, args: spec.args, owner, family: null, taps: [] })
      for (const member of members) {
        const taps = ((this.#made.get(member)?.taps ?? []) as unknown as OwnedTap[]).map((tap) => ({
          name: tap.name,
          plugin: tap.plugin,
          stage: tap.stage ?? 0,
        }))
        if (parts === null || taps.length > 0) {
          const family = parts === null ? null : name
          listing.push({ name: member, kind: spec.kind, args: spec.args, owner, family, taps })
        }
      }
    }
    return listing
  }

  /**
   * Takes taps away, also while the hook runs: a run under way ends with the taps it began with.
   * @returns how many were taken away
   */
  untap(name: string, tap: string): number {
    const hook = this.find(name)
    return hook instanceof HookMap ? 0 : takeTaps(hook, (one) => one.name === tap)
  }

  #neutral(name: string): string {
    return this.#word !== 'svc' && name.startsWith(`${this.#word}_`) ? `svc_${name.slice(this.#word.length + 1)}` : name
  }

  #resolve(name: string): Declared | undefined {
    const exact = this.#declared.get(name)
    if (exact !== undefined) return exact
    let best: Declared | undefined
    let length = -1
    for (const declared of this.#declared.values()) {
      if (declared.parts === null) continue
      const [before, after] = declared.parts
      const fixed = before.length + after.length
      if (fixed > length && name.length > fixed && name.startsWith(before) && name.endsWith(after)) {
        best = declared
        length = fixed
      }
    }
    return best
  }

  #withdraw(name: string): void {
    const declared = this.#declared.get(name)
    if (declared === undefined) return
    for (const made of [...this.#made.keys()].filter((one) => this.#resolve(one) === declared)) {
      this.#made.delete(made)
      delete (this.hooks as unknown as Record<string, unknown>)[made]
    }
    if (declared.parts !== null) this.#families.delete(familyName(declared.parts))
    this.#declared.delete(name)
  }

  #make(name: string, spec: HookSpec): AnyHook {
    const hook = construct(name, spec)
    hook.isUsed = () => hook.taps.length > 0
    ;(hook as unknown as Planned).steps = null
    if (spec.kind.startsWith('sync')) {
      const refuse = () => {
        throw errors.HOOK_SYNC_ONLY(currentOwner().name, name)
      }
      Object.assign(hook, { tapAsync: refuse, tapPromise: refuse })
    }
    hook.intercept({
      register: (tap) => this.#own(hook, name, spec, tap as unknown as OwnedTap) as unknown as typeof tap,
    })
    const intercept = hook.intercept.bind(hook) as (one: Any) => void
    hook.intercept = (one: Any) => {
      ;(hook as unknown as Planned).steps = null
      intercept(one)
    }
    return hook
  }

  /** Gives a new tap its owner, and its errors the names of plugin and hook. */
  #own(hook: AnyHook, name: string, spec: HookSpec, tap: OwnedTap): OwnedTap {
    const owner = currentOwner()
    const plugin = owner.name
    for (const before of [tap.before ?? []].flat()) {
      if (!hook.taps.some((one) => one.name === before)) throw errors.HOOK_TAP_UNKNOWN(name, before)
    }
    const { fn } = tap
    const fail = (cause: unknown) => (cause instanceof RestError ? cause : errors.TAP_FAILED(plugin, name, { cause }))
    const inOwner =
      spec.owning === true ? (call: () => unknown) => owner.initial.run(call) : (call: () => unknown) => call()
    // While a tracer looks on, it calls the tap. A run that is under way ends as it began.
    const callOf = (): Tap => {
      const tracer = this.#tracer
      const called: Tap = tap.type === 'async' ? settled(fn, spec.args.length) : fn
      const plain: Tap = spec.starting === true ? inTime(called, owner, name) : called
      if (tracer === undefined && spec.owning !== true) return plain
      if (tracer === undefined) return (...args) => inOwner(() => plain(...args))
      return (...args) => inOwner(() => tracer(name, plugin, tap.name, () => plain(...args), args))
    }
    const { accepts } = spec
    const accepted =
      accepts === undefined
        ? null
        : (value: unknown) => {
            if (value !== undefined && !accepts(value)) throw errors.TAP_RETURNED_WRONG(plugin, name)
            return value
          }
    const notAwaited = (result: PromiseLike<unknown>) => {
      result.then(undefined, () => {})
      return errors.HOOK_TAP_NOT_AWAITED(plugin, name)
    }
    const wrapped: OwnedTap = {
      ...tap,
      plugin,
      step: () => ({ call: callOf(), fail, notAwaited: tap.type === 'sync' ? notAwaited : null, accepted }),
    }
    // What tapable itself calls, for those who run a hook by its own methods.
    if (tap.type === 'sync') wrapped.fn = (...args) => runStep(wrapped.step(), args)
    else if (tap.type === 'promise') wrapped.fn = async (...args) => runStep(wrapped.step(), args)
    else {
      wrapped.fn = (...args) => {
        const tell = args.pop() as (error: unknown, result?: unknown) => void
        new Promise((resolve) => resolve(runStep(wrapped.step(), args))).then((result) => tell(null, result), tell)
      }
    }
    ;(hook as unknown as Planned).steps = null
    const forget = owner.onRemove(() => void takeTaps(hook, (one) => one === wrapped))
    forgets.set(wrapped, forget)
    return wrapped
  }
}

/** A tap that fails when it takes longer than its plugin may. */
function inTime(call: Tap, { name: plugin, deadline }: Owner, hook: string): Tap {
  return (...args) => {
    const result = call(...args)
    if (!isThenable(result)) return result
    return withinSeconds(result, deadline, () => errors.PLUGIN_LATE(plugin, `hook ${hook}`, deadline))
  }
}

const forgets = new WeakMap<OwnedTap, () => void>()

function takeTaps(hook: AnyHook, matches: (tap: OwnedTap) => boolean): number {
  const taps = hook.taps as unknown as OwnedTap[]
  const taken = taps.filter(matches)
  if (taken.length === 0) return 0
  for (const tap of taken) forgets.get(tap)?.()
  hook.taps = taps.filter((tap) => !taken.includes(tap)) as unknown as typeof hook.taps
  ;(hook as unknown as Planned).steps = null
  // tapable has no public way to drop a tap; a new compilation leaves a run under way as it is.
  ;(hook as unknown as { _resetCompilation(): void })._resetCompilation()
  return taken.length
}

function familyName([before, after]: readonly [string, string]): string {
  return `${before.replace(/_$/, '')}${after}`
}

function construct(name: string, { kind, args }: HookSpec): AnyHook {
  // Names of our own: tapable makes code of them, and a plugin may well call an argument `class`.
  const names = args.map((_, index) => `a${index}`) as Any
  if (kind === 'action') return new AsyncSeriesHook<Any>(names, name)
  if (kind === 'filter') return new AsyncSeriesWaterfallHook<Any>(names, name)
  if (kind === 'sync action') return new SyncHook<Any>(names, name)
  return new SyncWaterfallHook<Any>(names, name)
}

/** Whether a value can be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** A value, or a promise of it where something really had to wait. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: at once when it is there, after waiting when it is a promise. */
export function chain<T, R>(value: Awaitable<T>, goOn: (value: T) => Awaitable<R>): Awaitable<R> {
  return isThenable(value) ? value.then(goOn) : goOn(value)
}

/** Does something that may fail at once or later, and answers a failure. */
export function attempt<T>(work: () => Awaitable<T>, rescue: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const result = work()
    return isThenable(result) ? result.then(undefined, rescue) : result
  } catch (error) {
    return rescue(error)
  }
}

/** Makes a tap with a callback one that returns its result: at once where the callback is called at once. */
function settled(call: Tap, count: number): Tap {
  return (a, b, c, d, e, f) => {
    let state: 'open' | 'done' | 'waited for' = 'open'
    let failure: unknown
    let result: unknown
    let settle: (() => void) | undefined
    const done = (error: unknown, value?: unknown) => {
      if (state === 'done') return
      const waited = state === 'waited for'
      state = 'done'
      failure = error
      result = value
      if (waited) settle!()
    }
    if (count === 3) call(a, b, c, done)
    else if (count === 2) call(a, b, done)
    else call(...[a, b, c, d, e, f].slice(0, count), done)
    const finish = () => {
      if (failure) throw failure as Error
      return result
    }
    if ((state as string) === 'done') return finish()
    state = 'waited for'
    return new Promise<void>((resolve) => (settle = resolve)).then(finish)
  }
}

/** Runs one tap by itself. */
function runStep({ call, fail, notAwaited, accepted }: Step, args: Any[]): unknown {
  let result: unknown
  try {
    result = call(...args)
  } catch (cause) {
    throw fail(cause)
  }
  if (!isThenable(result)) return accepted === null ? result : accepted(result)
  if (notAwaited !== null) throw notAwaited(result)
  return result.then(accepted, (cause: unknown) => {
    throw fail(cause)
  })
}

/**
 * Passes a value through taps, from one of them on. It does what tapable would do, without a callback for each run:
 * a run costs next to nothing beside its taps, and a promise is made only where a tap waits.
 */
function pass(
  steps: readonly Step[],
  from: number,
  first: Any,
  a: Any,
  b: Any,
  c: Any,
  d: Any,
  e: Any,
): Awaitable<Any> {
  let value = first
  for (let at = from; at < steps.length; at += 1) {
    const step = steps[at]!
    let result: Any
    try {
      result = step.call(value, a, b, c, d, e)
    } catch (cause) {
      throw step.fail(cause)
    }
    if (result === undefined || result === value) continue
    if (isThenable(result)) {
      if (step.notAwaited !== null) throw step.notAwaited(result)
      const before = value
      return result.then(
        (late) => {
          step.accepted?.(late)
          return pass(steps, at + 1, late === undefined ? before : late, a, b, c, d, e)
        },
        (cause: unknown) => {
          throw step.fail(cause)
        },
      ) as Promise<Any>
    }
    step.accepted?.(result)
    value = result
  }
  return value
}

/** Tells taps, from one of them on. */
function tell(steps: readonly Step[], from: number, args: Any[]): Awaitable<void> {
  for (let at = from; at < steps.length; at += 1) {
    const result = runStep(steps[at]!, args)
    if (isThenable(result)) return result.then(() => tell(steps, at + 1, args)) as Promise<void>
  }
}

/** The taps of a hook as they are run; null where somebody intercepts the hook, which tapable alone can serve. */
function stepsOf(hook: Planned): readonly Step[] | null {
  // One interceptor is the registry's own.
  if (hook.interceptors.length !== 1) return null
  hook.steps = hook.taps.map((tap) => tap.step())
  return hook.steps
}

/**
 * Passes a value through a filter. Returns the value itself when no tap had to wait, else a promise.
 * Measured: an unused hook costs 1-2 ns, a synchronous tap 10 ns; twenty awaited promises would halve the throughput.
 */
export function applyFilter<V, A extends unknown[]>(hook: Filter<V, A>, value: V, ...args: A): Awaitable<V>
// Arguments one by one, for a list of them would be made for each run.
export function applyFilter(hook: Any, value: Any, a?: Any, b?: Any, c?: Any, d?: Any, e?: Any): Awaitable<Any> {
  const steps = (hook as Planned).steps ?? stepsOf(hook)
  if (steps === null) return hook.promise(value, a, b, c, d, e)
  return steps.length === 0 ? value : pass(steps, 0, value, a, b, c, d, e)
}

/** Runs an action. Returns nothing when no tap had to wait, else a promise. */
export function runAction<A extends unknown[]>(hook: Action<A>, ...args: A): Awaitable<void> {
  if (hook.taps.length === 0) return
  const steps = (hook as unknown as Planned).steps ?? stepsOf(hook as unknown as Planned)
  return steps === null
    ? (hook as unknown as { promise(...all: unknown[]): Promise<void> }).promise(...args)
    : tell(steps, 0, args)
}

/** Passes a value through a synchronous filter. */
export function applySyncFilter<V, A extends unknown[]>(hook: SyncFilter<V, A>, value: V, ...args: A): V
export function applySyncFilter(hook: Any, value: Any, a?: Any, b?: Any, c?: Any, d?: Any, e?: Any): Any {
  const steps = (hook as Planned).steps ?? stepsOf(hook)
  if (steps === null) return hook.call(value, a, b, c, d, e)
  return steps.length === 0 ? value : pass(steps, 0, value, a, b, c, d, e)
}
