import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'
import { FILE_KEY } from '../../meta-keys.ts'
import { SEARCH_COLUMNS, type PostQuery } from './query.ts'
import { inReadScopes } from './read-scope-conditions.ts'
import { parseSearch } from './search-terms.ts'
import { allOf, anyOf, not, unestimated, unindexed, type Condition, type Use } from './sql-logic.ts'

/** Whether the searched texts of a post contain every required text and no excluded one. */
export function matchesSearch(store: Store, query: PostQuery, use: Use): Condition {
  const { search = '', searchColumns = SEARCH_COLUMNS, searchExact = false, searchFiles = false, opens } = query
  const { required, excluded } = parseSearch(search)
  const inColumn = (column: string, text: string): Condition => {
    const contains = store.contains(column, text)
    return searchExact
      ? sql<SqlBool>`(${contains} and length(${sql.ref(column)}) = length(cast(${text} as text)))`
      : contains
  }
  const inTexts = (text: string) => anyOf(searchColumns.map((column) => inColumn(`posts.${column}`, text)))
  const inFile = (text: string) =>
    sql<SqlBool>`exists (select 1 from post_meta where post_meta.post_id = posts.id
      and post_meta.key = ${FILE_KEY} and ${store.contains('post_meta.value', text)})`
  const coversAllColumns = searchColumns.length === SEARCH_COLUMNS.length && !searchExact
  const has = (text: string) => {
    if (searchFiles) return anyOf([inTexts(text), inFile(text)])
    if (use === 'test') return inTexts(text)
    // The full-text index treats all texts of a post as one.
    return coversAllColumns ? store.searchPosts(text) : allOf([store.searchPosts(text), inTexts(text)])
  }
  const conditions: Condition[] = [...required.map(has), ...excluded.map((text) => not(has(text)))]
  // Otherwise a search could reveal password-protected texts word by word.
  if (opens !== null) {
    const column = (name: string) => unindexed(store, name)
    const open =
      opens === undefined || opens.length === 0 ? [] : [inReadScopes(store, opens, { table: 'posts', column })]
    conditions.push(anyOf([sql<SqlBool>`posts.password = ${''}`, ...open]))
  }
  return use === 'find' ? allOf(conditions) : unestimated(store, allOf(conditions))
}

/** The ranks of `relevanceOf` that matches of a search can have. */
export function ranksOf(search: string): readonly number[] {
  const { single, required, excluded } = parseSearch(search)
  if (required.length === 0) return [1]
  if (single) return [1, 2]
  if (excluded.length === 0) return [1, 2, 3, 4, 5, 6]
  // A post with the whole text also contains the excluded words; with a single required word, all and any are the same.
  return required.length === 1 ? [2, 6] : [2, 3, 6]
}

/** Subquery of the posts that can have a rank, from the index that decides it; null if any match can have it. */
export function findRank(store: Store, search: string, rank: number): RawBuilder<unknown> | null {
  const { sentence, single, required } = parseSearch(search)
  const inTitle = (texts: readonly string[]) => sql`${store.findPosts(texts, 'title')}`
  if (required.length === 0 || rank === 6 || (single && rank > 1)) return null
  if (rank === 1) return inTitle(single ? required : [sentence])
  if (rank === 2) return inTitle(required)
  if (rank === 3)
    return sql.join(
      required.map((text) => inTitle([text])),
      sql` union all `,
    )
  return sql`${store.findPosts([sentence], rank === 4 ? 'excerpt' : undefined)}`
}

/**
 * The rank of a match: 1 if the title contains the whole text, up to 6 if the content contains its words separately. A
 * single word is either in the title (1) or not (2). Null if the search has no required words.
 */
export function relevanceOf(store: Store, search: string): Expression<number> | null {
  const { sentence, single, required } = parseSearch(search)
  if (required.length === 0) return null
  const title = required.map((text) => store.contains('posts.title', text))
  const [any, all] = [sql.join(title, sql` or `), sql.join(title, sql` and `)]
  if (single) return sql<number>`case when ${all} then 1 else 2 end`
  const containsSentence = (column: string) => store.contains(column, sentence)
  return sql<number>`case when ${containsSentence('posts.title')} then 1 when ${all} then 2 when ${any} then 3
    when ${containsSentence('posts.excerpt')} then 4 when ${containsSentence('posts.content')} then 5 else 6 end`
}
