import { errors } from '../errors.ts'
import type { Connection, Dialect } from '../backend.ts'
import { migrations, rebuilding } from './list.ts'

/** The schema version of this program. */
export const currentVersion: number = migrations.length

/**
 * SQL that makes other processes wait, and lifts the time limits of requests. The key of the lock is used for nothing
 * else.
 */
const ALONE = `
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  select pg_advisory_xact_lock(7203418846)`

/**
 * Migrates the database to the current version. Processes that start at the same time take turns.
 *
 * @throws StoreError STORE_NEWER if a later release has migrated the database
 */
export async function migrate(connection: Connection, dialect: Dialect): Promise<void> {
  let version = await inTransaction(connection, dialect, () => versionOf(connection, dialect))
  while (version < currentVersion) {
    const expected = version
    const rebuilds = dialect === 'sqlite' && rebuilding.has(migrations[version])
    // Inside a transaction the first switch has no effect. The second one keeps triggers of other tables as they are.
    if (rebuilds) await connection.exec('pragma foreign_keys = off; pragma legacy_alter_table = on')
    try {
      // Another process may have applied the migration in the meantime, or several.
      version = await inTransaction(connection, dialect, () => upgrade(connection, dialect, expected))
    } finally {
      if (rebuilds) await connection.exec('pragma foreign_keys = on; pragma legacy_alter_table = off')
    }
  }
}

async function inTransaction<T>(connection: Connection, dialect: Dialect, work: () => Promise<T>): Promise<T> {
  await connection.begin()
  try {
    // On SQLite, `begin` has locked the file.
    if (dialect === 'postgres') await connection.exec(ALONE)
    const result = await work()
    await connection.commit()
    return result
  } catch (error) {
    await connection.rollback()
    throw error
  }
}

/** @throws STORE_NEWER */
async function versionOf(connection: Connection, dialect: Dialect): Promise<number> {
  const integer = dialect === 'sqlite' ? 'integer' : 'bigint'
  await connection.exec(`create table if not exists migrations (version ${integer} primary key, applied text not null)`)
  const row = await connection.first('select coalesce(max(version), 0) as version from migrations', [])
  const version = Number(row?.version)
  if (version > currentVersion) throw errors.STORE_NEWER(version, currentVersion)
  return version
}

/**
 * Applies the next migration, unless another process has applied it.
 * @returns the resulting version
 */
async function upgrade(connection: Connection, dialect: Dialect, expected: number): Promise<number> {
  const version = await versionOf(connection, dialect)
  if (version !== expected) return version
  await migrations[version]!(connection, dialect)
  const values = dialect === 'sqlite' ? '?, ?' : '$1, $2'
  const insert = `insert into migrations (version, applied) values (${values})`
  await connection.run(insert, [version + 1, new Date().toISOString()])
  return version + 1
}
