import type { Expression, SqlBool } from 'kysely'
import { sql } from '../kysely.ts'
import type { DialectExpressions } from '../backend.ts'
import { columnRef, escapeLike } from '../expressions.ts'
import { fold } from './reader.ts'
import { textQuery } from './text-index.ts'

/** Limit in characters: LIKE refuses patterns of more than 50,000 bytes. */
const MAX_LIKE_CHARACTERS = 10_000

export const sqliteExpressions: DialectExpressions = { contains, searchPosts, findPosts, sortKey }

function contains(column: string | Expression<unknown>, text: string): Expression<SqlBool> {
  const ref = columnRef(column)
  // LIKE folds only the letters a-z; other texts use the function, which calls into JavaScript for each row. Both are
  // in the SQL, which must not depend on the searched text.
  const native = /^[\0-\x7f]*$/.test(text) && text.length <= MAX_LIKE_CHARACTERS
  const pattern = native ? `%${escapeLike(text)}%` : ''
  return sql<SqlBool>`case when ${native} then ${ref} like ${pattern} escape '\\' else text_contains(${ref}, ${fold(text)}) end`
}

function searchPosts(text: string): Expression<SqlBool> {
  const columns = ['posts.title', 'posts.excerpt', 'posts.content'].map((column) => contains(column, text))
  return sql<SqlBool>`(posts.id in (${findPosts([text])}) and (${sql.join(columns, sql` or `)}))`
}

function findPosts(texts: readonly string[], place?: 'title' | 'excerpt'): Expression<unknown> {
  const { match, scan } = textQuery(texts)
  const found =
    place === undefined
      ? sql`select rowid from posts_text where posts_text match ${match}`
      : sql`select rowid from posts_brief where posts_brief match ${`{${place}} : (${match})`}`
  // The index finds posts with the trigrams of the texts. Posts that are not indexed yet are candidates too, and if a
  // text is too short for the index, all posts are.
  return sql`${found}
    union all select post_id from posts_text_queue
    union all select id from posts where ${scan}`
}

function sortKey(column: string): Expression<string> {
  // Must match the expression of the indexes. A function's result loses the collation of its column.
  return sql<string>`substr(${sql.ref(column)}, 1, 200) collate nocase`
}
