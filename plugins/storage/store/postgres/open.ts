import { migrate } from '../migrations/migrate.ts'
import { createStore } from '../sql-store.ts'
import type { Store, StoreOptions } from '../store.ts'
import { PostgresBackend } from './backend.ts'

/**
 * Opens a PostgreSQL database; see `openStore`. The database must be encoded in UTF-8, on a server of version 12 or
 * later with ICU.
 *
 * @param url `postgres://user:password@host:port/name`, with parameters of libpq
 */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<Store> {
  const backend = new PostgresBackend(url, options)
  try {
    await backend.withConnection((connection) => migrate(connection, 'postgres'))
  } catch (error) {
    await backend.close()
    throw error
  }
  return createStore(backend)
}
