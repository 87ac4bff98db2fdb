import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'
import { FILE_KEY } from '../../meta-keys.ts'
import { SEARCH_COLUMNS, type PostQuery } from './query.ts'
import { inReadScopes } from './read-scope-conditions.ts'
import { parseSearch } from './search-terms.ts'
import { allOf, anyOf, not, unestimated, unindexed, type Condition, type Use } from './sql-logic.ts'

/** Whether a post has every wanted text and none of the unwanted ones in the texts that are searched. */
export function matchesSearch(store: Store, query: PostQuery, use: Use): Condition {
  const { search = '', searchColumns = SEARCH_COLUMNS, searchExact = false, searchFiles = false, opens } = query
  const { wanted, unwanted } = parseSearch(search)
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
  const everywhere = searchColumns.length === SEARCH_COLUMNS.length && !searchExact
  const has = (text: string) => {
    if (searchFiles) return anyOf([inTexts(text), inFile(text)])
    if (use === 'test') return inTexts(text)
    // The index has all texts of a post as one.
    return everywhere ? store.searchPosts(text) : allOf([store.searchPosts(text), inTexts(text)])
  }
  const found: Condition[] = [...wanted.map(has), ...unwanted.map((text) => not(has(text)))]
  // What nobody may read without its password must not be told word by word either.
  if (opens !== null) {
    const column = (name: string) => unindexed(store, name)
    const open =
      opens === undefined || opens.length === 0 ? [] : [inReadScopes(store, opens, { table: 'posts', column })]
    found.push(anyOf([sql<SqlBool>`posts.password = ${''}`, ...open]))
  }
  return use === 'find' ? allOf(found) : unestimated(store, allOf(found))
}

/** The ranks of `relevanceOf` that posts which match a search can have. */
export function ranksOf(search: string): readonly number[] {
  const { single, wanted, unwanted } = parseSearch(search)
  if (wanted.length === 0) return [1]
  if (single) return [1, 2]
  if (unwanted.length === 0) return [1, 2, 3, 4, 5, 6]
  // Who has the whole text has what must not be there; and of one word all is any.
  return wanted.length === 1 ? [2, 6] : [2, 3, 6]
}

/** A query of the posts that may have a rank, by the index of where it is decided; null where all that are found may. */
export function findRank(store: Store, search: string, rank: number): RawBuilder<unknown> | null {
  const { sentence, single, wanted } = parseSearch(search)
  const inTitle = (texts: readonly string[]) => sql`${store.findPosts(texts, 'title')}`
  if (wanted.length === 0 || rank === 6 || (single && rank > 1)) return null
  if (rank === 1) return inTitle(single ? wanted : [sentence])
  if (rank === 2) return inTitle(wanted)
  if (rank === 3)
    return sql.join(
      wanted.map((text) => inTitle([text])),
      sql` union all `,
    )
  return sql`${store.findPosts([sentence], rank === 4 ? 'excerpt' : undefined)}`
}

/**
 * How well a post matches a search: 1 where the title has the text as it is, up to 6 where its words are in the content
 * one by one. A single word is in the title or it is not. Null where nothing is wanted.
 */
export function relevanceOf(store: Store, search: string): Expression<number> | null {
  const { sentence, single, wanted } = parseSearch(search)
  if (wanted.length === 0) return null
  const title = wanted.map((text) => store.contains('posts.title', text))
  const [any, all] = [sql.join(title, sql` or `), sql.join(title, sql` and `)]
  if (single) return sql<number>`case when ${all} then 1 else 2 end`
  const whole = (column: string) => store.contains(column, sentence)
  return sql<number>`case when ${whole('posts.title')} then 1 when ${all} then 2 when ${any} then 3
    when ${whole('posts.excerpt')} then 4 when ${whole('posts.content')} then 5 else 6 end`
}
