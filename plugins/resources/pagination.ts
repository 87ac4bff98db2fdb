import {
  invalidParam,
  type PluginContext,
  addQuery,
  trimEndSlashes,
  type RestRequest,
  type RestResponse,
} from '../../kernel/index.ts'
import { cursorOf, encodeCursor, type ListCursor } from './list-cursor.ts'

/** Characters of all links of a page together. */
const MAX_LINKS_LENGTH = 8_000

/** Totals and position of a page, for the response headers. */
export interface Page {
  total: number
  perPage: number
  page: number
  /**
   * The `prev` link of a page beyond the last one: true for the page with the previous number, false (the default) for
   * the last page with items.
   */
  stepwise?: boolean
}

type Site = Pick<PluginContext, 'branding' | 'urls'>

/** Adds totals, and links to the previous and next page unless they are too long for a header. */
export function paginate(
  site: Site,
  response: RestResponse,
  request: RestRequest,
  { total, perPage, page, stepwise = false }: Page,
): RestResponse {
  const pages = Math.ceil(total / perPage)
  setTotals(site, response, total, pages)
  // Existing clients expect `false` as an empty value in these links.
  const at = pageUrls(site, request, '')
  const links: [relation: string, href: string][] = []
  const last = stepwise ? page : Math.max(pages, 1)
  if (page > 1) links.push(['prev', at({ page: Math.min(page - 1, last) })])
  if (page < pages) links.push(['next', at({ page: page + 1 })])
  // Clients and proxies refuse responses with longer heads. Totals suffice for paging.
  const length = links.reduce((sum, [, href]) => sum + href.length, 0)
  if (length <= MAX_LINKS_LENGTH) for (const [relation, href] of links) response.linkHeader(relation, href)
  return response
}

/**
 * Adds the link to the next page, and totals to the first page only: counting for each page would cost more than the
 * pages.
 * @throws rest_invalid_param (400) if the link is too long for a header, because clients could not continue
 */
export function paginateByCursor(
  site: Site,
  response: RestResponse,
  request: RestRequest,
  { total, next }: { total: number; next: ListCursor | null },
): RestResponse {
  const isFirst = cursorOf(request).cursor === null
  if (isFirst) setTotals(site, response, total, Math.ceil(total / (request.get('per_page') as number)))
  if (next === null) return response
  const href = pageUrls(site, request, 'false')({ cursor: encodeCursor(next) })
  if (href.length > MAX_LINKS_LENGTH)
    throw invalidParam('cursor', 'The other parameters are too long for a link with a cursor. Shorten them.')
  response.linkHeader('next', href)
  return response
}

function setTotals({ branding }: Site, { headers }: RestResponse, total: number, pages: number): void {
  headers.set(branding.header('Total'), total)
  headers.set(branding.header('TotalPages'), pages)
}

/**
 * Returns a function that creates URLs of the requested list with some parameters replaced.
 * @param no text that replaces the parameter value `false`
 */
function pageUrls({ urls }: Site, request: RestRequest, no: string): (parameters: Record<string, unknown>) => string {
  // The registered pattern if it is a URL: clients may have used other capitalization.
  const { matchedRoute: matched } = request
  const base = urls.rest(matched === null || matched.includes('(') ? trimEndSlashes(request.route) : matched)
  const { rest_route: route, ...query } = request.query
  // A plain URL already contains the route.
  const ownQuery = route === undefined || base.includes('?rest_route=') ? query : request.query
  // Sanitized values: `true` is 1, and a comma-separated text is a list.
  const checked = Object.fromEntries(
    Object.keys(ownQuery).map((name) => [name, request.get(name) === false ? no : request.get(name)]),
  )
  return (parameters) => addQuery(base, { ...checked, ...parameters })
}
