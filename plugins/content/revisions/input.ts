import type { RestRequest } from '../../../kernel/index.ts'
import { checkOrder, declaredValue, type PostOrder, type PostQuery } from '../posts/index.ts'

/** Query of a list of revisions; the parent and type are added for every list. */
export type RevisionQuery = Partial<PostQuery> & { offset: number }

/**
 * Reads the query of a list request.
 * @throws rest_no_search_term_defined, rest_orderby_include_missing_include if the argument to order by is missing
 */
export function revisionQuery(request: RestRequest): RevisionQuery {
  const perPage = request.get('per_page') as number | undefined
  // The offset applies only with `per_page`.
  const offset = perPage === undefined ? undefined : (request.get('offset') as number | undefined)
  // Revisions of some types are always listed by date.
  const search = declaredValue<string>(request, 'search')
  const include = declaredValue<number[]>(request, 'include') ?? []
  const orderby = declaredValue<PostOrder>(request, 'orderby') ?? 'date'
  checkOrder(orderby, search, include)
  return {
    include,
    exclude: declaredValue<number[]>(request, 'exclude') ?? [],
    orderby,
    order: declaredValue<'asc' | 'desc'>(request, 'order') ?? 'desc',
    // Without `per_page` there is only one page.
    offset: offset === undefined ? ((request.get('page') as number) - 1) * (perPage ?? 0) : Math.abs(offset),
    ...(perPage !== undefined && { limit: perPage }),
    ...(search !== undefined && { search }),
  }
}
