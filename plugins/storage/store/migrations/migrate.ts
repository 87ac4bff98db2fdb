import { errors } from '../errors.ts'
import type { Connection, Dialect } from '../backend.ts'
import { migrations } from './list.ts'

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
  let version: number
  do {
    await connection.begin()
    try {
      // On SQLite, `begin` has locked the file.
      if (dialect === 'postgres') await connection.exec(ALONE)
      version = await upgrade(connection, dialect)
      await connection.commit()
    } catch (error) {
      await connection.rollback()
      throw error
    }
  } while (version < currentVersion)
}

/** Applies the next migration, if there is one; returns the resulting version. */
async function upgrade(connection: Connection, dialect: Dialect): Promise<number> {
  const integer = dialect === 'sqlite' ? 'integer' : 'bigint'
  await connection.exec(`create table if not exists migrations (version ${integer} primary key, applied text not null)`)
  const row = await connection.first('select coalesce(max(version), 0) as version from migrations', [])
  const version = Number(row?.version)
  if (version > currentVersion) {
    throw errors.STORE_NEWER(version, currentVersion)
  }
  const migration = migrations[version]
  if (!migration) return version
  await migration(connection, dialect)
  const values = dialect === 'sqlite' ? '?, ?' : '$1, $2'
  const insert = `insert into migrations (version, applied) values (${values})`
  await connection.run(insert, [version + 1, new Date().toISOString()])
  return version + 1
}
