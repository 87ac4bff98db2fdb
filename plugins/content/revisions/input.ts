import type { RestRequest } from '../../../kernel/index.ts'
import type { PostOrder, PostQuery } from '../posts/index.ts'

/** What a list of revisions asks for; the rest of the query is the same for all. */
export type RevisionQuery = Partial<PostQuery> & { offset: number }

/** What a request for a list of revisions asks for; without a size, all revisions are on one page. */
export function revisionQuery(request: RestRequest): RevisionQuery {
  const perPage = request.get('per_page') as number | undefined
  // Without a size all are on one page, and none is skipped.
  const offset = perPage === undefined ? undefined : (request.get('offset') as number | undefined)
  const search = request.get('search') as string | undefined
  return {
    include: request.get('include') as number[],
    exclude: request.get('exclude') as number[],
    orderby: request.get('orderby') as PostOrder,
    order: request.get('order') as 'asc' | 'desc',
    // Without a size there is no second page.
    offset: offset === undefined ? ((request.get('page') as number) - 1) * (perPage ?? 0) : Math.abs(offset),
    ...(perPage !== undefined && { limit: perPage }),
    ...(search !== undefined && { search }),
  }
}
