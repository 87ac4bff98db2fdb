import { CompiledQuery, sql } from './kysely.ts'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

/**
 * Drops the indexes of tables before a transaction fills them: creating an index from all rows takes a fraction of the
 * time of maintaining it. Indexes of constraints remain.
 *
 * SQLite only: PostgreSQL would lock the tables for all other connections, so there it does nothing.
 *
 * @returns creates the indexes again
 */
export async function withoutIndexes(tx: Store, tables: readonly (keyof Database)[]): Promise<() => Promise<void>> {
  if (tx.dialect !== 'sqlite') return async () => {}
  const indexes = await tx.all(
    sql<{ name: string; sql: string }>`select name, sql from sqlite_schema
      where type = ${'index'} and sql is not null and tbl_name in (${sql.join(tables)}) order by rowid`,
  )
  // Dropping an index also deletes its planner statistics.
  const facts = await tx.all(
    sql<{ tbl: string; idx: string; stat: string }>`select tbl, idx, stat from sqlite_stat1
      where idx in (${sql.join(indexes.map(({ name }) => name))})`,
  )
  for (const { name } of indexes) await tx.run(sql`drop index ${sql.ref(name)}`)
  return async () => {
    for (const index of indexes) await tx.run(CompiledQuery.raw(index.sql))
    for (const { tbl, idx, stat } of facts) {
      await tx.run(sql`insert into sqlite_stat1 (tbl, idx, stat) values (${tbl}, ${idx}, ${stat})`)
    }
    await tx.run(sql`analyze sqlite_schema`)
  }
}
