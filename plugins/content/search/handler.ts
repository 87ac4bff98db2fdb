import type { Awaitable, Link, RestError, RestRequest } from '../../../kernel/index.ts'

/** Names an object among those of a handler. */
export type FoundId = number | string

/** What a handler found: one page of it, and how much there is on all pages. */
export interface Found {
  ids: readonly FoundId[]
  total: number
}

/** An object as the search shows it; fields that are not asked for may be left out. */
export interface FoundItem {
  id?: FoundId
  title?: string
  /** Address of its page. */
  url?: string
  type?: string
  subtype?: string
}

/**
 * Searches one kind of object. It tells nobody of what they may not see: neither in the items nor in the total.
 * Handlers are added, replaced and taken away in the filter `svc_rest_search_handlers`.
 */
export interface SearchHandler {
  /** The name of the kind, as the parameter `type` gives it. */
  readonly type: string
  /** The names that the parameter `subtype` may give. */
  subtypes(): readonly string[]
  /**
   * Finds what the request asks for: its `search`, `include`, `exclude`, `page` and `per_page`.
   * @param subtypes those asked for, `any` spelled out; empty where the request wants none that this handler has
   */
  search(request: RestRequest, subtypes: readonly string[]): Awaitable<Found | RestError>
  /**
   * An object that was found, as the answer shows it.
   * @param fields those that are asked for
   */
  prepare(id: FoundId, fields: readonly string[], request: RestRequest): Awaitable<FoundItem>
  /** The links of an object that was found; that to the search itself is added. */
  links(id: FoundId, request: RestRequest): Awaitable<Record<string, Link | readonly Link[]>>
}

/** The part of a list that the page of a request is. */
export function pageOf(request: RestRequest): { limit: number; offset: number } {
  const limit = request.get('per_page') as number
  return { limit, offset: ((request.get('page') as number) - 1) * limit }
}
