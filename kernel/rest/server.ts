import type { Logger } from 'pino'
import type { Branding } from '../branding.ts'
import type { SiteConfig } from '../site-config.ts'
import { errors, RestError } from '../errors.ts'
import { applyFilter, applySyncFilter, runAction } from '../hooks/run.ts'
import { isThenable, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import type { Params } from '../http/query-string.ts'
import { derived, OwnedList } from '../owned-map.ts'
import { currentOwner } from '../ownership.ts'
import { trimEndSlashes, type Urls } from '../urls.ts'
import { checkRequest, noArguments } from './check-request.ts'
import { dispatch, postDispatch, serve, type RawExchange } from './dispatch.ts'
import { encodeResponse } from './encode.ts'
import { errorResponse } from './error-response.ts'
import type { ArgumentChecker } from './arguments.ts'
import { unconditional, type ConditionalRequests } from './conditional.ts'
import { forbidden } from './forbidden.ts'
import { shown } from '../text/shown.ts'
import { trace, tracing } from '../tracing.ts'
import { ensureRequest, RestRequest, type CurrentUser } from './request.ts'
import { unbounded, type ResponseBudget } from './response-budget.ts'
import type { HttpCache } from './http-cache.ts'
import { linksIn, type LinkMap, type Links, type RestResponse, type Served } from './response.ts'
import { noAdvice, type Advice } from '../advice.ts'
import { Router, type Match } from './router.ts'
import {
  allowsMethod,
  makeRoute,
  mergeRoutes,
  type Registered,
  type Endpoint,
  type EndpointGroup,
  type Route,
  type RouteGroups,
} from './routes.ts'

/** A cache of data that is read for requests. */
export interface RequestReadsCache {
  /** Called before the first read for a request. */
  begin(request: RestRequest): void
  /** Clears the cache, because routes, taps or URLs have changed. */
  clear(): void
}

/** The REST API: routes, and responses to requests, independent of sockets. */
export class RestServer {
  readonly hooks: Hooks
  readonly urls: Urls
  readonly branding: Branding
  readonly config: Readonly<SiteConfig>
  readonly log: Logger
  /** Checks the arguments of requests. */
  readonly arguments: ArgumentChecker
  /** Sets entity tags and checks preconditions of writes. */
  readonly conditional: ConditionalRequests
  /** Finds mistakes of plugin authors. */
  readonly advice: Advice
  /** Limits the memory of long responses. */
  responseBudget: ResponseBudget = unbounded
  /** Returns links in the form of a response body. The plugin `resources` sets a function with short relation names. */
  compactLinks: (links: LinkMap | Readonly<Links>) => Record<string, readonly object[]> = listLinks
  /** Caches of data that is read for requests. */
  readonly caches: RequestReadsCache[] = []
  /** Caches responses; null if responses are not cached. `cacheResponses` sets it. */
  httpCache: HttpCache | null = null
  readonly #registered = new OwnedList<Registered>('route', true)
  #initialising = false
  readonly #table = derived(
    this.#registered,
    () => new Router(applySyncFilter(this.hooks.rest_endpoints, mergeRoutes(this.#registered), this)),
  )
  /** Endpoints with a logged warning. */
  readonly #warnedEndpoints = new WeakSet<Endpoint>()

  constructor({
    hooks,
    urls,
    branding,
    config,
    log,
    arguments: checker = noArguments,
    conditional = unconditional,
    advice = noAdvice,
  }: Pick<RestServer, 'hooks' | 'urls' | 'branding' | 'config' | 'log'> &
    Partial<Pick<RestServer, 'arguments' | 'conditional' | 'advice'>>) {
    this.hooks = hooks
    this.urls = urls
    this.branding = branding
    this.config = config
    this.log = log
    this.arguments = checker
    this.conditional = conditional
    this.advice = advice
  }

  /**
   * Registers a route (specification 4.2). If the route exists, the new endpoints are added to it, or replace it with
   * `override`. The route belongs to the registering plugin. A warning is logged for registrations outside of
   * `rest_api_init`, without a permission check, or with a malformed namespace.
   * @param namespace first segments, such as `blog/v1`
   * @param route pattern below the namespace, with captures as `(?P<id>[\d]+)` or `(?<id>[\d]+)`
   * @throws ROUTE_INVALID
   */
  registerRoute(
    namespace: string,
    route: string,
    args: EndpointGroup | readonly EndpointGroup[] | RouteGroups,
    override = false,
  ): true {
    this.advice.checkRoute(namespace, route, args, override, this.arguments)
    const created = makeRoute(namespace, route, args)
    const entry = { route: created, override, registrant: currentOwner().registrant }
    this.advice.routeAdded(entry, namespace, this.#registered, this.#initialising)
    const methods = [...new Set(created.endpoints.flatMap((endpoint) => endpoint.methods))].join(',')
    this.#registered.add(entry, `${methods} ${created.pattern}`)
    if (!this.#initialising) this.reset()
    return true
  }

  /** Runs `rest_api_init`, where plugins register routes. */
  async initialise(): Promise<void> {
    this.#initialising = true
    try {
      await runAction(this.hooks.rest_api_init, this)
    } finally {
      this.#initialising = false
      this.reset()
    }
  }

  /** Sets the cache of responses, until the calling plugin is removed. */
  cacheResponses(cache: HttpCache): void {
    this.httpCache = cache
    const stop = () => {
      if (this.httpCache === cache) this.httpCache = null
    }
    currentOwner().onRemove(stop, { kind: 'cache', name: 'responses' })
  }

  /** The routes by pattern, in order of registration, after the filter `rest_endpoints`. */
  get routes(): ReadonlyMap<string, Route> {
    return this.#table().routes
  }

  /** All registered routes in order, also replaced ones. @internal */
  get registered(): readonly Registered[] {
    return [...this.#registered]
  }

  /** The namespaces with routes, in order of registration. */
  get namespaces(): string[] {
    return [
      ...new Set([...this.#registered].map(({ route }) => route.namespace).filter((namespace) => namespace !== '')),
    ]
  }

  /** Clears the route table, derived URLs and cached responses, after taps or the home URL have changed. */
  reset(): void {
    this.#table.forget()
    for (const cache of this.caches) cache.clear()
    this.urls.reset()
    this.httpCache?.clear()
  }

  /** Returns the routes that match a path, case-insensitively and anchored. Trailing slashes are ignored. */
  match(path: string): Match[] {
    const bare = trimEndSlashes(path) || '/'
    return this.#table().match(applySyncFilter(this.hooks.rest_path_to_match, bare, path))
  }

  /**
   * Handles an internal request: route, arguments, permission, handler. Never throws: errors become error responses.
   * @param input a request, or a path or parameters of a GET request (`ensureRequest`)
   */
  async dispatch(input: RestRequest | string | Readonly<Params>): Promise<RestResponse> {
    if (input instanceof RestRequest) return dispatch(this, input)
    return dispatch(this, applySyncFilter(this.hooks.rest_ensure_request, ensureRequest(input), input))
  }

  /**
   * Handles an internal request like an outside request: dispatches it, then runs `rest_post_dispatch` (`Allow`,
   * `_fields`, `_embed` …). Never throws.
   * @param refusal the error to respond with instead of a dispatch
   */
  async respond(request: RestRequest, refusal: RestError | null = null): Promise<RestResponse> {
    if (refusal === null) return postDispatch(this, await dispatch(this, request), request)
    const response = errorResponse(this, refusal, request)
    response.matchedRoute = request.matchedRoute
    return postDispatch(this, response, request)
  }

  /** Returns the response that an outside GET request would get, with the same bytes and entity tag. Never throws. */
  async represent(request: RestRequest): Promise<Served> {
    return encodeResponse(await this.respond(request), this, request)
  }

  /**
   * Handles an outside request: authentication, dispatch, the filters after it, and the text of the body. Never throws.
   * @param raw passed to the taps of `rest_pre_serve_request`
   */
  serve(request: RestRequest, raw: RawExchange | null = null): Promise<Served> {
    return serve(this, request, raw)
  }

  /**
   * Identifies the user of a request, without validating the credentials. Runs once per request: before a body is read
   * that is larger than visitors may send, otherwise when the request is handled.
   */
  identify(request: RestRequest): Awaitable<CurrentUser> {
    if (request.isIdentified) return request.user
    const user = applyFilter(this.hooks.determine_current_user, request.user, request)
    return isThenable(user) ? user.then((late) => setUser(late, request)) : setUser(user, request)
  }

  /**
   * Finds the endpoint of a request and checks its arguments, without a permission check or a call of the handler. Sets
   * endpoint and captures of the request.
   * @returns the error, or null if the request is valid
   */
  check(request: RestRequest): Awaitable<RestError | null> {
    const match = this.find(request)
    if (match === null) return errors.rest_no_route()
    request.endpoint = match.endpoint
    request.matchedRoute = match.route.pattern
    return checkRequest(this.arguments, request, match.endpoint)
  }

  /** Checks whether the user may call an endpoint with this request. @returns null if permitted, else the error */
  permission(request: RestRequest, endpoint: Endpoint): Awaitable<RestError | null> {
    const { permission_callback: check } = endpoint
    if (check === null) return null
    const { method, matchedRoute: route } = request
    const allowed = tracing.handler.hasSubscribers
      ? trace(tracing.handler, { part: 'permission', method, route: route ?? '', plugin: null }, () => check(request))
      : check(request)
    return isThenable(allowed)
      ? allowed.then((late) => this.#refusalOf(late, request, endpoint))
      : this.#refusalOf(allowed, request, endpoint)
  }

  /** Returns the error for the result of a permission check; null for `true`. */
  #refusalOf(allowed: unknown, request: RestRequest, endpoint: Endpoint): RestError | null {
    if (allowed === true) return null
    if (allowed instanceof RestError) return allowed
    if (allowed !== false) {
      const mistake = `a permission_callback of ${request.method} ${request.matchedRoute} returned ${shown(allowed)}`
      this.warnOnce(endpoint, `${mistake}, and the request was refused: return true, false or an error`)
    }
    return forbidden(request, errors.rest_forbidden)
  }

  /** Logs a mistake of the author of an endpoint, once per endpoint. @internal */
  warnOnce(endpoint: Endpoint, text: string): void {
    if (!this.#warnedEndpoints.has(endpoint)) this.log.warn({ plugin: endpoint.owner }, text)
    this.#warnedEndpoints.add(endpoint)
  }

  /** Returns the body of a response with its links in `_links`, compact if a prefix is known. */
  responseToData(response: RestResponse): unknown {
    const { data } = response
    if (!response.hasLinks || typeof data !== 'object' || data === null) return data
    // Lists have no links; an object without any of the fields in `_fields` has become an empty list.
    if (Array.isArray(data) && data.length > 0) return data
    const compact = this.compactLinks(response.shownLinks)
    // Copying an object with many fields is slow: write into data that belongs to this response.
    return data === response.own ? Object.assign(data, { _links: compact }) : { ...data, _links: compact }
  }

  /** Finds route and endpoint of a request, and sets its captures. Returns null if no route matches. */
  find(request: RestRequest): { route: Route; endpoint: Endpoint } | null {
    for (const { route, captures } of this.match(request.route)) {
      for (const endpoint of route.endpoints) {
        if (!allowsMethod(endpoint, request.method)) continue
        request.captures = captures
        return { route, endpoint }
      }
    }
    return null
  }
}

/** The argument of `rest_pre_serve_request`. */
export interface Exchange {
  readonly server: RestServer
  readonly request: RestRequest
  readonly response: RestResponse
  /** Node's request and response, for a tap that sends the response itself; null for an internal request. */
  readonly raw: RawExchange | null
}

function listLinks(links: LinkMap | Readonly<Links>): Record<string, readonly object[]> {
  const entries = links instanceof Map ? [...(links as LinkMap)] : Object.entries(links as Links)
  return Object.fromEntries(entries.map(([relation, list]) => [relation, linksIn(list)]))
}

function setUser(user: CurrentUser, request: RestRequest): CurrentUser {
  request.isIdentified = true
  request.user = user
  request.work.root.request = request
  request.note?.setUser(user.id)
  return user
}
