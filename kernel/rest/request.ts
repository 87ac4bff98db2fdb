import type { ErrorData } from '../errors.ts'
import { HeaderMap } from '../http/headers.ts'
import { noParams, parseQuery, type Params } from '../http/query-string.ts'
import { reads, type ReadRecorder } from '../reads.ts'
import { isObject } from '../is-object.ts'
import type { RequestNote } from '../http/request-notes.ts'
import type { Endpoint } from './routes.ts'
import { RequestCache } from './request-cache.ts'
import { decodePath, type Urls } from '../urls.ts'
import { currentWork, Work } from '../work.ts'

/** The user of a request. Plugins merge in further properties. */
export interface CurrentUser {
  /** 0 for a visitor who has not logged in. */
  readonly id: number
}

/** The user of requests without credentials. */
export const VISITOR: CurrentUser = Object.freeze({ id: 0 })

/** Bytes sent by a client. */
export interface ReceivedBytes {
  /** Size in bytes. */
  readonly size: number
  /** Reads all bytes. They are available until the response is sent. */
  read(): Promise<Buffer>
}

/** A file sent in a multipart form. */
export interface UploadedFile extends ReceivedBytes {
  /** Name of the form field. */
  readonly name: string
  /** File name sent by the client; it can contain any characters. */
  readonly filename: string
  /** MIME type sent by the client. */
  readonly type: string
}

/** The body of a request, parsed according to its content type. */
export interface RequestBody {
  form?: Params | undefined
  json?: unknown
  /** The raw body, except for a multipart form. */
  raw?: ReceivedBytes | undefined
  files?: UploadedFile[] | undefined
}

/** No parameters. */
const NO_PARAMS: Readonly<Params> = Object.freeze(noParams())

export interface RestRequestInit extends RequestBody {
  headers?: HeaderMap | undefined
  query?: Params | undefined
  /** URL of an outside request, without the host. */
  url?: string | undefined
  /** IP address of the client; '' if unknown. */
  ip?: string | undefined
  /** Whether it was sent over TLS. */
  secure?: boolean | undefined
  /** The work that it belongs to; the work of the parent by default. */
  work?: Work | undefined
  /** The request on whose behalf this request is made. Its user and its caches are inherited. */
  parent?: RestRequest | undefined
}

/** The fields of items that a request asks for (`_fields`). */
export interface RequestedFields {
  readonly names: readonly string[]
  /** Returns whether a field, one of its children or one of its parents is listed (specification 4.5, rule 5). */
  includes(field: string): boolean
}

/**
 * A request to the REST API, from a client or internal.
 *
 * Parameters are read from the first source that has them: URL captures, JSON body, form body, query, defaults. In the
 * reference implementation, a body can replace a capture (CVE-2017-1001000); here it cannot.
 */
export class RestRequest {
  /** The method in upper case. */
  method: string
  /** The path of the route, with its leading slash: `/svc/v2/posts/12`. */
  readonly route: string
  readonly headers: HeaderMap
  readonly query: Params
  readonly form: Params | null
  readonly json: unknown
  /** The raw body; null without a body, and for a multipart form. */
  readonly raw: ReceivedBytes | null
  readonly files: readonly UploadedFile[]
  /** URL of an outside request, without the host; null for an internal request. */
  readonly url: string | null
  /** Values of the route's named captures. */
  captures: Readonly<Params> = NO_PARAMS
  /** Default values of the matched endpoint. */
  defaults: Readonly<Params> = NO_PARAMS
  /** The matched endpoint; null before the match. */
  endpoint: Endpoint | null = null
  /** Pattern of the matched route; null before the match. */
  matchedRoute: string | null = null
  user: CurrentUser
  /** Whether its user has been identified. */
  isIdentified = false
  /** Whether the response can be a `StreamedResponse`: not for requests of batches, embeds and plugins. */
  streams = false
  /** Whether it is for a list of items. If a part of an item fails, the item is shown without that part. */
  isForList = false
  readonly scope: RequestCache
  /** The work for the outside request that this request belongs to. */
  readonly work: Work
  readonly parent: RestRequest | null
  /** ID of the outside request, in the log as `request` and in the header `X-Request-Id`. Clients can choose it. */
  id = ''
  /** The entry of an outside request for the watchdog; null for an internal request. @internal */
  note: RequestNote | null = null
  /** The error of an unreadable body, reported after the route is found. */
  bodyError: { code: string; message: string; data: ErrorData } | null = null
  /** Records the dependencies of the response; null if no cache can store it. */
  dependencies: ReadRecorder | null
  readonly #ip: string
  readonly #secure: boolean
  /** The outside request that it belongs to. */
  readonly #outside: RestRequest
  #set: Params | null = null
  #checked: Params | null = null
  /** The parsed parameter `_fields`; null if all fields are requested. */
  fields: RequestedFields | null = null

  constructor(method: string, route: string, init: RestRequestInit = {}) {
    this.method = method.toUpperCase()
    this.route = route
    this.headers = init.headers ?? new HeaderMap()
    this.query = init.query ?? noParams()
    this.form = init.form ?? null
    this.json = init.json
    this.raw = init.raw ?? null
    this.files = init.files ?? NO_FILES
    this.url = init.url ?? null
    const { parent = null } = init
    this.#ip = init.ip ?? (parent === null ? '' : parent.#ip)
    this.#secure = init.secure ?? (parent === null ? false : parent.#secure)
    this.#outside = parent === null ? this : parent.#outside
    this.dependencies = parent === null ? null : parent.dependencies
    this.parent = parent
    this.user = init.parent?.user ?? VISITOR
    this.scope = init.parent?.scope ?? new RequestCache()
    if (this.scope.request === null) {
      this.scope.request = this
      this.scope.query = this.query
    }
    this.work = init.work ?? init.parent?.work ?? new Work()
    this.id = init.parent?.id ?? ''
  }

  /** Aborted when the request has timed out or its client has left. Pass it to asynchronous functions. */
  get signal(): AbortSignal {
    return this.work.signal
  }

  /** IP address of the client, or of an untrusted proxy in front of it; '' if unknown. */
  get ip(): string {
    this.#outside.headers.note(ADDRESS)
    return this.#ip
  }

  /** Whether it was sent over TLS. */
  get secure(): boolean {
    this.#outside.headers.note(ADDRESS)
    return this.#secure
  }

  /**
   * Adds tags such as `stock:7` for data that the response depends on. Data read from the store needs no tag. Call
   * `services.changes.touch(['stock:7'])` when the data changes. Also works in callbacks of other libraries.
   */
  dependsOn(...tags: readonly string[]): void {
    reads.current()?.addAll(tags)
    this.dependencies?.addAll(tags)
  }

  /** Prevents caching of a response that depends on something without a tag, such as the time or another site. */
  preventCaching(reason: string): void {
    reads.current()?.refuse(reason)
    this.dependencies?.refuse(reason)
  }

  /**
   * Sets the time at which the response changes by itself, such as midnight for a page that shows the date. The server,
   * browsers and CDNs cache it until then at the latest. A time in the past only sets the date of the response.
   * @param time Unix milliseconds
   */
  cacheUntil(time: number): void {
    reads.current()?.cacheUntil(time)
    this.dependencies?.cacheUntil(time)
  }

  /** Sets the body, which is read after the request is created. */
  useBody({ form, json, raw, files }: RequestBody): void {
    Object.assign(this, { form: form ?? null, json, raw: raw ?? null, files: files ?? [] })
  }

  /** Creates a GET request for a percent-encoded path with an optional query, such as `/svc/v2/posts?per_page=2`. */
  static fromPath(path: string, parent?: RestRequest): RestRequest {
    const at = path.indexOf('?')
    const route = at < 0 ? path : path.slice(0, at)
    const query = at < 0 ? undefined : parseQuery(path.slice(at + 1))
    const decoded = route.includes('%') ? (decodePath(route) ?? route) : route
    return new RestRequest('GET', decoded.startsWith('/') ? decoded : `/${decoded}`, { query, parent })
  }

  /**
   * Creates a GET request for a REST API URL of this site, pretty or plain. Returns null for any other URL.
   * @param urls the URL builder of the site
   */
  static fromUrl(url: string, urls: Urls, parent?: RestRequest): RestRequest | null {
    const path = urls.pathOf(url)
    return path === null ? null : RestRequest.fromPath(path, parent)
  }

  /** Returns whether the request has this parameter; default values do not count. */
  hasParam(name: string): boolean {
    return this.#sourceOf(name) !== null
  }

  /** Returns the value of a parameter, sanitized after the arguments have been checked; undefined if it is missing. */
  get(name: string): unknown {
    if (this.#set !== null && Object.hasOwn(this.#set, name)) return this.#set[name]
    if (this.#checked !== null) return Object.hasOwn(this.#checked, name) ? this.#checked[name] : undefined
    const source = this.#sourceOf(name)
    if (source !== null) return source[name]
    return Object.hasOwn(this.defaults, name) ? this.defaults[name] : undefined
  }

  /** Sets a parameter, which overrides all sources. */
  set(name: string, value: unknown): void {
    this.#set ??= noParams()
    this.#set[name] = value
  }

  /** Returns all parameters of the request, without default values. */
  requestParams(): Params {
    const params = noParams()
    copy(this.query, params)
    if (this.form !== null) copy(this.form, params)
    if (this.json !== undefined) copy(this.#jsonParams(), params)
    copy(this.captures, params)
    if (this.#set !== null) copy(this.#set, params)
    return params
  }

  /** Returns all parameters, default values included. */
  params(): Params {
    if (this.#checked !== null) return { ...this.#checked, ...this.#set }
    return { ...this.defaults, ...this.requestParams() }
  }

  /**
   * Replaces the parameters by the checked arguments of the endpoint.
   * @param undeclared parameters without a schema, which stay available
   */
  useChecked(values: Readonly<Params>, undeclared: Readonly<Params> = NO_PARAMS): void {
    const checked = noParams()
    copy(this.defaults, checked)
    copy(undeclared, checked)
    copy(values, checked)
    this.#checked = checked
    this.#set = null
  }

  /** Returns whether `_fields` asks for a field, one of its children or its parents (specification 4.5, rule 5). */
  wants(field: string): boolean {
    return this.fields === null || this.fields.includes(field)
  }

  #jsonParams(): Params {
    const { json } = this
    return isObject(json) ? json : NO_PARAMS
  }

  /** Returns the first source with a parameter; null if there is no such source. */
  #sourceOf(name: string): Readonly<Params> | null {
    if (this.#set !== null && Object.hasOwn(this.#set, name)) return this.#set
    if (this.captures !== NO_PARAMS && Object.hasOwn(this.captures, name)) return this.captures
    if (this.json !== undefined && Object.hasOwn(this.#jsonParams(), name)) return this.#jsonParams()
    if (this.form !== null && Object.hasOwn(this.form, name)) return this.form
    return Object.hasOwn(this.query, name) ? this.query : null
  }
}

const NO_FILES: readonly UploadedFile[] = Object.freeze([])

/** Copies own properties. For small maps, faster than `Object.assign` and `Object.keys`. */
function copy(from: Readonly<Params>, to: Params): void {
  for (const name in from) if (Object.hasOwn(from, name)) to[name] = from[name]
}

/** Recorded like a header name for reads of the client's address and scheme. */
const ADDRESS = '(address)'

/**
 * Converts the input of an internal dispatch to a request (specification 4.4, rule 4). A request is returned unchanged;
 * a text is the path of a GET request with an optional query; an object contains the parameters of a GET request for
 * the root; any other value is a GET request for the root.
 * @param parent the request on whose behalf it is made. Its user and its caches are inherited
 */
export function ensureRequest(input: unknown, parent?: RestRequest): RestRequest {
  if (input instanceof RestRequest) return input
  if (typeof input === 'string') return RestRequest.fromPath(input, parent)
  return new RestRequest('GET', '/', { query: Object.assign(noParams(), isObject(input) ? input : {}), parent })
}

/**
 * Returns the outside request of a scope; null outside of requests. Results that depend on it are only cached for an
 * equal request. Use `scope.parameter` to read a parameter: results are then cached for all requests with the same
 * value.
 */
export function requestOf(scope: RequestCache): RestRequest | null {
  reads.current()?.addRequest()
  return scope.request as RestRequest | null
}

/**
 * Returns the user of the outside request that the running code belongs to, identified by its credentials. Undefined
 * outside of requests: in commands, jobs and during the start.
 */
export function requestingUser(): CurrentUser | undefined {
  return currentWork()?.root.request?.user
}
