import { sql } from './kysely.ts'
import type { Store } from './store.ts'

/** Returns the size of the database in bytes; on PostgreSQL including data of other programs in it. */
export async function databaseSize(store: Store): Promise<number> {
  const query =
    store.dialect === 'postgres'
      ? sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`
      : sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
  return (await store.first(query, []))?.bytes ?? 0
}
