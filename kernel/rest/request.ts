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

/** The user who sends a request. Plugins merge in what they know of a user. */
export interface CurrentUser {
  /** 0 for a visitor who has not logged in. */
  readonly id: number
}

/** The user of requests without credentials. */
export const VISITOR: CurrentUser = Object.freeze({ id: 0 })

/** Bytes that a client sent. */
export interface ReceivedBytes {
  readonly size: number
  /** Reads all of them. They are kept until the response is sent. */
  read(): Promise<Buffer>
}

/** A file sent in a multipart form. */
export interface UploadedFile extends ReceivedBytes {
  /** Name of the form field. */
  readonly name: string
  /** The file name that the client gave; it may hold anything. */
  readonly filename: string
  /** MIME type that the client gave. */
  readonly type: string
}

/** The body of a request, parsed by its content type. */
export interface RequestBody {
  form?: Params | undefined
  json?: unknown
  /** The body as it came, but for a multipart form. */
  raw?: ReceivedBytes | undefined
  files?: UploadedFile[] | undefined
}

/** No parameters. */
const NOTHING: Readonly<Params> = Object.freeze(noParams())

export interface RestRequestInit extends RequestBody {
  headers?: HeaderMap | undefined
  query?: Params | undefined
  /** The URL of an outside request, below the host. */
  url?: string | undefined
  /** IP address of the client; '' where it is unknown. */
  ip?: string | undefined
  /** Whether it came over TLS. */
  secure?: boolean | undefined
  /** The work that it belongs to, where that is not its parent's. */
  work?: Work | undefined
  /** The request on whose behalf this one is made: its user and its caches are inherited. */
  parent?: RestRequest | undefined
}

/** The fields of an item that a request asks for. */
export interface RequestedFields {
  readonly names: readonly string[]
  /** Whether a field is listed, has a listed child, or has a listed parent (specification 4.5, rule 5). */
  includes(field: string): boolean
}

/**
 * A request to the REST API, from outside or internal.
 *
 * Parameters are read in the order of their sources: URL captures, JSON body, form body, query, defaults. The reference
 * lets a body replace a capture; here the path names the object (CVE-2017-1001000).
 */
export class RestRequest {
  /** Upper case. */
  method: string
  /** The path of the route, with its leading slash: `/svc/v2/posts/12`. */
  readonly route: string
  readonly headers: HeaderMap
  readonly query: Params
  readonly form: Params | null
  readonly json: unknown
  /** The body as it came, but for a multipart form; null without one. */
  readonly raw: ReceivedBytes | null
  readonly files: readonly UploadedFile[]
  /** The URL of an outside request, below the host; null for an internal one. */
  readonly url: string | null
  /** Values of the route's named captures. */
  captures: Readonly<Params> = NOTHING
  /** Declared defaults of the matched endpoint. */
  defaults: Readonly<Params> = NOTHING
  /** The endpoint, once it is known. */
  endpoint: Endpoint | null = null
  /** Pattern of the matched route. */
  matchedRoute: string | null = null
  user: CurrentUser
  /** Whether its user has been identified. */
  isIdentified = false
  /** Whether its client takes a `StreamedResponse`: requests of batches, embeds and plugins do not. */
  streams = false
  /** Whether it is for a list of items: one of which a part fails is shown without that part, and does not end the list. */
  isForList = false
  readonly scope: RequestCache
  /** The work for the outside request that this one belongs to. */
  readonly work: Work
  readonly parent: RestRequest | null
  /** ID of the outside request: `request` in the log and the header `X-Request-Id` of the response. Clients may choose it. */
  id = ''
  /** What the watchdog logs of an outside request; null for an internal one. @internal */
  note: RequestNote | null = null
  /** Why the body could not be read; reported once a route is found. */
  bodyError: { code: string; message: string; data: ErrorData } | null = null
  /** Records what the response is made of; null where no cache can store it. */
  dependencies: ReadRecorder | null
  readonly #ip: string
  readonly #secure: boolean
  /** The outside request that it belongs to. */
  readonly #outside: RestRequest
  #set: Params | null = null
  #checked: Params | null = null
  /** The fields of `_fields`, as a plugin reads them; null when all are wanted. */
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

  /** Aborted when the response is not wanted any more: its time is over, or the client has gone. Pass it to what waits. */
  get signal(): AbortSignal {
    return this.work.signal
  }

  /** IP address of the client, or of the proxy before it that may not be trusted; '' where it is unknown. */
  get ip(): string {
    this.#outside.headers.note(ADDRESS)
    return this.#ip
  }

  /** Whether it came over TLS. */
  get secure(): boolean {
    this.#outside.headers.note(ADDRESS)
    return this.#secure
  }

  /**
   * Adds tags such as `stock:7` for data that the response depends on. Data that the store reads needs none. Code that
   * changes the data calls `services.changes.touch(['stock:7'])`. Also works in callbacks of other libraries.
   */
  dependsOn(...tags: readonly string[]): void {
    reads.current()?.addAll(tags)
    this.dependencies?.addAll(tags)
  }

  /** Keeps the response out of the cache, because it depends on something without a tag, such as the time or another site. */
  doNotKeep(reason: string): void {
    reads.current()?.refuse(reason)
    this.dependencies?.refuse(reason)
  }

  /**
   * Sets the time at which the response changes by itself, such as midnight for a page that shows the date. It is stored
   * until then at the latest, and browsers and CDNs may use it until then. A time that has passed only dates the response.
   * @param time Unix milliseconds
   */
  keepUntil(time: number): void {
    reads.current()?.keepUntil(time)
    this.dependencies?.keepUntil(time)
  }

  /** Sets the body, which arrives after the rest. */
  useBody({ form, json, raw, files }: RequestBody): void {
    Object.assign(this, { form: form ?? null, json, raw: raw ?? null, files: files ?? [] })
  }

  /** A GET request for a percent-encoded path with an optional query, such as `/svc/v2/posts?per_page=2`. */
  static fromPath(path: string, parent?: RestRequest): RestRequest {
    const at = path.indexOf('?')
    const route = at < 0 ? path : path.slice(0, at)
    const query = at < 0 ? undefined : parseQuery(path.slice(at + 1))
    const decoded = route.includes('%') ? (decodePath(route) ?? route) : route
    return new RestRequest('GET', decoded.startsWith('/') ? decoded : `/${decoded}`, { query, parent })
  }

  /**
   * A GET request for a URL of this site's REST API, pretty or plain; null for any other URL.
   * @param urls the site's URL builder
   */
  static fromUrl(url: string, urls: Urls, parent?: RestRequest): RestRequest | null {
    const path = urls.pathOf(url)
    return path === null ? null : RestRequest.fromPath(path, parent)
  }

  /** Whether any source but the defaults gives this parameter. */
  given(name: string): boolean {
    return this.#sourceOf(name) !== null
  }

  /** A parameter's value: checked and sanitised once the endpoint's arguments have been checked; undefined when absent. */
  get(name: string): unknown {
    if (this.#set !== null && Object.hasOwn(this.#set, name)) return this.#set[name]
    if (this.#checked !== null) return Object.hasOwn(this.#checked, name) ? this.#checked[name] : undefined
    const source = this.#sourceOf(name)
    if (source !== null) return source[name]
    return Object.hasOwn(this.defaults, name) ? this.defaults[name] : undefined
  }

  /** Sets a parameter, above every source. */
  set(name: string, value: unknown): void {
    this.#set ??= noParams()
    this.#set[name] = value
  }

  /** Every parameter that a source gives, defaults left out. */
  givenParams(): Params {
    const given = noParams()
    copy(this.query, given)
    if (this.form !== null) copy(this.form, given)
    if (this.json !== undefined) copy(this.#jsonParams(), given)
    copy(this.captures, given)
    if (this.#set !== null) copy(this.#set, given)
    return given
  }

  /** Every parameter, defaults included. */
  params(): Params {
    if (this.#checked !== null) return { ...this.#checked, ...this.#set }
    return { ...this.defaults, ...this.givenParams() }
  }

  /**
   * Replaces the parameters by the checked arguments of the endpoint.
   * @param given further parameters, which no argument declares
   */
  useChecked(values: Readonly<Params>, given: Readonly<Params> = NOTHING): void {
    const checked = noParams()
    copy(this.defaults, checked)
    copy(given, checked)
    copy(values, checked)
    this.#checked = checked
    this.#set = null
  }

  /** Whether `_fields` wants a field: itself, one below it, or one above it (specification 4.5, rule 5). */
  wants(field: string): boolean {
    return this.fields === null || this.fields.includes(field)
  }

  #jsonParams(): Params {
    const { json } = this
    return isObject(json) ? json : NOTHING
  }

  /** The first source that gives a parameter. */
  #sourceOf(name: string): Readonly<Params> | null {
    if (this.#set !== null && Object.hasOwn(this.#set, name)) return this.#set
    if (this.captures !== NOTHING && Object.hasOwn(this.captures, name)) return this.captures
    if (this.json !== undefined && Object.hasOwn(this.#jsonParams(), name)) return this.#jsonParams()
    if (this.form !== null && Object.hasOwn(this.form, name)) return this.form
    return Object.hasOwn(this.query, name) ? this.query : null
  }
}

const NO_FILES: readonly UploadedFile[] = Object.freeze([])

/** For maps of a few entries or none, which `Object.assign` and `Object.keys` take long for. */
function copy(from: Readonly<Params>, to: Params): void {
  for (const name in from) if (Object.hasOwn(from, name)) to[name] = from[name]
}

/** Noted among the headers that are read, for what else tells clients from each other. */
const ADDRESS = '(address)'

/**
 * The request that an input to an internal dispatch stands for (specification 4.4, rule 4). A request stays what it is;
 * text is the path of a GET request, with an optional query; a map holds the parameters of a GET request for the root,
 * and anything else is a map without entries.
 * @param parent the request on whose behalf it is made; its user and its caches are inherited
 */
export function ensureRequest(input: unknown, parent?: RestRequest): RestRequest {
  if (input instanceof RestRequest) return input
  if (typeof input === 'string') return RestRequest.fromPath(input, parent)
  return new RestRequest('GET', '/', { query: Object.assign(noParams(), isObject(input) ? input : {}), parent })
}

/**
 * The outside request that a scope is for; null where none asks. What is made with it is stored for the same request alone.
 * `scope.parameter` reads one parameter: what is made with that is stored for all requests with the same value.
 */
export function requestOf(scope: RequestCache): RestRequest | null {
  reads.current()?.addRequest()
  return scope.request as RestRequest | null
}

/**
 * The user of the outside request that the running code belongs to, as its credentials identify them. Undefined outside of
 * requests: in commands, jobs and the start.
 */
export function requestingUser(): CurrentUser | undefined {
  return currentWork()?.root.request?.user
}
