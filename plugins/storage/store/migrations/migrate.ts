import { errors } from '../errors.ts'
import type { Connection, Dialect } from '../backend.ts'
import { migrations } from './list.ts'

/** The version of the tables that this program works with. */
export const currentVersion: number = migrations.length

/**
 * Brings the database up to date. Processes that start at once take turns.
 *
 * @throws StoreError STORE_NEWER
 */
export async function migrate(connection: Connection, dialect: Dialect): Promise<void> {
  let version: number
  do {
    await connection.begin()
    try {
      // SQLite has locked the file with `begin`. The number stands for this list of migrations, and nothing else.
      if (dialect === 'postgres') await connection.exec('select pg_advisory_xact_lock(7203418846)')
      version = await upgrade(connection, dialect)
      await connection.commit()
    } catch (error) {
      await connection.rollback()
      throw error
    }
  } while (version < currentVersion)
}

/** Applies the next migration, if there is one; answers the version the database then has. */
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
  const applied = new Date().toISOString()
  await connection.run(insertVersion[dialect], [version + 1, applied])
  return version + 1
}

const insertVersion: Record<Dialect, string> = {
  sqlite: 'insert into migrations (version, applied) values (?, ?)',
  postgres: 'insert into migrations (version, applied) values ($1, $2)',
}
