import {
  invalidParam,
  type PluginContext,
  addQuery,
  trimEndSlashes,
  type RestRequest,
  type RestResponse,
} from '../../kernel/index.ts'
import { cursorOf, encodeCursor, type ListCursor } from './list-cursor.ts'

/** Characters that the links of a page may have together. */
const LONGEST_LINKS = 8_000

/** What a list came to, for the headers that page through it. */
export interface Page {
  total: number
  perPage: number
  page: number
  /** Whether the page before one past the end is the one by number, rather than the last that has items. */
  stepwise?: boolean
}

type Site = Pick<PluginContext, 'branding' | 'urls'>

/** Adds totals, and the links to the previous and the next page unless they are too long for a header. */
export function paginate(
  site: Site,
  response: RestResponse,
  request: RestRequest,
  { total, perPage, page, stepwise = false }: Page,
): RestResponse {
  const pages = Math.ceil(total / perPage)
  setTotals(site, response, total, pages)
  // Existing clients know `false` as a bare name in these links.
  const at = pageAddress(site, request, '')
  const links: [relation: string, href: string][] = []
  const last = stepwise ? page : Math.max(pages, 1)
  if (page > 1) links.push(['prev', at({ page: Math.min(page - 1, last) })])
  if (page < pages) links.push(['next', at({ page: page + 1 })])
  // Clients and proxies refuse a response with more than so much in its head; totals are enough to page by.
  const length = links.reduce((sum, [, href]) => sum + href.length, 0)
  if (length <= LONGEST_LINKS) for (const [relation, href] of links) response.linkHeader(relation, href)
  return response
}

/**
 * Adds the link to what comes behind the page, and totals to the first page alone: to count for each of them would cost
 * more than the pages.
 * @throws rest_invalid_param (400) where the link is too long for a header: without it nobody could go on
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
  const href = pageAddress(site, request, 'false')({ cursor: encodeCursor(next) })
  if (href.length > LONGEST_LINKS) throw invalidParam('cursor', 'The other parameters leave no room for a cursor.')
  response.linkHeader('next', href)
  return response
}

function setTotals({ branding }: Site, { headers }: RestResponse, total: number, pages: number): void {
  headers.set(branding.header('Total'), total)
  headers.set(branding.header('TotalPages'), pages)
}

/**
 * Makes URLs of the list that a request asks for, with some parameters in place of its own.
 * @param no what stands for `false`
 */
function pageAddress(
  { urls }: Site,
  request: RestRequest,
  no: string,
): (parameters: Record<string, unknown>) => string {
  // The route as it was registered where that is a URL: clients may have asked in other letters.
  const { matchedRoute: matched } = request
  const base = urls.rest(matched === null || matched.includes('(') ? trimEndSlashes(request.route) : matched)
  const { rest_route: route, ...query } = request.query
  // A plain URL names its route already.
  const kept = route === undefined || base.includes('?rest_route=') ? query : request.query
  // Values as they were checked: `true` is 1, and a text that lists values is a list.
  const checked = Object.fromEntries(
    Object.keys(kept).map((name) => [name, request.get(name) === false ? no : request.get(name)]),
  )
  return (parameters) => addQuery(base, { ...checked, ...parameters })
}
