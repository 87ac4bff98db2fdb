import type { Expression, SqlBool } from 'kysely'
import { sql } from '../kysely.ts'
import type { DialectExpressions } from '../backend.ts'
import { columnRef, escapeLike } from '../expressions.ts'

export const postgresExpressions: DialectExpressions = { contains, searchPosts, findPosts, sortKey }

function contains(column: string | Expression<unknown>, text: string): Expression<SqlBool> {
  // The collation of the database folds case; the collations of the columns do not, or do not work with LIKE.
  return sql<SqlBool>`${columnRef(column)} collate "default" ilike ${`%${escapeLike(text)}%`}`
}

function searchPosts(text: string): Expression<SqlBool> {
  const columns = ['posts.title', 'posts.excerpt', 'posts.content'].map((column) => contains(column, text))
  return sql<SqlBool>`(${sql.join(columns, sql` or `)})`
}

function findPosts(texts: readonly string[], place?: 'title' | 'excerpt'): Expression<unknown> {
  const all = texts.map((text) => (place === undefined ? searchPosts(text) : contains(`posts.${place}`, text)))
  return sql`select posts.id from posts where ${sql.join(all, sql` and `)}`
}

function sortKey(column: string): Expression<string> {
  // Must match the expression of the indexes.
  return sql<string>`left(${sql.ref(column)}, 200)`
}
