import type { RawBuilder } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'
import { finds, objectsWith, orderedTest } from '../../../storage/field-index/index.ts'
import { conditions } from './conditions.ts'
import { leadingAuthors, leadingTerms, leadingTest } from './index-ranges.ts'
import type { PostOrder, PostQuery, TermClause } from './query.ts'
import { findRank } from './search-conditions.ts'
import { parseSearch } from './search-terms.ts'
import { allOf } from './sql-logic.ts'
import { termIds } from './term-conditions.ts'

/** A subquery with a single column of post IDs. */
export type Ids = RawBuilder<unknown>

/** Maximum number of conditions that are counted. */
const MAX_CONDITIONS = 6

/** Query properties that can find posts by an index, each with the order that the same index provides. */
const FINDERS: readonly (readonly [order: PostOrder | null, ...keys: (keyof PostQuery)[]])[] = [
  ['author', 'author'],
  ['parent', 'parent'],
  ['menu_order', 'menuOrder'],
  [null, 'mimeTypes', 'mediaType'],
  ['date', 'after', 'before'],
  ['modified', 'modifiedAfter', 'modifiedBefore'],
]

/**
 * Subqueries for the posts that single conditions leave, except for conditions that the index of the order starts with.
 */
export function candidates(store: Store, query: PostQuery): Ids[] {
  const { types, statuses, orderby = 'date', search = '', rank } = query
  // A rank is queried only after the other conditions have turned out to leave many posts.
  if (rank !== undefined) return [findRank(store, search, rank) ?? []].flat()
  const subqueries: Ids[] = []
  for (const [order, ...keys] of FINDERS) {
    const presentKeys = keys.filter(
      (key) => query[key] !== undefined && !(Array.isArray(query[key]) && query[key].length === 0),
    )
    if (presentKeys.length === 0 || order === orderby || (order === 'author' && leadingAuthors(query) !== null))
      continue
    const part = Object.fromEntries(presentKeys.map((key) => [key, query[key]]))
    const all = conditions(store, { types, statuses, limit: 0, ...part })
    subqueries.push(sql`select posts.id from posts where ${allOf(all)}`)
  }
  const formats = query.format?.operator === 'in' ? [[query.format]] : []
  for (const clauses of [...findingTerms(query), ...formats]) {
    const ids = sql.join(
      clauses.map((clause) => sql`term_id in (${termIds(store, clause)})`),
      sql` or `,
    )
    subqueries.push(sql`select post_id from term_relationships where (${ids})
      and ${store.isIn('post_type', types)} and ${store.isIn('post_status', statuses)}`)
  }
  for (const test of query.fields?.tests ?? []) {
    if (!finds(test) || test === leadingTest(query) || test === orderedTest(query.fields!)) continue
    subqueries.push(objectsWith(store, test, { types, statuses }))
  }
  const { required } = parseSearch(search)
  // The full-text index does not include file names.
  if (required.length > 0 && query.searchFiles !== true) subqueries.push(sql`${store.findPosts(required)}`)
  return subqueries.slice(0, MAX_CONDITIONS)
}

/** Term conditions that can find posts, except for the clause that `indexRanges` reads term by term. */
function findingTerms(query: PostQuery): TermClause[][] {
  const { terms = [], termRelation } = query
  const leading = leadingTerms(query)
  if (termRelation === 'or') {
    const usable = leading === null && terms.length > 0 && terms.every(({ operator }) => operator !== 'not in')
    return usable ? [[...terms]] : []
  }
  return terms.flatMap((clause) => {
    const isLeading = clause === leading?.[0]?.clause
    if (clause.operator === 'in') return isLeading ? [] : [[clause]]
    if (clause.operator === 'not in') return []
    return clause.terms.slice(isLeading ? 1 : 0).map((term) => [{ ...clause, terms: [term] }])
  })
}
