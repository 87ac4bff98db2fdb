import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'

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

/**
 * A condition on texts of which PostgreSQL does not estimate how many posts pass: half of them, as it takes it, so that an
 * order is walked. It would compare what is searched with samples of the texts, for each place and each time anew, which
 * takes longer than the search.
 */
export function unestimated({ dialect }: Store, condition: Condition): Condition {
  return dialect === 'postgres' ? sql<SqlBool>`case when ${condition} then true else false end` : condition
}

/** A column that no index is used for: SQLite would take the one that its statistics speak for, and not the order's. */
export function unindexed(store: Store, column: string): RawBuilder<unknown> {
  return store.dialect === 'sqlite' ? sql`+${sql.ref(column)}` : sql.ref(column)
}
