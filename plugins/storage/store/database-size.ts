import { sql } from './kysely.ts'
import type { Store } from './store.ts'

/** How large the database is, in bytes; on PostgreSQL with all that others have in it. */
export async function databaseSize(store: Store): Promise<number> {
  const query =
    store.dialect === 'postgres'
      ? sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`
      : sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
  return (await store.first(query, []))?.bytes ?? 0
}
