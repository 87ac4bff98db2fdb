import type { RestRequest } from '../../../kernel/index.ts'
import type { PostOrder, PostQuery } from '../posts/index.ts'

/** Query of a list of revisions; the parent and type are added for every list. */
export type RevisionQuery = Partial<PostQuery> & { offset: number }

/** Reads the query of a list request. */
export function revisionQuery(request: RestRequest): RevisionQuery {
  const perPage = request.get('per_page') as number | undefined
  // The offset applies only with `per_page`.
  const offset = perPage === undefined ? undefined : (request.get('offset') as number | undefined)
  const search = request.get('search') as string | undefined
  return {
    include: request.get('include') as number[],
    exclude: request.get('exclude') as number[],
    orderby: request.get('orderby') as PostOrder,
    order: request.get('order') as 'asc' | 'desc',
    // Without `per_page` there is only one page.
    offset: offset === undefined ? ((request.get('page') as number) - 1) * (perPage ?? 0) : Math.abs(offset),
    ...(perPage !== undefined && { limit: perPage }),
    ...(search !== undefined && { search }),
  }
}
