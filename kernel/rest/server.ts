import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { AnswerBudget, encodeSteps } from './answer-budget.ts'
import type { SiteConfig } from '../config.ts'
import { describeRoute, type DescriptionContext } from './route-description.ts'
import { errors, RestError } from '../errors.ts'
import type { HeaderValue } from '../http/headers.ts'
import { chain, isThenable, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { applyFilter, applySyncFilter, runAction } from '../hooks/run.ts'
import { currentOwner } from '../ownership.ts'
import type { Params } from '../http/query-string.ts'
import { ensureRequest, RestRequest, type CurrentUser } from './request.ts'
import { ensureResponse, RestResponse, type Link } from './response.ts'
import { Router, type Match } from './router.ts'
import {
  answers,
  checkRequest,
  doubtsAbout,
  makeRoute,
  type Endpoint,
  type EndpointGroup,
  type Route,
  type RouteGroups,
} from './routes.ts'
import { inSlices } from '../time-slices.ts'
import { RETRY_AFTER, troubleOf } from '../outages.ts'
import { trimEndSlashes, type Urls } from '../urls.ts'
import type { Branding } from '../branding.ts'

/** What a server is made of. */
export interface ServerParts {
  hooks: Hooks
  urls: Urls
  branding: Branding
  config: Readonly<SiteConfig>
  log: Logger
}

/** The prefix of compact link relations. */
type Curie = { name: string; href: string; templated: boolean }

/** An answer ready to be written. */
export interface Served {
  response: RestResponse
  /** The body, in bytes where it is long; null when there is none (HEAD, 204) or when a tap has sent it already. */
  text: string | readonly Buffer[] | null
  /** Whether a tap of `rest_pre_serve_request` has sent the answer. */
  served: boolean
}

/** An answer inside another: for clients that cannot read statuses or headers, and for batches. */
export interface Envelope {
  body: unknown
  status: number
  /** By name; an empty list where there are none. */
  headers: Record<string, HeaderValue> | []
}

/** The interface itself: routes, dispatch, shaping of answers. It knows no sockets. */
export class RestServer {
  readonly hooks: Hooks
  readonly urls: Urls
  readonly branding: Branding
  readonly config: Readonly<SiteConfig>
  readonly log: Logger
  /** What long answers hold. */
  readonly answers: AnswerBudget
  readonly #registered = new Set<{ route: Route; override: boolean }>()
  #initialising = false
  #curies: { curie: Curie; before: string; after: string; short: string }[] | null = null
  #table: { routes: Map<string, Route>; router: Router } | null = null
  #described: Record<DescriptionContext, Map<Route, Record<string, unknown> | null>> = {
    view: new Map(),
    help: new Map(),
  }

  constructor({ hooks, urls, branding, config, log }: ServerParts) {
    this.hooks = hooks
    this.urls = urls
    this.branding = branding
    this.config = config
    this.log = log
    this.answers = new AnswerBudget(config.limits)
  }

  /**
   * Registers a route (specification 4.2). A route that is there already gets the new endpoints beside its own, or is
   * replaced by them with `override`. The route belongs to the plugin that registers it. Doubtful registrations are told
   * in the log: outside of `rest_api_init`, without a permission check, with a namespace that is none.
   * @param namespace first segments, such as `blog/v1`
   * @param route pattern below the namespace, captures as `(?P<id>[\d]+)` or `(?<id>[\d]+)`
   * @throws ROUTE_INVALID
   */
  registerRoute(
    namespace: string,
    route: string,
    args: EndpointGroup | readonly EndpointGroup[] | RouteGroups,
    override = false,
  ): true {
    const made = makeRoute(namespace, route, args)
    const doubts = doubtsAbout(made, namespace)
    if (!this.#initialising)
      doubts.push('a route is registered outside of rest_api_init: register it in a tap of that hook')
    for (const doubt of doubts) this.log.warn({ route: made.pattern, plugin: made.owner }, doubt)
    const entry = { route: made, override }
    this.#registered.add(entry)
    currentOwner().onRemove(() => void this.#registered.delete(entry))
    if (!this.#initialising) this.reset()
    return true
  }

  /**
   * Fires `rest_api_init`, where plugins register routes. Requests under way meanwhile see the routes that were there.
   */
  async initialise(): Promise<void> {
    this.#initialising = true
    try {
      await runAction(this.hooks.rest_api_init, this)
    } finally {
      this.#initialising = false
      this.reset()
    }
  }

  /** The routes by pattern, in order of registration, after the filter `rest_endpoints`. */
  get routes(): ReadonlyMap<string, Route> {
    return this.#routing().routes
  }

  /** The namespaces that have routes, in order of registration. */
  get namespaces(): string[] {
    return [
      ...new Set([...this.#registered].map(({ route }) => route.namespace).filter((namespace) => namespace !== '')),
    ]
  }

  /** How index documents and OPTIONS show a route; null for one that they do not show. Made once for each table. */
  describe(route: Route, context: DescriptionContext): Record<string, unknown> | null {
    const known = this.#described[context]
    let description = known.get(route)
    if (description === undefined) {
      const made = describeRoute(route, context, this.urls.rest(route.pattern))
      description = made === null ? null : applySyncFilter(this.hooks.rest_route_data, made, route, context)
      known.set(route, description)
    }
    return description
  }

  /** Forgets the table of routes and derived addresses, after taps or the home address have changed. */
  reset(): void {
    this.#table = null
    this.#described = { view: new Map(), help: new Map() }
    this.#curies = null
    this.urls.reset()
  }

  /** The routes that match a path, case-insensitively and anchored; slashes at its end do not count. */
  match(path: string): Match[] {
    const bare = trimEndSlashes(path) || '/'
    return this.#routing().router.match(applySyncFilter(this.hooks.rest_path_to_match, bare, path))
  }

  /**
   * Answers a request inside the process: route, arguments, permission, handler. Never throws: an error becomes its
   * response.
   * @param input a request; or a path for GET, or parameters, as `ensureRequest` reads them
   */
  async dispatch(input: RestRequest | string | Readonly<Params>): Promise<RestResponse> {
    if (input instanceof RestRequest) return this.#dispatch(input)
    return this.#dispatch(applySyncFilter(this.hooks.rest_ensure_request, ensureRequest(input), input))
  }

  /**
   * Answers a request inside the process as its own answer from outside would be: dispatch, then the filters of
   * `rest_post_dispatch` (`Allow`, `_fields`, `_embed` …). Never throws.
   * @param refusal what to answer in place of a dispatch
   */
  answer(request: RestRequest, refusal: RestError | null = null): Awaitable<RestResponse> {
    if (refusal === null) return this.#filtered(this.#dispatch(request), request)
    const response = this.#errorResponse(refusal, request)
    response.matchedRoute = request.matchedRoute
    return this.#filtered(response, request)
  }

  /**
   * Answers an outside request whole: who asks, dispatch, the filters after it, and the text of the body. A promise is
   * made only where something has to wait.
   * @param raw handed to the taps of `rest_pre_serve_request`
   */
  serve(request: RestRequest, raw: Exchange['raw'] = null): Awaitable<Served> {
    const refusal = this.#authenticate(request)
    const dispatched = isThenable(refusal)
      ? refusal.then((late) => late ?? this.#dispatch(request))
      : (refusal ?? this.#dispatch(request))
    const response = this.#filtered(dispatched, request)
    return isThenable(response)
      ? response.then((late) => this.#send(request, late, raw))
      : this.#send(request, response, raw)
  }

  #filtered(dispatched: Awaitable<RestResponse>, request: RestRequest): Awaitable<RestResponse> {
    if (isThenable(dispatched)) return dispatched.then((late) => this.#filtered(late, request))
    try {
      const filtered = applyFilter(this.hooks.rest_post_dispatch, dispatched, this, request)
      return isThenable(filtered) ? filtered.then(undefined, (error) => this.#failure(error, request)) : filtered
    } catch (error) {
      return this.#failure(error, request)
    }
  }

  #send(request: RestRequest, response: RestResponse, raw: Exchange['raw']): Awaitable<Served> {
    const exchange = { server: this, request, response, raw }
    try {
      const served = applyFilter(this.hooks.rest_pre_serve_request, false, exchange)
      if (!isThenable(served)) return this.#written(request, response, served)
      return served.then(
        (late) => this.#written(request, response, late),
        (error) => this.#written(request, this.#failure(error, request, response.headers)),
      )
    } catch (error) {
      return this.#written(request, this.#failure(error, request, response.headers))
    }
  }

  #written(request: RestRequest, response: RestResponse, served = false): Awaitable<Served> {
    if (served || request.method === 'HEAD' || response.status === 204) return { response, text: null, served }
    try {
      const data = this.responseToData(response)
      const echoed = applyFilter(this.hooks.rest_pre_echo_response, data, this, request, response)
      const encoded = isThenable(echoed)
        ? echoed.then((late) => this.#encode(late, request, response))
        : this.#encode(echoed, request, response)
      if (!isThenable(encoded)) return { response, text: encoded, served }
      return Promise.resolve(encoded)
        .then((text) => ({ response, text, served }))
        .then(undefined, (error) => this.#unwritten(error, request, response))
    } catch (error) {
      return this.#unwritten(error, request, response)
    }
  }

  /** What is served in place of an answer that could not be written. */
  #unwritten(error: unknown, request: RestRequest, response: RestResponse): Served {
    const failed = this.#failure(error, request, response.headers)
    return { response: failed, text: JSON.stringify(failed.data), served: false }
  }

  /** What a handler or a tap answered, as a response. */
  #responseTo(answer: unknown, request: RestRequest): RestResponse {
    const ensured = ensureResponse(answer)
    return ensured instanceof RestError ? this.#errorResponse(ensured, request) : ensured
  }

  /** The body of a response with its links in `_links`, compact where a prefix is known. */
  responseToData(response: RestResponse): unknown {
    const { data } = response
    if (!response.hasLinks || typeof data !== 'object' || data === null) return data
    // A list has no place for links; an object of which no field was asked for is an empty list by now.
    if (Array.isArray(data) && data.length > 0) return data
    const compact = this.compactLinks(response.links)
    // A copy of an object with many fields takes longer than all that went before.
    return data === response.own ? Object.assign(data, { _links: compact }) : { ...data, _links: compact }
  }

  /** An answer as an object, for those that travel inside another answer. */
  envelope(response: RestResponse): Envelope {
    const { status, headers } = response
    return {
      body: this.responseToData(response),
      status,
      headers: headers.size === 0 ? [] : Object.fromEntries(headers),
    }
  }

  /**
   * Finds the endpoint of a request and checks the arguments, without asking for permission and without calling it.
   * Returns what is wrong, or null; the request then has its endpoint and its captures.
   */
  check(request: RestRequest): Awaitable<RestError | null> {
    const match = this.find(request)
    if (match === null) return errors.rest_no_route()
    request.endpoint = match.endpoint
    request.matchedRoute = match.route.pattern
    return checkRequest(request, match.endpoint)
  }

  /** Links with compact relations; the prefixes in use are told under `curies`. */
  compactLinks(links: ReadonlyMap<string, readonly Link[]>): Record<string, unknown> {
    const compact: Record<string, readonly object[]> = {}
    const used = new Set<Curie>()
    this.#curies ??= this.#makeCuries()
    for (const [relation, list] of links) {
      let name = relation
      for (const { curie, before, after, short } of this.#curies) {
        if (relation.startsWith(before) && relation.endsWith(after)) {
          name = `${short}${relation.slice(before.length, after === '' ? undefined : -after.length)}`
        }
        if (name.startsWith(short)) used.add(curie)
      }
      const same = compact[name]
      compact[name] = same === undefined ? list : [...same, ...list]
    }
    if (used.size > 0) compact['curies'] = [...used]
    return compact
  }

  #makeCuries(): { curie: Curie; before: string; after: string; short: string }[] {
    const own = { name: this.branding.word, href: `${this.branding.relationUri}{rel}`, templated: true }
    return applySyncFilter(this.hooks.rest_response_link_curies, [own]).map((curie) => {
      const [before = '', after = ''] = curie.href.split('{rel}')
      return { curie, before, after, short: `${curie.name}:` }
    })
  }

  #encode(data: unknown, request: RestRequest, response: RestResponse): Awaitable<string | readonly Buffer[]> {
    const { rest_encoded_response: filter } = this.hooks
    if (!this.answers.isLong) return applySyncFilter(filter, JSON.stringify(data ?? null), request, response)
    const encoded = inSlices(encodeSteps(data))
    if (!filter.isUsed()) return encoded
    return chain(encoded, (pieces) => applySyncFilter(filter, Buffer.concat(pieces).toString(), request, response))
  }

  /**
   * Finds out who asks, without judging the credentials. It is found out once: before the body is read, where more comes
   * than everybody may send, and otherwise when the request is answered.
   */
  identify(request: RestRequest): Awaitable<CurrentUser> {
    if (request.isIdentified) return request.user
    const note = (user: CurrentUser) => {
      request.isIdentified = true
      request.user = user
      return user
    }
    const user = applyFilter(this.hooks.determine_current_user, request.user, request)
    return isThenable(user) ? user.then(note) : note(user)
  }

  /** Finds out who asks; the refusal when the credentials are bad, else null. */
  #authenticate(request: RestRequest): Awaitable<RestResponse | null> {
    try {
      const user = this.identify(request)
      if (!isThenable(user)) return this.#judge(request)
      return user.then(() => this.#judge(request)).then(undefined, (error) => this.#failure(error, request))
    } catch (error) {
      return this.#failure(error, request)
    }
  }

  #judge(request: RestRequest): Awaitable<RestResponse | null> {
    const judged = applyFilter(this.hooks.rest_authentication_errors, null, request)
    return isThenable(judged) ? judged.then((late) => this.#refusal(late, request)) : this.#refusal(judged, request)
  }

  #refusal(judged: RestError | true | null, request: RestRequest): RestResponse | null {
    return judged instanceof RestError ? this.#errorResponse(judged, request) : null
  }

  #dispatch(request: RestRequest): Awaitable<RestResponse> {
    try {
      const early = applyFilter(this.hooks.rest_pre_dispatch, null, this, request)
      const response = isThenable(early)
        ? Promise.resolve(early).then((late) => this.#routed(late, request))
        : this.#routed(early, request)
      return isThenable(response) ? response.then(undefined, (error) => this.#failure(error, request)) : response
    } catch (error) {
      return this.#failure(error, request)
    }
  }

  #routed(early: unknown, request: RestRequest): Awaitable<RestResponse> {
    if (early !== null && early !== undefined) return this.#responseTo(early, request)
    const match = this.find(request)
    if (match === null) return this.#errorResponse(errors.rest_no_route(), request)
    return this.#answer(request, match.route, match.endpoint)
  }

  /** The route and the endpoint that answer a request, which learns what its path captures; null without any. */
  find(request: RestRequest): { route: Route; endpoint: Endpoint } | null {
    for (const { route, captures } of this.match(request.route)) {
      for (const endpoint of route.endpoints) {
        if (!answers(endpoint, request.method)) continue
        request.captures = captures
        return { route, endpoint }
      }
    }
    return null
  }

  #answer(request: RestRequest, route: Route, endpoint: Endpoint): Awaitable<RestResponse> {
    request.endpoint = endpoint
    request.matchedRoute = route.pattern
    let result: unknown
    try {
      result = this.#called(request, route, endpoint)
    } catch (error) {
      result = this.#thrown(error, request)
    }
    return isThenable(result)
      ? Promise.resolve(result)
          .then(undefined, (error) => this.#thrown(error, request))
          .then((late) => this.#answered(late, request, route, endpoint))
      : this.#answered(result, request, route, endpoint)
  }

  #thrown(error: unknown, request: RestRequest): RestError | RestResponse {
    return error instanceof RestError ? error : this.#failure(error, request)
  }

  #answered(result: unknown, request: RestRequest, route: Route, endpoint: Endpoint): Awaitable<RestResponse> {
    const after = applyFilter(this.hooks.rest_request_after_callbacks, result, endpoint, request)
    if (isThenable(after))
      return Promise.resolve(after).then((late) => this.#responseOf(late, request, route, endpoint))
    return this.#responseOf(after, request, route, endpoint)
  }

  #responseOf(answer: unknown, request: RestRequest, route: Route, endpoint: Endpoint): RestResponse {
    const response = this.#responseTo(answer, request)
    response.matchedRoute = route.pattern
    response.endpoint = endpoint
    return response
  }

  /** What the endpoint answers, or why it is not asked: body, arguments, taps, permission, in this order. */
  #called(request: RestRequest, route: Route, endpoint: Endpoint): Awaitable<unknown> {
    if (request.bodyError !== null) {
      const { code, message, data } = request.bodyError
      return new RestError(code, message, data)
    }
    const bad = checkRequest(request, endpoint)
    if (isThenable(bad)) return bad.then((late) => late ?? this.#checked(request, route, endpoint))
    return bad ?? this.#checked(request, route, endpoint)
  }

  #checked(request: RestRequest, route: Route, endpoint: Endpoint): Awaitable<unknown> {
    const before = applyFilter(this.hooks.rest_request_before_callbacks, null, endpoint, request)
    if (isThenable(before)) return before.then((late) => this.#admitted(late, request, route, endpoint))
    return this.#admitted(before, request, route, endpoint)
  }

  #admitted(before: unknown, request: RestRequest, route: Route, endpoint: Endpoint): Awaitable<unknown> {
    if (before instanceof RestError) return before
    const refused = this.permission(request, endpoint)
    if (isThenable(refused)) return refused.then((late) => late ?? this.#permitted(before, request, route, endpoint))
    return refused ?? this.#permitted(before, request, route, endpoint)
  }

  #permitted(before: unknown, request: RestRequest, route: Route, endpoint: Endpoint): Awaitable<unknown> {
    const instead = applyFilter(this.hooks.rest_dispatch_request, undefined, request, route.pattern, endpoint)
    if (isThenable(instead)) return instead.then((late) => late ?? before ?? endpoint.callback(request))
    return instead ?? before ?? endpoint.callback(request)
  }

  /** Whether the person may use the endpoint with this request: null when they may, else the refusal. */
  permission(request: RestRequest, endpoint: Endpoint): Awaitable<RestError | null> {
    if (endpoint.permission_callback === null) return null
    const allowed = endpoint.permission_callback(request)
    return isThenable(allowed) ? allowed.then((late) => judge(late, request)) : judge(allowed, request)
  }

  #routing(): { routes: Map<string, Route>; router: Router } {
    if (this.#table === null) {
      const merged = new Map<string, Route>()
      for (const { route, override } of this.#registered) {
        const there = merged.get(route.pattern)
        if (there === undefined || override) merged.set(route.pattern, { ...route, endpoints: [...route.endpoints] })
        else there.endpoints.push(...route.endpoints)
      }
      const routes = applySyncFilter(this.hooks.rest_endpoints, merged, this)
      this.#table = { routes, router: new Router(routes.values()) }
    }
    return this.#table
  }

  #errorResponse(thrown: RestError, request: RestRequest): RestResponse {
    const error = (thrown.status >= 500 && troubleOf(thrown, request.work)) || thrown
    const internal = error.code === error.code.toUpperCase()
    if (internal || (error.status >= 500 && error.cause !== undefined)) {
      this.log.error({ request: request.id, err: error }, error.message)
    }
    const response = RestResponse.fromError(error)
    if (error.status === 503) response.headers.set('Retry-After', Number(error.data['retry_after'] ?? RETRY_AFTER))
    // What failed inside is for the log; the client learns that it did, and under which id.
    if (internal) {
      const told = errors.rest_internal_error()
      response.data = told.toJSON()
    }
    response.data = applySyncFilter(this.hooks.rest_error_body, response.data as never, error, request)
    return response
  }

  /** The answer that tells of something thrown; headers that are set already stay. */
  #failure(error: unknown, request: RestRequest, headers: Iterable<[string, HeaderValue]> = []): RestResponse {
    const known =
      error instanceof RestError
        ? error
        : (troubleOf(error, request.work) ?? errors.rest_internal_error({ cause: error }))
    const response = this.#errorResponse(known, request)
    for (const [name, value] of headers) response.headers.set(name, value)
    return response
  }
}

/** Only `true` permits. */
function judge(allowed: boolean | RestError, request: RestRequest): RestError | null {
  if (allowed === true) return null
  return allowed instanceof RestError
    ? allowed
    : errors.rest_forbidden({ data: { status: authorizationStatus(request) } })
}

/** What taps see when an answer is about to be served. */
export interface Exchange {
  readonly server: RestServer
  readonly request: RestRequest
  readonly response: RestResponse
  /** The streams of the connection, for a tap that sends the answer itself; null for an internal one. */
  readonly raw: { incoming: IncomingMessage; outgoing: ServerResponse } | null
}

/** 401 for a visitor, 403 for a person who is logged in (specification 5.2). */
export function authorizationStatus(request: Pick<RestRequest, 'user'>): 401 | 403 {
  return request.user.id === 0 ? 401 : 403
}
