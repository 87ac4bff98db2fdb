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
  // To bring an old database up to date may take longer than a request.
  const { time: _, ...unlimited } = options
  const first = new PostgresBackend(url, unlimited)
  try {
    await first.withConnection((connection) => migrate(connection, 'postgres'))
  } finally {
    await first.close()
  }
  return createStore(new PostgresBackend(url, options))
}
