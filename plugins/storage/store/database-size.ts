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

/** Returns the name and version of the database: `SQLite 3.50.4`, `PostgreSQL 17.2`. */
export async function databaseVersion(store: Store): Promise<string> {
  const isPostgres = store.dialect === 'postgres'
  const query = isPostgres
    ? sql<{ version: string }>`select current_setting('server_version') as version`
    : sql<{ version: string }>`select sqlite_version() as version`
  const version = (await store.first(query, []))?.version ?? ''
  return `${isPostgres ? 'PostgreSQL' : 'SQLite'} ${version}`
}
