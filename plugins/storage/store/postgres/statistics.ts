import type { Executor } from '../backend.ts'

/** Rows of a table below which a wrong plan costs little. */
const MIN_ROWS = 500

/**
 * The tables into which the transaction has inserted at least as many rows as they had at their last `analyze`. After a
 * transaction that was rolled back, the number of rows remains in `reltuples`, but the statistics of columns do not.
 */
const GROWN_TABLES = `select relid::regclass::text as name
  from pg_stat_xact_user_tables as grown join pg_class on pg_class.oid = relid
  where n_tup_ins >= ${MIN_ROWS} and (n_tup_ins >= 2 * reltuples or not exists
    (select from pg_stats where pg_stats.schemaname = grown.schemaname and tablename = grown.relname))`

/** See `Store.updateStatistics`. */
export async function updateStatistics(executor: Executor): Promise<void> {
  for (const { name } of await executor.all(GROWN_TABLES, [])) await executor.run(`analyze ${String(name)}`, [])
}
