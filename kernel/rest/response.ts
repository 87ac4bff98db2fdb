import { RestError } from '../errors.ts'
import type { Hooks } from '../hooks/hook.ts'
import { HeaderMap } from '../http/headers.ts'
import { isObject } from '../is-object.ts'
import type { Endpoint } from './routes.ts'

/** A link of an object: URL and further attributes (`embeddable`, `taxonomy`, `count` …). */
export interface Link {
  href: string
  [attribute: string]: unknown
}

/** Links by relation. */
export type Links = Record<string, Link | readonly Link[]>

/** Links by relation, in the form of a response body. */
export type LinkMap = ReadonlyMap<string, readonly Link[]>

/** A body that is stored as text, and parsed only if code reads its data. */
export interface ResponseBody {
  readonly text: string
  readonly value: unknown
  readonly hasLinks: boolean
  /** A new map of the links by relation. */
  readonly links: Map<string, Link[]>
}

/** The response to a request, before it is encoded. */
export class RestResponse {
  status: number
  readonly headers: HeaderMap
  #data: unknown
  #body: ResponseBody | null = null
  #links: Map<string, Link[]> | null = null
  /** The links of an item in the controller's form, until `links` is read. */
  #itemLinks: Readonly<Links> | null = null
  /** Pattern of the matched route and its endpoint; null if no route matched. */
  matchedRoute: string | null = null
  endpoint: Endpoint | null = null
  /** The data, if it belongs to this response only, so that links can be written into it. */
  own: object | null = null
  /** The error of an error response. */
  error: RestError | null = null

  constructor(data: unknown = null, status = 200, headers: Readonly<Record<string, string>> | null = null) {
    this.#data = data
    this.status = status
    this.headers = new HeaderMap(headers)
  }

  /** Creates the response for an error. */
  static fromError(error: RestError): RestResponse {
    const response = new RestResponse(error.toJSON(), error.status)
    response.error = error
    return response
  }

  /** The body as data. Parses a body stored as text at the first use; code that only passes it on uses `body`. */
  get data(): unknown {
    if (this.#body !== null) this.#parseBody(this.#body)
    return this.#data
  }

  set data(data: unknown) {
    if (this.#body !== null) this.#dropText()
    this.#data = data
  }

  /** The body stored as text, links included; null if the body is data, or has been parsed. */
  get body(): ResponseBody | null {
    return this.#body
  }

  set body(body: ResponseBody | null) {
    this.#body = body
    this.#data = null
    this.#links = null
    this.#itemLinks = null
    this.own = null
  }

  /** Links by relation, in full form; items of lists have their links in `_links`. */
  get links(): Map<string, Link[]> {
    if (this.#body !== null) this.#parseBody(this.#body)
    this.#links ??= new Map()
    if (this.#itemLinks !== null) {
      const itemLinks = this.#itemLinks
      this.#itemLinks = null
      this.#add(itemLinks, this.#links)
    }
    return this.#links
  }

  /** The links for the body, read-only. Avoids the map of `links`, which few responses need. */
  get shownLinks(): LinkMap | Readonly<Links> {
    return this.#itemLinks ?? this.links
  }

  /** Whether the response has links. Most responses other than single objects have none. */
  get hasLinks(): boolean {
    if (this.#body !== null) return this.#body.hasLinks
    return this.#itemLinks !== null || (this.#links !== null && this.#links.size > 0)
  }

  get isError(): boolean {
    return this.error !== null
  }

  /** Parses a body stored as text, and drops the text, because code may change the data. */
  #parseBody(body: ResponseBody): void {
    this.#dropText()
    this.#data = body.value
    this.own = isObject(this.#data) ? this.#data : null
  }

  /** Drops the body stored as text, and keeps its links. */
  #dropText(): void {
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
    else this.#itemLinks = links
  }

  #add(links: Readonly<Links>, to: Map<string, Link[]>): void {
    for (const relation of Object.keys(links)) {
      const added = linksIn(links[relation]!)
      const existing = to.get(relation)
      if (existing === undefined) to.set(relation, added)
      else existing.push(...added)
    }
  }

  /** Removes all links of a relation, or only the link with this URL. */
  removeLink(relation: string, href?: string): void {
    const remaining = href === undefined ? [] : (this.links.get(relation) ?? []).filter((link) => link.href !== href)
    if (remaining.length === 0) this.links.delete(relation)
    else this.links.set(relation, remaining)
  }

  /** Appends a link to the `Link` header (RFC 8288). Non-ASCII characters of the URL are percent-encoded. */
  linkHeader(relation: string, href: string, attributes: Readonly<Record<string, string>> = {}): void {
    let value = `<${headerSafe(href)}>; rel="${headerSafe(relation)}"`
    for (const [name, text] of Object.entries(attributes)) {
      value += name === 'type' ? `; type=${headerSafe(text)}` : `; ${name}="${headerSafe(text)}"`
    }
    this.headers.append('Link', value)
  }
}

/** `RestServer`, derived from a hook because an import of its module would be circular. */
export type Server = Parameters<Hooks['rest_api_init']['promise']>[0]

/** An encoded response, ready to be written. */
export interface Served {
  response: RestResponse
  /** The body, as bytes if it is long; null without a body (HEAD, 204), or if a tap sends the response. */
  text: string | readonly Buffer[] | null
  /** Whether a tap of `rest_pre_serve_request` sends the response. */
  served: boolean
  /** Whether it came from the cache. */
  fromCache?: boolean
}

/**
 * Converts the result of a handler to a response or an error (specification 4.4, rule 3). Any other value becomes the
 * body of a response with status 200.
 */
export function ensureResponse(result: unknown): RestResponse | RestError {
  return result instanceof RestResponse || result instanceof RestError ? result : new RestResponse(result)
}

/** Returns the data of a result that becomes JSON; null for a body stored as text. */
export function dataOf(result: unknown): unknown {
  if (!(result instanceof RestResponse)) return result
  return result.body === null ? result.data : null
}

/** Returns one or several links as a list. In each link, `href` follows the attributes, in the order clients know. */
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

/** Percent-encodes all but visible ASCII, and `<`, `>` and `"`, for a header value in angle brackets or quotes. */
function headerSafe(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]|[<>"]/gu, (mark) => encodeURIComponent(mark))
}
