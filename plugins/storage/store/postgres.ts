import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Expression,
  type SqlBool,
} from 'kysely'
import { currentWork, Semaphore, type WaitOptions } from '../../../kernel/index.ts'
import { StoreError, tooMany } from './errors.ts'
import { migrate } from './migrations.ts'
import { ConnectionLost, PostgresConnection } from './postgres-connection.ts'
import { Lanes } from './postgres-lanes.ts'
import {
  createBuilder,
  createStore,
  type Backend,
  type Connection,
  type Executor,
  type ReadStatement,
} from './sql-store.ts'
import type { Database } from './schema.ts'
import type { Store, StoreOptions } from './store.ts'
import { columnRef, escapeLike } from './text.ts'

/** Connections for what writes, each of which is one caller's at a time. */
const writerLimit = 5
/** Milliseconds to wait for a connection. */
const connectLimit = 10_000
/** Milliseconds for which a transaction may do nothing, at least: then the server takes this process for dead. */
const idleLimit = 60_000
/** How many times a statement is executed that met others in a deadlock. */
const attempts = 3

/** The tables whose rows the database numbers. */
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

/**
 * Opens a PostgreSQL database; `openStore` says more. The database has to be encoded in UTF-8 and its server built
 * with ICU, from version 12 on.
 *
 * @param address `postgres://user:word@host:port/name`, with the parameters that libpq knows
 */
export async function openPostgres(address: string, options: StoreOptions = {}): Promise<Store> {
  // To bring an old database up to date may take longer than a request.
  const { time: _, ...unlimited } = options
  const first = new PostgresBackend(address, unlimited)
  try {
    await first.lend((connection) => migrate(connection, 'postgres'))
  } finally {
    await first.close()
  }
  return createStore(new PostgresBackend(address, options))
}

class PostgresBackend implements Backend {
  readonly dialect = 'postgres'
  readonly db = createBuilder({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  })
  readonly syncSequences = numbered.map(
    (table) =>
      `select setval(sequence, greatest(
        (select coalesce(max(id), 0) from ${table}),
        coalesce(pg_sequence_last_value(sequence), 0)
      ) + 1, false) from (select pg_get_serial_sequence('${table}', 'id')::regclass as sequence) as numbering`,
  )
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

  constructor(address: string, options: StoreOptions) {
    this.#patience = (options.time ?? Infinity) / 2
    this.#settings = settingsFor(address, options)
    this.#config = {
      connectionString: address,
      connectionTimeoutMillis: Math.min(connectLimit, Math.max(1000, this.#patience)),
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser },
    }
    this.#lanes = new Lanes(() => this.#connect())
    this.#pool = new pg.Pool({ ...this.#config, max: writerLimit })
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.#pool.on('error', () => {})
  }

  read<T>({ sql }: ReadStatement, act: (executor: Executor) => T | Promise<T>): Promise<T> {
    return this.#lanes.read(sql, act, this.#patient())
  }

  write<T>(act: (connection: Connection) => T | Promise<T>): Promise<T> {
    return this.lend(async (connection) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await act(connection)
        } catch (error) {
          if (isEnd(error)) throw uncertain(error)
          if (!isConflict(error) || attempt === attempts) throw error
        }
      }
    })
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.lend(async (connection) => {
      const signal = currentWork()?.signal
      const cancel = () => connection.cancel()
      signal?.addEventListener('abort', cancel)
      let result: T
      try {
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
        if (!isEnd(error)) throw error
        const hasCommitted = await this.#hasCommitted(connection.transactionId).catch((cause: unknown) => {
          throw uncertain(cause)
        })
        if (!hasCommitted) throw error
      }
      return result
    }, true)
  }

  /** What became of a transaction whose connection was lost while it was committed. */
  async #hasCommitted(id: string): Promise<boolean> {
    const connection = await this.#connect()
    try {
      for (let attempt = 1; ; attempt++) {
        const row = await connection.first('select txid_status($1::bigint) as status', [id])
        // The server may not have noticed yet that nobody is there any more.
        if (row?.status !== 'in progress' || attempt === attempts) return row?.status === 'committed'
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

  /**
   * Keeps a connection for one caller until `use` settles.
   * @param begin whether a transaction is begun on it
   */
  lend<T>(use: (connection: PostgresConnection) => Promise<T>, begin = false): Promise<T> {
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
  async #lent(begin: boolean): Promise<{ client: pg.PoolClient; connection: PostgresConnection }> {
    for (let attempt = 0; ; attempt++) {
      const client = await this.#pool.connect().catch(outOfReach)
      const known = this.#connections.get(client)
      const connection = known ?? new PostgresConnection(client, this.#cancel)
      this.#connections.set(client, connection)
      try {
        if (known === undefined) await connection.exec(this.#settings)
        if (begin) await connection.begin()
        return { client, connection }
      } catch (error) {
        client.release(true)
        if (!(error instanceof ConnectionLost) || attempt === writerLimit) throw error
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
      return outOfReach(error)
    }
    return connection
  }

  /** Has the server stop what one of its processes executes; resolves once that one has been told. */
  async #cancelled(process: number): Promise<void> {
    const connection = await (this.#control ??= this.#controlling())
    await connection.first('select pg_cancel_backend($1)', [process])
  }

  async #controlling(): Promise<PostgresConnection> {
    const forget = () => {
      this.#control = undefined
    }
    try {
      const connection = await this.#connect()
      connection.onEnd(forget)
      return connection
    } catch (error) {
      forget()
      throw error
    }
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  contains(column: string | Expression<unknown>, text: string): Expression<SqlBool> {
    // The collation of the database knows the case of letters; those of the columns do not, or do not work with LIKE.
    return sql<SqlBool>`${columnRef(column)} collate "default" ilike ${`%${escapeLike(text)}%`}`
  }

  searchPosts(text: string): Expression<SqlBool> {
    const columns = ['posts.title', 'posts.excerpt', 'posts.content'].map((column) => this.contains(column, text))
    return sql<SqlBool>`(${sql.join(columns, sql` or `)})`
  }

  async state(): Promise<null> {
    return null
  }

  stateOfOthers(): null {
    return null
  }

  findPosts(texts: readonly string[]): Expression<unknown> {
    const all = texts.map((text) => this.searchPosts(text))
    return sql`select posts.id from posts where ${sql.join(all, sql` and `)}`
  }

  sortKey(column: string): Expression<string> {
    // Worded as in the indexes.
    return sql<string>`left(${sql.ref(column)}, 200)`
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#lanes.close()])
    const control = await this.#control?.catch(() => undefined)
    await control?.end()
  }
}

/** The statements by which a connection is set up. What the address itself says of `synchronous_commit` holds. */
function settingsFor(address: string, { time, durability = 'full' }: StoreOptions): string {
  const settings: string[] = []
  if (time !== undefined) {
    settings.push(`set statement_timeout = ${time}`, `set lock_timeout = ${Math.ceil(time / 2)}`)
    settings.push(`set idle_in_transaction_session_timeout = ${Math.max(idleLimit, 2 * time)}`)
  }
  if (!address.includes('synchronous_commit')) {
    // A server may be set to more than `on`, with standbys.
    const full = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`
    settings.push(durability === 'full' ? full : 'set synchronous_commit = off')
  }
  return settings.join('; ')
}

/** Whether a statement met others in a way that lets it succeed once they are through: deadlocks, serialisation. */
function isConflict(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('40')
}

/** Whether an error tells of the end of the connection: it is lost, or the server shuts down. */
function isEnd(error: unknown): boolean {
  return error instanceof ConnectionLost || String((error as { code?: unknown }).code).startsWith('57P')
}

function uncertain(cause: unknown): StoreError {
  const message = `The database went away while it committed: ${(cause as Error).message}`
  return new StoreError('STORE_UNCERTAIN', message, { cause })
}

/** @throws StoreError STORE_UNAVAILABLE */
function outOfReach(cause: unknown): never {
  const { message, code = 'no answer' } = cause as NodeJS.ErrnoException
  throw new StoreError('STORE_UNAVAILABLE', `The database cannot be reached: ${message || code}`, { cause })
}

/** bigint and numeric, the types of counts and sums, become numbers, and booleans 1 or 0, as SQLite has them. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number
  if (oid === pg.types.builtins.BOOL) return (value) => Number(value === 't')
  return pg.types.getTypeParser(oid, format)
}
