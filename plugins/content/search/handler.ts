import type { Awaitable, Link, Links, PluginContext, RestError, RestRequest } from '../../../kernel/index.ts'
import type { LinkedItem } from '../../resources/index.ts'

/** ID of an object, unique within its handler. */
export type FoundId = number | string

/** A page of results, and the total on all pages. */
export interface Found {
  ids: readonly FoundId[]
  total: number
}

/** A search result. Fields that are not requested can be omitted. */
export interface FoundItem {
  id?: FoundId
  title?: string
  /** URL of its page. */
  url?: string
  type?: string
  subtype?: string
}

/**
 * Searches one type of objects. Neither its items nor its total may include objects that the user may not read. The
 * filter `svc_rest_search_handlers` adds, replaces and removes handlers.
 */
export interface SearchHandler {
  /** Name of the type: a value of the argument `type`. */
  readonly type: string
  /** Cache tags of its responses, in addition to the request and the data read through services. */
  readonly dependsOn?: 'nothing' | readonly string[]
  /** Whether responses with its objects may be stored; true by default. */
  readonly cache?: boolean
  /** Values of the argument `subtype`. */
  subtypes(): readonly string[]
  /**
   * Runs a search for the arguments `search`, `include`, `exclude`, `page` and `per_page` of the request.
   * @param subtypes subtypes to search, with `any` resolved; empty if the request names only subtypes of other handlers
   */
  search(request: RestRequest, subtypes: readonly string[]): Awaitable<Found | RestError>
  /**
   * Returns a found object for the response.
   * @param fields the requested fields
   */
  prepare(id: FoundId, fields: readonly string[], request: RestRequest): Awaitable<FoundItem>
  /** The links of a found object; the link to the search is added. */
  links(id: FoundId, request: RestRequest): Awaitable<Links>
  /** The item and collection of a found object, so that its target hints do not need another read. */
  subject?(id: FoundId, request: RestRequest): LinkedItem | undefined
}

/** Links of an object with a route: to itself, and to its content type or taxonomy. */
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
