import { RestError } from '../errors.ts'
import type { Hooks } from '../hooks/hook.ts'
import { HeaderMap } from '../http/headers.ts'
import { isObject } from '../is-object.ts'
import type { Endpoint } from './routes.ts'

/** A link of an object: its URL and further attributes (`embeddable`, `taxonomy`, `count` …). */
export interface Link {
  href: string
  [attribute: string]: unknown
}

/** Links by relation. */
export type Links = Record<string, Link | readonly Link[]>

/** Links by relation, as the body of a response has them. */
export type LinkMap = ReadonlyMap<string, readonly Link[]>

/** A body that is stored as text; its data are parsed only if code asks for them. */
export interface ResponseBody {
  readonly text: string
  readonly value: unknown
  readonly hasLinks: boolean
  /** The links by relation, created anew. */
  readonly links: Map<string, Link[]>
}

/** The response to a request, before it is written. */
export class RestResponse {
  status: number
  readonly headers: HeaderMap
  #data: unknown
  #body: ResponseBody | null = null
  #links: Map<string, Link[]> | null = null
  /** All links of an item as its controller gave them, until somebody looks at `links`. */
  #given: Readonly<Links> | null = null
  /** The route and the endpoint that handled the request, when one matched. */
  matchedRoute: string | null = null
  endpoint: Endpoint | null = null
  /** Data that was made for this response only, so that links may be put into it. */
  own: object | null = null
  /** The error of an error response. */
  error: RestError | null = null

  constructor(data: unknown = null, status = 200, headers: Readonly<Record<string, string>> | null = null) {
    this.#data = data
    this.status = status
    this.headers = new HeaderMap(headers)
  }

  /** The response for an error. */
  static fromError(error: RestError): RestResponse {
    const response = new RestResponse(error.toJSON(), error.status)
    response.error = error
    return response
  }

  /** The body as data. A cached text is parsed at the first use of this; code that only passes the body on uses `body`. */
  get data(): unknown {
    if (this.#body !== null) this.#open(this.#body)
    return this.#data
  }

  set data(data: unknown) {
    if (this.#body !== null) this.#close()
    this.#data = data
  }

  /** The body as texts, links included; null where it is data, or has been looked at. */
  get body(): ResponseBody | null {
    return this.#body
  }

  set body(body: ResponseBody | null) {
    this.#body = body
    this.#data = null
    this.#links = null
    this.#given = null
    this.own = null
  }

  /** Links by relation, in full form; lists of items carry their own in `_links`. */
  get links(): Map<string, Link[]> {
    if (this.#body !== null) this.#open(this.#body)
    this.#links ??= new Map()
    if (this.#given !== null) {
      const given = this.#given
      this.#given = null
      this.#add(given, this.#links)
    }
    return this.#links
  }

  /** The links for the body, which only reads them: most responses are never asked for their `links`. */
  get shownLinks(): LinkMap | Readonly<Links> {
    return this.#given ?? this.links
  }

  /** Whether there are any links; most responses that are no single object have none. */
  get hasLinks(): boolean {
    if (this.#body !== null) return this.#body.hasLinks
    return this.#given !== null || (this.#links !== null && this.#links.size > 0)
  }

  get isError(): boolean {
    return this.error !== null
  }

  /** Makes data of the texts: whoever sees them may change them. */
  #open(body: ResponseBody): void {
    this.#close()
    this.#data = body.value
    this.own = isObject(this.#data) ? this.#data : null
  }

  /** Goes on without the texts, but with their links. */
  #close(): void {
    const body = this.#body
    this.#body = null
    this.#links = body?.hasLinks === true ? body.links : null
  }

  /**
   * Adds a link to the object in the body.
   * @param relation a registered relation name, a compact one (`svc:term`) or a URI
   */
  addLink(relation: string, href: string, attributes: Readonly<Record<string, unknown>> = {}): void {
    const link = { ...attributes, href }
    const links = this.links.get(relation)
    if (links === undefined) this.links.set(relation, [link])
    else links.push(link)
  }

  /** Adds many links: `{ relation: link | links }`. */
  addLinks(links: Readonly<Links>): void {
    if (this.hasLinks || Object.keys(links).length === 0) this.#add(links, this.links)
    else this.#given = links
  }

  #add(links: Readonly<Links>, to: Map<string, Link[]>): void {
    for (const relation of Object.keys(links)) {
      const added = linksIn(links[relation]!)
      const there = to.get(relation)
      if (there === undefined) to.set(relation, added)
      else there.push(...added)
    }
  }

  /** Removes the links of a relation, or the one with this URL. */
  removeLink(relation: string, href?: string): void {
    const left = href === undefined ? [] : (this.links.get(relation) ?? []).filter((link) => link.href !== href)
    if (left.length === 0) this.links.delete(relation)
    else this.links.set(relation, left)
  }

  /** Adds to the `Link` header (RFC 8288). Characters of the URL outside of ASCII are percent-encoded. */
  linkHeader(relation: string, href: string, attributes: Readonly<Record<string, string>> = {}): void {
    let value = `<${headerSafe(href)}>; rel="${headerSafe(relation)}"`
    for (const [name, text] of Object.entries(attributes)) {
      value += name === 'type' ? `; type=${headerSafe(text)}` : `; ${name}="${headerSafe(text)}"`
    }
    this.headers.append('Link', value)
  }
}

/** `RestServer`, whose module imports those that name this type. */
export type Server = Parameters<Hooks['rest_api_init']['promise']>[0]

/** A response ready to be written. */
export interface Served {
  response: RestResponse
  /** The body, in bytes where it is long; null when there is none (HEAD, 204) or when a tap has sent it already. */
  text: string | readonly Buffer[] | null
  /** Whether a tap of `rest_pre_serve_request` has sent the response. */
  served: boolean
  /** Whether it had been made for an earlier request. */
  isKept?: boolean
}

/**
 * The result of a handler as a response or an error (specification 4.4, rule 3): any other value becomes the body of a
 * response with status 200.
 */
export function ensureResponse(result: unknown): RestResponse | RestError {
  return result instanceof RestResponse || result instanceof RestError ? result : new RestResponse(result)
}

/** The data of a result that becomes JSON; null for a body that is text already. */
export function dataOf(result: unknown): unknown {
  if (!(result instanceof RestResponse)) return result
  return result.body === null ? result.data : null
}

/** One link, or several, as a list, each with its URL behind its attributes, as clients know it. */
export function linksIn(links: Link | readonly Link[]): Link[] {
  const list = Array.isArray(links) ? [...(links as readonly Link[])] : [links as Link]
  for (const [index, link] of list.entries()) {
    let last = ''
    for (const attribute in link) last = attribute
    if (last === 'href') continue
    const { href, ...attributes } = link
    list[index] = { ...attributes, href }
  }
  return list
}

/** A URL that can stand in a header between angle brackets: only visible ASCII, no quotes, no brackets. */
function headerSafe(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]|[<>"]/gu, (mark) => encodeURIComponent(mark))
}
