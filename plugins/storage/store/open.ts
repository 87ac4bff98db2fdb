import { defineErrors } from '../../../kernel/index.ts'
import { hideCredentials } from '../../library/secrets/index.ts'
import { errors } from './errors.ts'
import { openFailureReason } from './open-failures.ts'
import type { Store, StoreOptions } from './store.ts'

const { STORE_UNOPENABLE } = defineErrors({
  STORE_UNOPENABLE: [
    500,
    (database: string, reason: string) => `The database ${database} cannot be opened: ${reason}.`,
  ],
})

/**
 * Opens the database of a site as `openStore` does.
 * @throws STORE_UNOPENABLE with the database, the reason and what to do
 */
export async function openDatabase(url: string, options?: StoreOptions): Promise<Store> {
  try {
    return await openStore(url, options)
  } catch (cause) {
    const file = /^sqlite:(.*)$/s.exec(url)?.[1]
    const shown = file ?? hideCredentials(url).replace(/\?.*$/s, '')
    throw STORE_UNOPENABLE(shown, openFailureReason(cause), { cause })
  }
}

/**
 * Opens a database, creates missing tables and migrates an older schema.
 *
 * @param url `sqlite:./data/site.db` (the folder is created), `sqlite::memory:`, `postgres://user:password@host/name`
 * @throws StoreError STORE_ADDRESS_INVALID, STORE_NEWER (a later release has migrated the database), STORE_BUSY,
 * STORE_UNREADABLE; the database's own error if it is unreachable
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(url.slice('sqlite:'.length), options)
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/open.ts')
    return openPostgres(url, options)
  }
  // Without the URL, which may contain a password.
  throw errors.STORE_ADDRESS_INVALID()
}
