import { CompiledQuery, sql } from './kysely.ts'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

/**
 * Takes the indexes off tables that are about to be filled, inside a transaction: made of all rows in one go they take
 * a fraction of the time, because rows meet them in their order. Those that stand for a constraint stay.
 *
 * SQLite alone: PostgreSQL would shut everybody out of the tables meanwhile, so there nothing happens.
 *
 * @returns makes them again
 */
export async function withoutIndexes(tx: Store, tables: readonly (keyof Database)[]): Promise<() => Promise<void>> {
  if (tx.dialect !== 'sqlite') return async () => {}
  const indexes = await tx.all(
    sql<{ name: string; sql: string }>`select name, sql from sqlite_schema
      where type = ${'index'} and sql is not null and tbl_name in (${sql.join(tables)}) order by rowid`,
  )
  // What the planner knows of an index goes with it.
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
