import { rm } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { fileOf, filePlace, kindsOf, postgresPlace, type Place } from './stores.ts'

/** A database that can be restored to a saved state. */
export interface RestorablePlace extends Place {
  /** Saves a copy. No server may use the database at that time. */
  save(): Promise<void>
  /** Replaces the database with the copy, also while servers use it. */
  restore(): Promise<void>
}

/** All kinds of databases that several processes can share. */
export const restorables: readonly { name: string; make: () => Promise<RestorablePlace> }[] = kindsOf(
  [{ name: 'SQLite', make: sqlite }],
  (server) => ({ name: 'PostgreSQL', make: () => postgres(server) }),
)

async function sqlite(): Promise<RestorablePlace> {
  const place = await filePlace()
  const file = fileOf(place)
  const copy = `${file}.copy`
  const copyTo = async (from: string, to: string) => {
    using source = new DatabaseSync(from)
    await backup(source, to)
  }
  return {
    ...place,
    save: () => copyTo(file, copy),
    restore: () => copyTo(copy, file),
    async [Symbol.asyncDispose]() {
      await rm(copy, { force: true })
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Restores by dropping the database and renaming a copy: servers lose their connections, as in a failover. */
async function postgres(server: string): Promise<RestorablePlace> {
  const place = await postgresPlace(server)
  const name = new URL(place.url).pathname.slice(1)
  const copy = `${name}_copy`
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  return {
    ...place,
    save: () => run(`create database ${copy} template ${name}`),
    restore: () => run(`drop database ${name} with (force)`, `alter database ${copy} rename to ${name}`),
    async [Symbol.asyncDispose]() {
      await run(`drop database if exists ${copy}`)
      await place[Symbol.asyncDispose]()
    },
  }
}
