import { postPrefix } from '../../../storage/store/index.ts'
import { tagsOfFields } from '../../../storage/field-index/index.ts'
import type { PostQuery } from './query.ts'

/** Maximum number of cache tags per condition; a list with more depends on a broader tag. */
const MAX_TAGS_PER_CONDITION = 20

/**
 * Cache tags of a post list: the narrowest lists for which the store reports changes and that contain all possible
 * results. A post's lists are invalidated whenever it is created, changed or deleted.
 */
export function tagsOfList(query: PostQuery): string[] {
  const prefixes = new Set(query.statuses.map(postPrefix))
  const tags: string[] = []
  if (query.types.includes('revision')) tags.push(...tagsOfRevisions(query))
  const facets = facetsOf(query)
  for (const prefix of prefixes) {
    const list = `${prefix}posts`
    tags.push(...(facets === null ? [list] : facets.map((facet) => `${list}:${facet}`)))
  }
  tags.push(
    ...tagsOfFields(
      query,
      'post',
      Array.from(prefixes, (prefix) => `${prefix}posts`),
    ),
  )
  // The list also depends on the hierarchy below the named terms.
  for (const { taxonomy, includeChildren } of query.terms ?? [])
    if (includeChildren === true) tags.push(`terms:taxonomy=${taxonomy}`)
  // Whether an attached item is readable depends on the visibility of its parent.
  if (query.above !== undefined && query.above !== null) tags.push('posts:visibility')
  // The former status of trashed posts is stored in meta of unpublished posts.
  const scopes = [...(query.readScope ?? []), ...(query.opens ?? [])]
  if (scopes.some(({ any, own, others }) => [any, own, others].some(({ trashed }) => trashed.length > 0)))
    tags.push('unpublished:posts')
  return tags
}

function facetsOf({ types, terms = [], termRelation, author = [], parent = [] }: PostQuery): string[] | null {
  const clause = terms.find(
    ({ operator, includeChildren, terms: ids }) =>
      operator === 'in' && includeChildren !== true && ids.length <= MAX_TAGS_PER_CONDITION,
  )
  if (clause !== undefined && (terms.length === 1 || termRelation !== 'or'))
    return clause.terms.map((id) => `${clause.taxonomy}=${id}`)
  if (terms.length > 0) return null
  if (author.length > 0 && author.length <= MAX_TAGS_PER_CONDITION) return author.map((id) => `author=${id}`)
  if (parent.length > 0 && parent.length <= MAX_TAGS_PER_CONDITION) return parent.map((id) => `parent=${id}`)
  return types.length <= MAX_TAGS_PER_CONDITION ? types.map((type) => `type=${type}`) : null
}

function tagsOfRevisions({ parent = [] }: PostQuery): string[] {
  if (parent.length === 0 || parent.length > MAX_TAGS_PER_CONDITION) return ['table:posts']
  return parent.map((id) => `revisions:parent=${id}`)
}
