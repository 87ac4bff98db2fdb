import { setTimeout as delay } from 'node:timers/promises'
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from '../kysely.ts'
import pg from 'pg'
import { currentWork } from '../../../../kernel/index.ts'
import { Semaphore } from '../../../library/long-work/index.ts'
import { WRITERS_LOCK, type Backend, type Connection, type Executor, type ReadStatement } from '../backend.ts'
import { STAGING } from '../changes/collect.ts'
import { queueFullError } from '../errors.ts'
import { createBuilder } from '../query-builder.ts'
import type { Database } from '../schema.ts'
import type { StoreOptions } from '../store.ts'
import { PostgresChangeSource } from './change-source.ts'
import { isConnectionLost, PostgresConnection } from './connection.ts'
import { postgresExpressions } from './expressions.ts'
import { isConflict, isConnectionEnd, uncertain, unreachable } from './failures.ts'
import { getTypeParser, settingsFor } from './settings.ts'
import { updateStatistics } from './statistics.ts'

/** Connections of a process for statements outside transactions. */
const MAX_READERS = 7
/** Connections of a process for writes and transactions. */
const MAX_WRITERS = 5
/** One more, so that a statement can be cancelled while all others are in use. */
const MAX_CONNECTIONS = MAX_READERS + MAX_WRITERS + 1
/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT_MS = 10_000
/** Attempts to execute a statement that a deadlock stops. */
const MAX_ATTEMPTS = 3

/** SQL that begins a transaction on a snapshot, without the time limits of requests. */
const SNAPSHOT = `begin isolation level repeatable read read only;
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`

/** The tables with generated IDs. */
const numbered: readonly (keyof Database)[] = [
  'users',
  'user_meta',
  'posts',
  'post_meta',
  'terms',
  'term_meta',
  'comments',
  'comment_meta',
  'application_passwords',
]

/** SQL that advances the sequences of IDs past the highest ID of each table. */
const syncSequences = numbered.map(
  (table) =>
    `select setval(sequence, greatest(
      (select coalesce(max(id), 0) from ${table}),
      coalesce(pg_sequence_last_value(sequence), 0)
    ) + 1, false) from (select pg_get_serial_sequence('${table}', 'id')::regclass as sequence) as numbering`,
)

/** A PostgreSQL database: a pool of connections, and one that listens for changes. */
export class PostgresBackend implements Backend {
  readonly dialect = 'postgres'
  readonly db = createBuilder({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  })
  readonly syncSequences = syncSequences
  readonly updateStatistics = updateStatistics
  readonly expressions = postgresExpressions
  readonly changes: PostgresChangeSource
  readonly #config: pg.ClientConfig
  /** SQL that sets up each connection. */
  readonly #settings: string
  /** Milliseconds for which a caller waits for the write turn, and a statement for a lock. */
  readonly #patience: number
  readonly #pool: pg.Pool
  // Both are bounded, so that reads never take the connections of writes. Aborted callers leave these queues; the
  // pool's own queue knows no callers.
  readonly #readers = new Semaphore(MAX_READERS, Infinity, queueFullError)
  readonly #writers = new Semaphore(MAX_WRITERS, Infinity, queueFullError)
  readonly #turns = new Semaphore(1, Infinity, queueFullError)
  readonly #connections = new WeakMap<pg.ClientBase, PostgresConnection>()

  constructor(url: string, options: StoreOptions) {
    this.#patience = (options.time ?? Infinity) / 2
    this.#settings = settingsFor(url, options)
    this.#config = {
      connectionString: url,
      connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, Math.max(1000, this.#patience)),
      keepAlive: true,
      // Savepoints are sent without waiting for their result.
      pipeline: true,
      types: { getTypeParser },
    }
    this.changes = new PostgresChangeSource(() => this.#connect())
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits the promise; its types do not say so
    this.#pool = new pg.Pool({ ...this.#config, max: MAX_CONNECTIONS, onConnect: (client) => this.#prepare(client) })
    // The pool replaces an idle connection that breaks; without a listener the event would end the process.
    this.#pool.on('error', () => {})
  }

  read<T>(_statement: ReadStatement, act: (executor: Executor) => T | Promise<T>): Promise<T> {
    // A read changes nothing, so one whose connection is lost is executed again.
    const begin = async (connection: PostgresConnection) => act(connection)
    return this.#lend(this.#readers, begin, (_connection, result) => result)
  }

  write<T>(act: (connection: Connection) => T | Promise<T>): Promise<T> {
    return this.withConnection(async (connection) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await act(connection)
        } catch (error) {
          if (isConnectionEnd(error)) throw uncertain(error)
          if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
        }
      }
    })
  }

  transaction<T>(work: (connection: Connection) => Promise<T>, committed: () => void, alone: boolean): Promise<T> {
    let locked: Promise<unknown> | undefined
    const begin = async (connection: PostgresConnection) => {
      const transactionStart = connection.begin(STAGING)
      // Sent right after `begin`; the work waits for it.
      if (alone) locked = connection.first('select pg_advisory_xact_lock($1)', [WRITERS_LOCK])
      locked?.catch(() => {})
      try {
        await transactionStart
      } catch (error) {
        await connection.rollback()
        throw error
      }
    }
    return this.#lend(this.#writers, begin, async (connection) => {
      let result: T
      try {
        await locked
        result = await work(connection)
      } catch (error) {
        await connection.rollback()
        throw error
      }
      try {
        await connection.commit()
      } catch (error) {
        if (!isConnectionEnd(error)) throw error
        const hasCommitted = await this.#hasCommitted(connection.transactionId).catch((cause: unknown) => {
          throw uncertain(cause)
        })
        if (!hasCommitted) throw error
      }
      committed()
      return result
    })
  }

  async snapshot<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    // Not from the pool: a snapshot can be open for hours.
    const connection = await this.#connect()
    try {
      await connection.exec(SNAPSHOT)
      const result = await work(connection)
      await connection.commit()
      return result
    } finally {
      await connection.end().catch(() => {})
    }
  }

  /** Returns whether a transaction whose connection was lost during the commit has been committed. */
  async #hasCommitted(id: string): Promise<boolean> {
    const connection = await this.#connect()
    try {
      for (let attempt = 1; ; attempt++) {
        const row = await connection.first('select txid_status($1::bigint) as status', [id])
        // The server may not have noticed the lost connection yet.
        if (row?.status !== 'in progress' || attempt === MAX_ATTEMPTS) return row?.status === 'committed'
        await delay(100)
      }
    } finally {
      await connection.end()
    }
  }

  inTurn<T>(act: () => Promise<T>): Promise<T> {
    // Waiting in this process: waiting in the database would occupy a connection.
    return this.#turns.run(act, { until: performance.now() + this.#patience, signal: currentWork()?.signal })
  }

  /** Lends a connection to one caller until `use` settles. */
  withConnection<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return this.#lend(this.#writers, async () => {}, use)
  }

  /**
   * Lends a connection of the pool until `use` settles. If the request is aborted, the running statement is cancelled.
   * @param begin executed first, and again on another connection if this one turns out to be lost
   */
  #lend<B, T>(
    places: Semaphore,
    begin: (connection: PostgresConnection) => Promise<B>,
    use: (connection: PostgresConnection, startResult: B) => T | Promise<T>,
  ): Promise<T> {
    const signal = currentWork()?.signal
    const lend = async () => {
      for (let attempt = 1; ; attempt++) {
        const client = await this.#pool.connect().catch(unreachable)
        const connection = this.#connections.get(client)!
        const cancel = () => connection.cancel()
        signal?.addEventListener('abort', cancel)
        let hasStarted = false
        try {
          signal?.throwIfAborted()
          const startResult = await begin(connection)
          hasStarted = true
          return await use(connection, startResult)
        } catch (error) {
          if (hasStarted || !isConnectionLost(error) || attempt === MAX_CONNECTIONS) throw error
        } finally {
          signal?.removeEventListener('abort', cancel)
          await connection.waitForCancellation()
          client.release(connection.isUsedUp)
        }
      }
    }
    return places.run(lend, { until: performance.now() + this.#patience, signal })
  }

  /** Opens a connection outside the pool. */
  async #connect(): Promise<PostgresConnection> {
    const client = new pg.Client(this.#config)
    // Before it connects: a server can end a connection right after accepting it, and without a listener that event of the
    // client would end the process.
    const connection = this.#connectionOf(client)
    try {
      await client.connect()
      await connection.prepare(this.#settings)
      return connection
    } catch (error) {
      return unreachable(error)
    }
  }

  /** Sets up a new connection of the pool. */
  async #prepare(client: pg.ClientBase): Promise<void> {
    await this.#connectionOf(client).prepare(this.#settings)
  }

  #connectionOf(client: pg.ClientBase): PostgresConnection {
    const cancelQuery = (pid: number) => this.#pool.query('select pg_cancel_backend($1)', [pid])
    const connection = new PostgresConnection(client, cancelQuery)
    this.#connections.set(client, connection)
    return connection
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.changes.close()])
  }
}
