import pg from 'pg'
import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Expression,
  type SqlBool,
} from 'kysely'
import { StoreError } from './errors.ts'
import { LruMap } from './lru-map.ts'
import { migrate } from './migrations.ts'
import { createBuilder, createStore, type Backend, type Connection, type ReadRow } from './sql-store.ts'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'
import { columnRef, escapeLike } from './text.ts'
import type { Value } from './values.ts'

/** How many prepared statements a connection keeps. */
const statementLimit = 300
/** Connections for statements outside transactions. They are pipelined, so each serves many callers at once. */
const laneCount = 3
/** Connections for transactions, each of which has one for itself. */
const transactionLimit = 5
/** Milliseconds to wait for a connection. */
const connectLimit = 10_000

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
export async function openPostgres(address: string): Promise<Store> {
  const backend = new PostgresBackend(address)
  try {
    await backend.lend((connection) => migrate(connection, 'postgres'))
  } catch (error) {
    await backend.close()
    throw error
  }
  return createStore(backend)
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
  readonly #lanes: Lane[]
  readonly #pool: pg.Pool
  readonly #connections = new WeakMap<pg.ClientBase, PostgresConnection>()

  constructor(address: string) {
    this.#config = {
      connectionString: address,
      connectionTimeoutMillis: connectLimit,
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser },
    }
    this.#lanes = Array.from({ length: laneCount }, () => new Lane(this.#config))
    this.#pool = new pg.Pool({ ...this.#config, max: transactionLimit })
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.#pool.on('error', () => {})
  }

  execute<T>(_reads: boolean, act: (connection: Connection) => T | Promise<T>): Promise<T> {
    let free = this.#lanes[0] as Lane
    for (const lane of this.#lanes) if (lane.load < free.load) free = lane
    return free.use(act)
  }

  async lend<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let connection = this.#connections.get(client)
    if (!connection) {
      connection = new PostgresConnection(client)
      this.#connections.set(client, connection)
    }
    try {
      return await use(connection)
    } finally {
      client.release(connection.broken)
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
    await Promise.all([this.#pool.end(), ...this.#lanes.map((lane) => lane.close())])
  }
}

/** One pipelined connection, made when it is needed and made anew when it broke. */
class Lane {
  readonly #config: pg.ClientConfig
  #connection: Promise<PostgresConnection> | undefined
  /** How many statements are under way. */
  load = 0

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  async use<T>(act: (connection: Connection) => T | Promise<T>): Promise<T> {
    this.load++
    try {
      return await act(await (this.#connection ??= this.#connect()))
    } finally {
      this.load--
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.end()
  }

  async #connect(): Promise<PostgresConnection> {
    const forget = () => {
      this.#connection = undefined
    }
    try {
      const client = new pg.Client(this.#config)
      client.on('error', forget)
      client.on('end', forget)
      await client.connect()
      return new PostgresConnection(client)
    } catch (error) {
      forget()
      throw error
    }
  }
}

/** Where `pg` keeps the SQL of prepared statements, for as long as the connection lives unless it is removed. */
interface PreparingClient {
  readonly connection: { readonly parsedStatements: Record<string, string> }
}

class PostgresConnection implements Connection {
  /** Whether the connection was lost, or a transaction could not be ended on it. */
  broken = false
  readonly #client: pg.ClientBase
  /** The name of each prepared statement by its SQL. */
  readonly #names = new LruMap<string, string>(statementLimit)
  #lastName = 0

  constructor(client: pg.ClientBase) {
    this.#client = client
    client.on('error', () => {
      this.broken = true
    })
  }

  async all(sql: string, values: readonly Value[]): Promise<ReadRow[]> {
    return (await this.#query(sql, values)).rows
  }

  async first(sql: string, values: readonly Value[]): Promise<ReadRow | undefined> {
    return (await this.#query(sql, values)).rows[0]
  }

  async run(sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0
  }

  async exec(sql: string): Promise<void> {
    await this.#client.query(sql)
  }

  async begin(): Promise<void> {
    await this.exec('begin')
  }

  async commit(): Promise<void> {
    const { command } = await this.#client.query('commit')
    // The answer when a statement that nobody waited for has failed in the meantime.
    if (command === 'ROLLBACK')
      throw new StoreError('STORE_TRANSACTION_FAILED', 'A statement of the transaction failed.')
  }

  async rollback(): Promise<void> {
    await this.exec('rollback').catch(() => {
      this.broken = true
    })
  }

  async end(): Promise<void> {
    await (this.#client as pg.Client).end()
  }

  async #query(sql: string, values: readonly Value[]): Promise<pg.QueryResult<ReadRow>> {
    const name = this.#names.get(sql) ?? this.#name(sql)
    try {
      return await this.#client.query<ReadRow>({ name, text: sql, values: values as Value[] })
    } catch (error) {
      if (isUnusable(error) && this.#names.delete(sql)) this.#forget(name)
      throw error
    }
  }

  #name(sql: string): string {
    const name = `s${++this.#lastName}`
    const gone = this.#names.set(sql, name)
    if (gone !== undefined) this.#forget(gone)
    return name
  }

  /** Lets the server and the client forget a prepared statement; those before it in the pipeline still have it. */
  #forget(name: string): void {
    const { parsedStatements } = (this.#client as unknown as PreparingClient).connection
    const forget = () => delete parsedStatements[name]
    void this.#client.query(`deallocate ${name}`).then(forget, forget)
  }
}

/**
 * Whether a prepared statement is of no use any more: 0A000, the tables have changed since; 26000, it does not exist;
 * class 42, it could not be prepared.
 */
function isUnusable(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code)
  return code === '0A000' || code === '26000' || code.startsWith('42')
}

/** bigint and numeric, the types of counts and sums, become numbers, and booleans 1 or 0, as SQLite has them. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number
  if (oid === pg.types.builtins.BOOL) return (value) => Number(value === 't')
  return pg.types.getTypeParser(oid, format)
}
