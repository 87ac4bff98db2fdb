import { setTimeout as delay } from 'node:timers/promises'
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from '../kysely.ts'
import pg from 'pg'
import { currentWork, Semaphore, type WaitOptions } from '../../../../kernel/index.ts'
import { WRITERS_LOCK, type Backend, type Connection, type Executor, type ReadStatement } from '../backend.ts'
import { STAGING } from '../changes/collect.ts'
import { tooMany } from '../errors.ts'
import { createBuilder } from '../query-builder.ts'
import type { Database } from '../schema.ts'
import type { StoreOptions } from '../store.ts'
import { PostgresChangeSource } from './change-source.ts'
import { isConnectionLost, PostgresConnection } from './connection.ts'
import { postgresExpressions } from './expressions.ts'
import { isConflict, isConnectionEnd, uncertain, unreachable } from './failures.ts'
import { Lanes } from './lanes.ts'
import { getTypeParser, settingsFor } from './settings.ts'

/** Connections for what writes, each of which is one caller's at a time. */
const writerLimit = 5
/** Milliseconds to wait for a connection. */
const connectLimit = 10_000
/** How many times a statement is executed that met others in a deadlock. */
const attemptLimit = 3

/** The tables whose rows the database numbers. */
// prettier-ignore
const numbered: readonly (keyof Database)[] = [
  'users', 'user_meta', 'posts', 'post_meta', 'terms', 'term_meta', 'comments', 'comment_meta', 'application_passwords',
]

/** SQL that lets numbering continue above the highest ID of each table. */
const syncSequences = numbered.map(
  (table) =>
    `select setval(sequence, greatest(
      (select coalesce(max(id), 0) from ${table}),
      coalesce(pg_sequence_last_value(sequence), 0)
    ) + 1, false) from (select pg_get_serial_sequence('${table}', 'id')::regclass as sequence) as numbering`,
)

/** A PostgreSQL database: lanes for reads, and a pool of connections for what writes. */
export class PostgresBackend implements Backend {
  readonly dialect = 'postgres'
  readonly db = createBuilder({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  })
  readonly syncSequences = syncSequences
  readonly expressions = postgresExpressions
  readonly changes: PostgresChangeSource
  readonly #config: pg.ClientConfig
  /** What each connection is told first. */
  readonly #settings: string
  /** Milliseconds for which a caller waits for its turn, and a statement for a lock. */
  readonly #patience: number
  readonly #lanes: Lanes
  readonly #pool: pg.Pool
  readonly #writers = new Semaphore(writerLimit, Infinity, tooMany)
  readonly #turns = new Semaphore(1, Infinity, tooMany)
  readonly #connections = new WeakMap<pg.ClientBase, PostgresConnection>()
  readonly #cancel = (process: number): Promise<void> => this.#cancelled(process)
  /** The connection over which statements of others are cancelled. */
  #control: Promise<PostgresConnection> | undefined

  constructor(url: string, options: StoreOptions) {
    this.#patience = (options.time ?? Infinity) / 2
    this.#settings = settingsFor(url, options)
    this.#config = {
      connectionString: url,
      connectionTimeoutMillis: Math.min(connectLimit, Math.max(1000, this.#patience)),
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser },
    }
    this.#lanes = new Lanes(() => this.#connect())
    this.changes = new PostgresChangeSource(() => this.#connect())
    this.#pool = new pg.Pool({ ...this.#config, max: writerLimit })
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.#pool.on('error', () => {})
  }

  read<T>({ sql }: ReadStatement, act: (executor: Executor) => T | Promise<T>): Promise<T> {
    return this.#lanes.read(sql, act, this.#patient())
  }

  write<T>(act: (connection: Connection) => T | Promise<T>): Promise<T> {
    return this.withConnection(async (connection) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await act(connection)
        } catch (error) {
          if (isConnectionEnd(error)) throw uncertain(error)
          if (!isConflict(error) || attempt === attemptLimit) throw error
        }
      }
    })
  }

  transaction<T>(work: (connection: Connection) => Promise<T>, committed: () => void, alone: boolean): Promise<T> {
    let locked: Promise<unknown> | undefined
    const begin = (connection: PostgresConnection) => {
      const begun = connection.begin(STAGING)
      // Sent right behind, and waited for where it can be cancelled.
      if (alone) locked = connection.first('select pg_advisory_xact_lock($1)', [WRITERS_LOCK])
      locked?.catch(() => {})
      return begun
    }
    return this.#withConnection(begin, async (connection) => {
      const signal = currentWork()?.signal
      const cancel = () => connection.cancel()
      signal?.addEventListener('abort', cancel)
      let result: T
      try {
        await locked
        result = await work(connection)
      } catch (error) {
        await connection.rollback()
        throw error
      } finally {
        signal?.removeEventListener('abort', cancel)
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

  /** What became of a transaction whose connection was lost while it was committed. */
  async #hasCommitted(id: string): Promise<boolean> {
    const connection = await this.#connect()
    try {
      for (let attempt = 1; ; attempt++) {
        const row = await connection.first('select txid_status($1::bigint) as status', [id])
        // The server may not have noticed yet that nobody is there any more.
        if (row?.status !== 'in progress' || attempt === attemptLimit) return row?.status === 'committed'
        await delay(100)
      }
    } finally {
      await connection.end()
    }
  }

  inTurn<T>(act: () => Promise<T>): Promise<T> {
    // Whoever waited for the others of this process in the database would have a connection for nothing.
    return this.#turns.run(act, this.#patient())
  }

  /** Keeps a connection for one caller until `use` settles. */
  withConnection<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return this.#withConnection(async () => {}, use)
  }

  /** @param begin what is executed first, on another connection where this one turns out to be broken */
  #withConnection<T>(
    begin: (connection: PostgresConnection) => Promise<void>,
    use: (connection: PostgresConnection) => Promise<T>,
  ): Promise<T> {
    return this.#writers.run(async () => {
      const { client, connection } = await this.#lent(begin)
      try {
        return await use(connection)
      } finally {
        await connection.settled()
        client.release(connection.broken)
      }
    }, this.#patient())
  }

  /** A connection of the pool. One that broke while nobody used it is found out by the first statement. */
  async #lent(
    begin: (connection: PostgresConnection) => Promise<void>,
  ): Promise<{ client: pg.PoolClient; connection: PostgresConnection }> {
    for (let attempt = 0; ; attempt++) {
      const client = await this.#pool.connect().catch(unreachable)
      const known = this.#connections.get(client)
      const connection = known ?? new PostgresConnection(client, this.#cancel)
      this.#connections.set(client, connection)
      try {
        if (known === undefined) await connection.exec(this.#settings)
        await begin(connection)
        return { client, connection }
      } catch (error) {
        client.release(true)
        if (!isConnectionLost(error) || attempt === writerLimit) throw error
      }
    }
  }

  #patient(): WaitOptions {
    return { until: performance.now() + this.#patience, signal: currentWork()?.signal }
  }

  /** A connection outside of the pool. */
  async #connect(): Promise<PostgresConnection> {
    const client = new pg.Client(this.#config)
    const connection = new PostgresConnection(client, this.#cancel)
    try {
      await client.connect()
      await client.query(this.#settings)
    } catch (error) {
      return unreachable(error)
    }
    return connection
  }

  /** Has the server stop what one of its processes executes; resolves once that one has been told. */
  async #cancelled(process: number): Promise<void> {
    const connection = await (this.#control ??= this.#controlling())
    await connection.first('select pg_cancel_backend($1)', [process])
  }

  #controlling(): Promise<PostgresConnection> {
    const forget = () => void (this.#control = undefined)
    const connecting = this.#connect()
    connecting.then((connection) => connection.onEnd(forget), forget)
    return connecting
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#lanes.close(), this.changes.close()])
    const control = await this.#control?.catch(() => undefined)
    await control?.end()
  }
}
