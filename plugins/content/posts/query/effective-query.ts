import { goesByFields } from '../../../storage/field-index/index.ts'
import { errors } from '../errors.ts'
import type { PostQuery, ReadScope } from './query.ts'

/**
 * Drops limits to readable posts that cannot change the result of a query, and keeps all others.
 * @throws POSTS_SCOPE_MISSING
 */
export function effectiveQuery(query: PostQuery): PostQuery {
  const { readScope, opens } = query
  if (readScope === undefined) throw errors.POSTS_SCOPE_MISSING()
  const limited =
    readScope !== null && (query.listsHidden !== true || dependsOnContent(query)) && !isWithin(query, readScope)
  const isRestricted = opens === undefined || (opens !== null && !isWithin(query, opens))
  return { ...query, readScope: limited ? readScope : null, ...(!isRestricted && { opens: null }) }
}

/** Whether the result depends on properties that only readers of a post may know, beyond its status, date and ID. */
function dependsOnContent(query: PostQuery): boolean {
  const { search = '', orderby = 'date', terms = [], menuOrder, mediaType } = query
  const { author, authorExclude, parent, parentExclude, slug, mimeTypes, include } = query
  const lists = [author, authorExclude, parent, parentExclude, slug, mimeTypes, include]
  const times = [query.after, query.before, query.modifiedAfter, query.modifiedBefore]
  return (
    search.trim() !== '' ||
    !['date', 'id'].includes(orderby) ||
    terms.length > 0 ||
    query.format !== undefined ||
    menuOrder !== undefined ||
    lists.some((list) => list !== undefined && list.length > 0) ||
    mediaType !== undefined ||
    goesByFields(query) ||
    times.some((time) => time !== undefined)
  )
}

/** Whether all posts with the types and statuses of a query are within the scopes. */
function isWithin({ types, statuses }: PostQuery, readScopes: readonly ReadScope[]): boolean {
  return types.every((type) =>
    readScopes.some(
      (readScope) => readScope.types.includes(type) && statuses.every((one) => readScope.any.statuses.includes(one)),
    ),
  )
}
