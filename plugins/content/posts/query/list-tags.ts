import { postPrefix } from '../../../storage/store/index.ts'
import { tagsOfFields } from '../../../storage/field-index/index.ts'
import type { PostQuery } from './query.ts'

/** Tags that a list may have for one condition; a list of more depends on more than it has to. */
const MAX_TAGS_PER_CONDITION = 20

/**
 * What a list of posts depends on, by tags: the narrowest of the lists that the store tells changes of and that holds all
 * that this one could. The tags of a post's lists are told whenever it changes, comes or goes.
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
  // Which terms are below those that are named.
  for (const { taxonomy, includeChildren } of query.terms ?? [])
    if (includeChildren === true) tags.push(`terms:taxonomy=${taxonomy}`)
  // Whoever may read what an item is attached to may read the item, and the other way round.
  if (query.above !== undefined && query.above !== null) tags.push('posts:visibility')
  // Which posts in the trash are meant says what they were before.
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
