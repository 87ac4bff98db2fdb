import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Store } from '../../storage/store/index.ts'

/** What limits a list, in SQL. */
export type Condition = Expression<SqlBool>

/**
 * What a condition is for: to `find` posts by, or to `test` posts that are found in another way, so that no index is
 * looked for.
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

/** A column that no index is used for: SQLite would take the one that its statistics speak for, and not the order's. */
export function unindexed(store: Store, column: string): RawBuilder<unknown> {
  return store.dialect === 'sqlite' ? sql`+${sql.ref(column)}` : sql.ref(column)
}
