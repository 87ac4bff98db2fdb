import {
  cursorOf,
  includedIds,
  normalizeSlug,
  pageRange,
  valuesOf,
  datePair,
  type TimeZone,
} from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import { FORMAT_TAXONOMY, formatOfSlug, POST_FORMATS, slugOfFormat, type Taxonomy } from '../taxonomies/index.ts'
import { declaredValue } from './declared-value.ts'
import { errors } from './errors.ts'
import { SEARCH_COLUMNS, type PostOrder, type PostQuery, type TermClause } from './query/index.ts'

type Services = PluginContext['services']

/** Maps the time arguments of a request to the properties of a query. */
const TIMES = {
  after: 'after',
  before: 'before',
  modified_after: 'modifiedAfter',
  modified_before: 'modifiedBefore',
} as const

/** The list a request reads. */
export interface Listed {
  /** Name of the content type. */
  type: string
  /** The taxonomies of the type, which are filters of the list. */
  taxonomies: readonly Taxonomy[]
  /** Status used if the request names none. */
  defaultStatus: string
}

/**
 * Builds the query for a list request.
 * @throws rest_no_search_term_defined, rest_orderby_include_missing_include if the argument to order by is missing,
 * rest_invalid_param for an invalid cursor
 */
export async function collectionQuery(services: Services, listed: Listed, request: RestRequest): Promise<PostQuery> {
  const { fieldIndex, options, posts } = services
  const { type, taxonomies } = listed
  const ids = (name: string) => valuesOf<number>(request, name)
  const authorExclude = ids('author_exclude')
  const offset = request.get('offset') as number | undefined
  const orderby = request.get('orderby') as PostOrder
  const search = request.get('search') as string | undefined
  const statuses = expandStatuses(services, listed, [request.get('status')].flat() as string[])
  const { cursor } = cursorOf(request)
  const fieldQuery = fieldIndex.has('post') ? await fieldIndex.conditionsOf('post', type, request) : null
  const zone = await options.get<TimeZone>('timezone', 'UTC')
  const formats = declaredValue<string[]>(request, 'format') ?? []
  const query: PostQuery = {
    types: [type],
    statuses,
    // Clients rely on `author` being ignored if `author_exclude` is set.
    author: authorExclude.length > 0 ? [] : ids('author'),
    authorExclude,
    ...includedIds(request),
    parent: ids('parent'),
    parentExclude: ids('parent_exclude'),
    slug: slugsOf(request),
    terms: termClauses(taxonomies, request),
    termRelation: request.get('tax_relation') === 'OR' ? 'or' : 'and',
    orderby: fieldQuery?.orderby ?? orderby,
    order: request.get('order') as 'asc' | 'desc',
    ...pageRange(request),
    ...(offset !== undefined && { offset: Math.abs(offset) }),
    // No index covers the order across several statuses, so ties are in order of creation.
    ...(statuses.length > 1 && { tieOrder: 'asc' as const }),
    // Without a cursor, lists without searches and filters also count posts that the user may not read; they are
    // removed from the page after the query. With a cursor the read scope limits the query, because the cursor would
    // reveal the position of a hidden post.
    listsHidden: cursor === undefined,
    ...(cursor !== undefined && { cursor }),
    ...timeLimits(request, zone),
    ...(fieldQuery !== null && fieldQuery.where.length > 0 && { where: fieldQuery.where }),
    ...(fieldQuery?.editing === true && { editable: true }),
  }
  if (search !== undefined) Object.assign(query, searchOf(search, request))
  if (formats.length > 0) query.format = await formatClause(services, formats, request)
  const menuOrder = declaredValue<number>(request, 'menu_order')
  if (menuOrder !== undefined) query.menuOrder = menuOrder
  if (orderby === 'relevance' || orderby === 'include') checkOrder(orderby, search, query.include)
  // Without slugs to order by, posts come in stored order.
  if (orderby === 'include_slugs' && query.slug?.length === 0)
    Object.assign(query, { orderby: 'date', order: 'asc', tieOrder: 'asc' })
  const sticky = declaredValue<boolean>(request, 'sticky')
  return sticky === undefined ? query : withSticky(query, sticky, await posts.sticky())
}

/**
 * Checks that a list request has the argument that it orders by.
 * @throws rest_no_search_term_defined, rest_orderby_include_missing_include
 */
export function checkOrder(orderby: PostOrder, search: string | undefined, include?: readonly number[]): void {
  if (orderby === 'relevance' && (search ?? '').trim() === '') throw errors.rest_no_search_term_defined()
  if (orderby === 'include' && include?.length === 0) throw errors.rest_orderby_include_missing_include()
}

/** The requested slugs. A value that is not a valid slug is treated as a title. */
function slugsOf(request: RestRequest): string[] {
  return valuesOf<string>(request, 'slug').map((slug) => (/^[a-z0-9%_-]*$/.test(slug) ? slug : normalizeSlug(slug)))
}

function termClauses(taxonomies: readonly Taxonomy[], request: RestRequest): TermClause[] {
  return taxonomies.flatMap(({ name, rest_base: base }) => [
    ...termClause(name, request.get(base), 'in'),
    ...termClause(name, request.get(`${base}_exclude`), 'not in'),
  ])
}

/** The search text and the columns to search. */
function searchOf(search: string, request: RestRequest): Pick<PostQuery, 'search' | 'searchColumns' | 'searchExact'> {
  const requestedColumns = declaredValue<string[]>(request, 'search_columns') ?? []
  const searchColumns = SEARCH_COLUMNS.filter((name) => requestedColumns.includes(`post_${name}`))
  return {
    search,
    ...(searchColumns.length > 0 && { searchColumns }),
    ...(declaredValue(request, 'search_semantics') === 'exact' && { searchExact: true }),
  }
}

/** A condition for posts with one of these formats. Posts without a format term have the standard format. */
async function formatClause(
  { terms }: Services,
  formats: readonly string[],
  { scope }: RestRequest,
): Promise<TermClause> {
  const slug = POST_FORMATS.map((format) => slugOfFormat(format))
  const { items } = await terms.query({ taxonomy: FORMAT_TAXONOMY, slug }, scope)
  const isRequested = (term: { slug: string }) => formats.includes(formatOfSlug(term.slug))
  const standard = formats.includes(POST_FORMATS[0])
  const ids = items.filter((term) => isRequested(term) !== standard).map(({ id }) => id)
  return { taxonomy: FORMAT_TAXONOMY, terms: ids, operator: standard ? 'not in' : 'in' }
}

/** Resolves the requested statuses; `any` means every status that searches include. */
function expandStatuses({ statuses }: Services, { defaultStatus }: Listed, names: readonly string[]): string[] {
  if (names.length === 0) return [defaultStatus]
  if (!names.includes('any')) return [...new Set(names)]
  return statuses.all().flatMap(({ name, exclude_from_search: isExcluded }) => (isExcluded ? [] : [name]))
}

/** The time limits of the request, in the time zone of the site. */
function timeLimits(request: RestRequest, zone: TimeZone): Pick<PostQuery, (typeof TIMES)[keyof typeof TIMES]> {
  const limits: ReturnType<typeof timeLimits> = {}
  for (const [name, key] of Object.entries(TIMES)) {
    const local = datePair(request.get(name), zone)?.[0]
    if (local !== undefined) limits[key] = local
  }
  return limits
}

/** Limits a query to sticky posts, or to posts that are not sticky. */
function withSticky(query: PostQuery, sticky: boolean, ids: readonly number[]): PostQuery {
  if (!sticky) return { ...query, exclude: [...(query.exclude ?? []), ...ids] }
  const include = query.include?.length ? query.include.filter((id) => ids.includes(id)) : ids
  // No post has the ID 0. `exclude` is ignored if `include` is set.
  return { ...query, include: include.length === 0 ? [0] : include, exclude: [] }
}

interface TermCondition {
  terms?: number[]
  include_children?: boolean
  operator?: string
}

/** Converts a term argument to conditions. The value is a list of IDs, or an object with an operator. */
function termClause(taxonomy: string, value: unknown, operator: 'in' | 'not in'): TermClause[] {
  if (typeof value !== 'object' || value === null) return []
  const condition: TermCondition = Array.isArray(value) ? { terms: value as number[] } : value
  const { terms = [], include_children: includeChildren = false, operator: requestedOperator } = condition
  if (terms.length === 0) return []
  return [
    { taxonomy, terms, includeChildren, operator: operator === 'in' && requestedOperator === 'AND' ? 'and' : operator },
  ]
}
