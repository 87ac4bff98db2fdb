import type { Connection, Dialect } from '../backend.ts'

/** A connection for a single user, with its dialect. */
export interface RawConnection extends Connection {
  readonly dialect: Dialect
}

/**
 * Runs `work` on a connection to a database that exists. Its writes are not recorded as changes, and have no time limit.
 * @param url `sqlite:…` or `postgres://…`
 */
export async function withRawConnection<T>(url: string, work: (connection: RawConnection) => Promise<T>): Promise<T> {
  return url.startsWith('sqlite:') ? inSqlite(url.slice('sqlite:'.length), work) : inPostgres(url, work)
}

async function inSqlite<T>(path: string, work: (connection: RawConnection) => Promise<T>): Promise<T> {
  const [{ SqliteConnection }, { COMMON }] = await Promise.all([
    import('../sqlite/connection.ts'),
    import('../sqlite/reader.ts'),
  ])
  const connection = new SqliteConnection(path)
  try {
    connection.exec(`${COMMON}; pragma synchronous = full`)
    return await work(Object.assign(connection, { dialect: 'sqlite' as const }))
  } finally {
    connection.close()
  }
}

async function inPostgres<T>(url: string, work: (connection: RawConnection) => Promise<T>): Promise<T> {
  const [{ default: pg }, { PostgresConnection }, { settingsFor }] = await Promise.all([
    import('pg'),
    import('../postgres/connection.ts'),
    import('../postgres/settings.ts'),
  ])
  const client = new pg.Client({ connectionString: url })
  // Handles the event of a lost connection, which would end the process, from the beginning.
  const connection = new PostgresConnection(client, async () => {})
  await client.connect()
  try {
    await connection.prepare(settingsFor(url, {}))
    return await work(Object.assign(connection, { dialect: 'postgres' as const }))
  } finally {
    await client.end()
  }
}
