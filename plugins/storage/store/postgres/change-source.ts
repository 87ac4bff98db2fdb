import { randomUUID } from 'node:crypto'
import type { ChangeSource, ReadRow } from '../backend.ts'
import type { Change } from '../changes/change.ts'
import { CHANNEL } from '../changes/collect.ts'
import type { PostgresConnection } from './connection.ts'

/** Milliseconds between two checks of the connection, and for the response to each. */
const CHECK_INTERVAL_MS = 1000
/** Milliseconds until the next attempt to connect. */
const RETRY_DELAY_MS = 1000
/** Rows that `take` returns; if there are more, it returns `all`. */
const MAX_ROWS = 10_000

/**
 * Receives changes over a connection that listens. While the connection is lost or does not respond, changes of other
 * processes are unknown; the next connection reads the changes that were missed.
 */
export class PostgresChangeSource implements ChangeSource {
  readonly token: string = randomUUID()
  readonly #connect: () => Promise<PostgresConnection>
  #connection: PostgresConnection | null = null
  #started = false
  #closed = false
  #timer: NodeJS.Timeout | undefined
  /** The latest change that was read, or that existed at the first connection. */
  #last = 0
  #rows: ReadRow[] = []
  /** The latest change of this process. */
  #own = 0
  /** Result of the next call of `take` if changes were missed. */
  #missed: 'all' | 'restored' | null = null
  /** The database of the last connection. */
  #database: string | null = null
  /** Whether the connection receives the commits of other processes. */
  #isListening = false
  #reading: Promise<void> | null = null
  #readAgain = false

  /** @param connect opens a connection outside the pool */
  constructor(connect: () => Promise<PostgresConnection>) {
    this.#connect = connect
  }

  readNew(): readonly ReadRow[] | 'all' | 'restored' | null {
    if (!this.#started) this.#start()
    if (!this.#isListening) return null
    if (this.#missed !== null) {
      const missed = this.#missed
      this.#missed = null
      this.#rows = []
      return missed
    }
    if (this.#rows.length === 0) return NONE
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  committed({ id }: Change): void {
    this.#own = id
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#connection?.end().catch(() => {})
  }

  #start(): void {
    this.#started = true
    void this.#open()
  }

  async #open(): Promise<void> {
    if (this.#closed) return
    try {
      const connection = await this.#connect()
      if (this.#closed) return await connection.end()
      this.#connection = connection
      connection.onEnd(() => this.#onDisconnect(connection))
      connection.onNotification((payload) => this.#onNotification(connection, payload))
      await this.#checkDatabase(connection)
      await connection.exec(`listen ${CHANNEL}`)
      await this.#readChanges(connection)
      this.#isListening = this.#connection === connection
      this.#scheduleCheck(connection)
    } catch {
      if (this.#connection === null) this.#reconnectLater()
      else this.#onDisconnect(this.#connection)
    }
  }

  /**
   * On the first connection, stores the number of the latest change. On later ones, discards everything if the database
   * has lost changes: a standby that had not received them before a failover, or a restored backup. Its change numbers
   * continue from lower ones.
   */
  async #checkDatabase(connection: PostgresConnection): Promise<void> {
    const latest = await latestIn(connection)
    const database = await databaseOf(connection)
    const isFirst = this.#database === null
    const isSame = this.#database === database && Math.max(this.#last, this.#own) <= latest
    this.#database = database
    if (isSame) return
    this.#last = latest
    if (isFirst) return
    this.#missed = 'restored'
    this.#own = 0
  }

  #onDisconnect(connection: PostgresConnection): void {
    if (this.#connection !== connection) return
    this.#connection = null
    this.#isListening = false
    clearTimeout(this.#timer)
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#open(), RETRY_DELAY_MS).unref()
  }

  /** Checks the connection regularly: a connection cut on the way reports no error by itself. */
  #scheduleCheck(connection: PostgresConnection): void {
    this.#timer = setTimeout(() => {
      const silent = setTimeout(() => {
        this.#isListening = false
        void connection.end().catch(() => {})
        this.#onDisconnect(connection)
      }, CHECK_INTERVAL_MS).unref()
      connection.first('select 1 as one', []).then(
        () => {
          clearTimeout(silent)
          if (this.#connection === connection) this.#scheduleCheck(connection)
        },
        () => clearTimeout(silent),
      )
    }, CHECK_INTERVAL_MS).unref()
  }

  /** Reads new changes, unless this process made them and they directly follow the latest known change. */
  #onNotification(connection: PostgresConnection, payload: string): void {
    const [token, first, last] = payload.split(' ')
    if (token === this.token && this.#reading === null && Number(first) - 1 === this.#last) this.#last = Number(last)
    else void this.#readChanges(connection)
  }

  /** Reads new changes, and reads again if a notification arrives in the meantime. */
  #readChanges(connection: PostgresConnection): Promise<void> {
    if (this.#reading !== null) {
      this.#readAgain = true
      return this.#reading
    }
    this.#reading = (async () => {
      try {
        do {
          this.#readAgain = false
          await this.#read(connection)
        } while (this.#readAgain)
      } catch {
        this.#onDisconnect(connection)
      } finally {
        this.#reading = null
      }
    })()
    return this.#reading
  }

  async #read(connection: PostgresConnection): Promise<void> {
    const rows = await connection.all(`select * from changes where id > $1 order by id limit ${MAX_ROWS + 1}`, [
      this.#last,
    ])
    if (rows.length === 0) return
    // Old ones may have been deleted while the connection was lost.
    if (rows.length > MAX_ROWS || (!this.#isListening && Number(rows[0]!['id']) !== this.#last + 1)) {
      this.#missed ??= 'all'
      this.#last = await latestIn(connection)
    } else {
      this.#rows.push(...rows)
      this.#last = Number(rows.at(-1)!['id'])
    }
    if (this.#rows.length > MAX_ROWS) {
      this.#rows = []
      this.#missed ??= 'all'
    }
  }
}

/** Returns the number of the latest change, or 0. */
async function latestIn(connection: PostgresConnection): Promise<number> {
  const latest = await connection.first('select coalesce(max(id), 0) as id from changes', [])
  return Number(latest?.['id'])
}

/**
 * Returns an identifier of the database that changes when it is restored: the cluster (`pg_control_system`), its
 * timeline, which changes with each failover and recovery, the database, and the table of changes with its file.
 */
async function databaseOf(connection: PostgresConnection): Promise<string> {
  const own = await connection.first(
    `select concat_ws('/', (select oid from pg_database where datname = current_database()), 'changes'::regclass::oid,
      pg_relation_filenode('changes')) as id`,
    [],
  )
  // Some hosts do not permit these functions, and a standby has no position to write at.
  const cluster = await connection
    .first(
      `select concat_ws('/', (select system_identifier from pg_control_system()),
        left(pg_walfile_name(pg_current_wal_lsn()), 8)) as id`,
      [],
    )
    .catch(() => null)
  return `${String(cluster?.['id'])}/${String(own?.['id'])}`
}

const NONE: readonly ReadRow[] = []
