import type { ErrorData } from '../errors.ts'
import type { FieldSet } from './field-set.ts'
import { HeaderMap } from '../http/headers.ts'
import { noParams, parseQuery, type Params } from '../http/query-string.ts'
import type { ReceivedBytes } from '../http/spool.ts'
import type { Endpoint } from './routes.ts'
import { RequestCache } from './request-cache.ts'
import { decodePath, type Urls } from '../urls.ts'
import { Work } from '../work.ts'

/** The person who asks. Plugins merge in what they know of a person. */
export interface CurrentUser {
  /** 0 for a visitor who has not logged in. */
  readonly id: number
}

/** Nobody in particular. */
export const VISITOR: CurrentUser = Object.freeze({ id: 0 })

/** A file sent in a multipart form. */
export interface UploadedFile extends ReceivedBytes {
  /** Of the field. */
  readonly name: string
  /** As the client calls the file; anything may be in it. */
  readonly filename: string
  /** MIME type, as the client tells it. */
  readonly type: string
}

/** What a body holds, by its type. */
export interface RequestBody {
  form?: Params | undefined
  json?: unknown
  /** The body as it came, but for a multipart form. */
  raw?: ReceivedBytes | undefined
  files?: UploadedFile[] | undefined
}

export interface RestRequestInit extends RequestBody {
  headers?: HeaderMap | undefined
  query?: Params | undefined
  /** An outside request's address below the host, for links back to it. */
  address?: string | undefined
  /** Address of the client; '' where nobody knows it. */
  ip?: string | undefined
  /** Whether it came over TLS. */
  secure?: boolean | undefined
  /** What it is a part of, where that is not what its parent is a part of. */
  work?: Work | undefined
  /** The request on whose behalf this one is made: its user and its loaders are inherited. */
  parent?: RestRequest | undefined
}

/**
 * A request to the interface, from outside or made inside the process.
 *
 * Parameters are read by source order: URL captures, JSON body, form body, query, defaults. The specification of the
 * reference lets a body replace a capture; here the path names the object (CVE-2017-1001000).
 */
export class RestRequest {
  /** Upper case. */
  method: string
  /** The route that is asked for, with its leading slash: `/svc/v2/posts/12`. */
  readonly route: string
  readonly headers: HeaderMap
  readonly query: Params
  readonly form: Params | null
  readonly json: unknown
  /** The body as it came, but for a multipart form; null without one. */
  readonly raw: ReceivedBytes | null
  readonly files: readonly UploadedFile[]
  readonly address: string | null
  /** Address of the client, or of the proxy before it that may not be trusted; '' where nobody knows it. */
  readonly ip: string
  /** Whether the client asks over TLS. */
  readonly secure: boolean
  /** Values of the route's named captures. */
  captures: Params = {}
  /** Declared defaults of the matched endpoint. */
  defaults: Params = {}
  /** The endpoint that answers, once it is known. */
  endpoint: Endpoint | null = null
  /** Pattern of the matched route. */
  matchedRoute: string | null = null
  user: CurrentUser
  /** Whether it has been found out who asks. */
  isIdentified = false
  readonly scope: RequestCache
  /** What is done for the outside request that this one belongs to. */
  readonly work: Work
  readonly parent: RestRequest | null
  /** An id of the outside request, as the log names it. */
  id = ''
  /** A body that could not be read, told once a route is found that wants it. */
  bodyError: { code: string; message: string; data: ErrorData } | null = null
  #set: Params | null = null
  #checked: Params | null = null
  /** The fields that are asked for, as the plugin `fields` reads them; null when all are wanted. */
  fields: FieldSet | null = null

  constructor(method: string, route: string, init: RestRequestInit = {}) {
    this.method = method.toUpperCase()
    this.route = route
    this.headers = init.headers ?? new HeaderMap()
    this.query = init.query ?? noParams()
    this.form = init.form ?? null
    this.json = init.json
    this.raw = init.raw ?? null
    this.files = init.files ?? []
    this.address = init.address ?? null
    this.ip = init.ip ?? init.parent?.ip ?? ''
    this.secure = init.secure ?? init.parent?.secure ?? false
    this.parent = init.parent ?? null
    this.user = init.parent?.user ?? VISITOR
    this.scope = init.parent?.scope ?? new RequestCache()
    this.work = init.work ?? init.parent?.work ?? new Work()
    this.id = init.parent?.id ?? ''
  }

  /** Aborted when the answer is not wanted any more: its time is over, or the client has gone. Hand it to what waits. */
  get signal(): AbortSignal {
    return this.work.signal
  }

  /** Takes the body, which arrives after the rest. */
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
   * A GET request for an address of this site's interface, pretty or plain; null for any other address.
   * @param urls the builder that knows the site's addresses
   */
  static fromUrl(address: string, urls: Urls, parent?: RestRequest): RestRequest | null {
    const path = urls.pathOf(address)
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
   * Takes the checked arguments of the endpoint in place of what was sent.
   * @param given further parameters, which no argument declares
   */
  useChecked(values: Params, given: Params = NOTHING): void {
    const checked = noParams()
    copy(this.defaults, checked)
    copy(given, checked)
    copy(values, checked)
    this.#checked = checked
    this.#set = null
  }

  /** Whether a field is asked for: itself, something below it, or something above it (specification 4.5, rule 5). */
  wants(field: string): boolean {
    return this.fields === null || this.fields.includes(field)
  }

  #jsonParams(): Params {
    const { json } = this
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Params) : NOTHING
  }

  /** The first source that gives a parameter. */
  #sourceOf(name: string): Params | null {
    if (this.#set !== null && Object.hasOwn(this.#set, name)) return this.#set
    if (Object.hasOwn(this.captures, name)) return this.captures
    if (this.json !== undefined && Object.hasOwn(this.#jsonParams(), name)) return this.#jsonParams()
    if (this.form !== null && Object.hasOwn(this.form, name)) return this.form
    return Object.hasOwn(this.query, name) ? this.query : null
  }
}

/** For maps of a few entries or none, which `Object.assign` and `Object.keys` take long for. */
function copy(from: Params, to: Params): void {
  for (const name in from) if (Object.hasOwn(from, name)) to[name] = from[name]
}

const NOTHING: Params = Object.freeze(noParams())

/**
 * The request that an input to an internal dispatch stands for (specification 4.4, rule 4). A request stays what it is;
 * text is the path of a GET request, with an optional query; a map holds the parameters of a GET request for the root,
 * and anything else is a map without entries.
 * @param parent the request on whose behalf it is made; its user and its loaders are inherited
 */
export function ensureRequest(input: unknown, parent?: RestRequest): RestRequest {
  if (input instanceof RestRequest) return input
  if (typeof input === 'string') return RestRequest.fromPath(input, parent)
  const isMap = typeof input === 'object' && input !== null && !Array.isArray(input)
  return new RestRequest('GET', '/', { query: Object.assign(noParams(), isMap ? input : {}), parent })
}
