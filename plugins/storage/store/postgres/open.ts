import { migrate } from '../migrations/migrate.ts'
import { createStore } from '../sql-store.ts'
import type { Store, StoreOptions } from '../store.ts'
import { PostgresBackend } from './backend.ts'

/**
 * Opens a PostgreSQL database; `openStore` says more. The database has to be encoded in UTF-8 and its server built
 * with ICU, from version 12 on.
 *
 * @param url `postgres://user:password@host:port/name`, with the parameters that libpq knows
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
