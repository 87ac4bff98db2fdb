import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'

/** An SQL condition that limits a list. */
export type Condition = Expression<SqlBool>

/**
 * Purpose of a condition: to `find` posts by an index, or to `test` posts that are found in another way, without an
 * index.
 */
export type Use = 'find' | 'test'

export function allOf(list: readonly Condition[]): Condition {
  return list.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(list, sql` and `)})`
}

export function anyOf(list: readonly Condition[]): Condition {
  return list.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(list, sql` or `)})`
}

export function not(condition: Condition): Condition {
  return sql<SqlBool>`not ${condition}`
}

/**
 * A text condition whose selectivity PostgreSQL does not estimate: it assumes that half of the posts match and reads
 * them in index order. An estimate compares the search text with samples of the texts, for each occurrence in every
 * statement, which takes longer than the search.
 */
export function unestimated({ dialect }: Store, condition: Condition): Condition {
  return dialect === 'postgres' ? sql<SqlBool>`case when ${condition} then true else false end` : condition
}

/**
 * A column that SQLite must not use an index for: it would choose the index by its statistics instead of the index of
 * the order.
 */
export function unindexed(store: Store, column: string): RawBuilder<unknown> {
  return store.dialect === 'sqlite' ? sql`+${sql.ref(column)}` : sql.ref(column)
}
