import type { Awaitable, Link, Links, PluginContext, RestError, RestRequest } from '../../../kernel/index.ts'
import type { LinkedItem } from '../../resources/index.ts'

/** ID of an object among those of a handler. */
export type FoundId = number | string

/** One page of what a handler found, and how many objects there are on all pages. */
export interface Found {
  ids: readonly FoundId[]
  total: number
}

/** An object as the search shows it; fields that the request does not get may be left out. */
export interface FoundItem {
  id?: FoundId
  title?: string
  /** URL of its page. */
  url?: string
  type?: string
  subtype?: string
}

/**
 * Searches one type of objects. Neither its items nor its total may include what the user may not read. The filter
 * `svc_rest_search_handlers` adds, replaces and removes handlers.
 */
export interface SearchHandler {
  /** The name of the type, as the argument `type` gives it. */
  readonly type: string
  /** The tags of what its responses depend on besides the request and what services read. */
  readonly dependsOn?: 'nothing' | readonly string[]
  /** Whether responses with its objects may be stored; true by default. */
  readonly cache?: boolean
  /** The names that the argument `subtype` may give. */
  subtypes(): readonly string[]
  /**
   * Finds what the request asks for: its `search`, `include`, `exclude`, `page` and `per_page`.
   * @param subtypes those to search, with `any` resolved; empty where this handler has none of those that the request names
   */
  search(request: RestRequest, subtypes: readonly string[]): Awaitable<Found | RestError>
  /**
   * A found object, as the response shows it.
   * @param fields those that the request gets
   */
  prepare(id: FoundId, fields: readonly string[], request: RestRequest): Awaitable<FoundItem>
  /** The links of a found object; the link to the search is added. */
  links(id: FoundId, request: RestRequest): Awaitable<Links>
  /** A found object as the controller of its route knows it, so that it need not be read again to tell what the user may. */
  subject?(id: FoundId, request: RestRequest): LinkedItem | undefined
}

/** The links of an object that has a route: to itself, and to its content type or taxonomy. */
export function routeLinks(
  { urls, branding }: PluginContext,
  route: string,
  about: `types/${string}` | `taxonomies/${string}`,
): Record<string, Link> {
  return {
    ...(route !== '' && { self: { href: urls.rest(route), embeddable: true } }),
    about: { href: urls.rest(`/${branding.namespace('v2')}/${about}`) },
  }
}
