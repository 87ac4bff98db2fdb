import { compile } from './query-builder.ts'
import { toValues } from './parameters.ts'
import { tagsOfTables } from './sql-tables.ts'
import type { SqlQuery, Store } from './store.ts'

/** Returns a cache key of a query, which includes its parameters, and the tags of the tables that it names. */
export function describeQuery(store: Store, query: SqlQuery): { key: string; tags: readonly string[] } {
  const { sql, parameters } = compile(query, store.db)
  return { key: JSON.stringify([sql, toValues(parameters)]), tags: tagsOfTables(sql) }
}
