import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Expression, type SqlBool } from 'kysely'
import { StoreError } from './errors.ts'
import { LruMap } from './lru-map.ts'
import { migrate } from './migrations.ts'
import { Queue } from './queue.ts'
import { createBuilder, createStore, type Backend, type Connection, type ReadRow } from './sql-store.ts'
import type { Store } from './store.ts'
import { columnRef, escapeLike } from './text.ts'
import { TextIndex, textQuery } from './sqlite-text-index.ts'
import type { Value } from './values.ts'

/** How many prepared statements a connection keeps. */
const statementLimit = 500
/** Pages of a file that holds next to nothing. */
const fewPages = 1000
/** How long to wait, all in all, for another process to release the file. */
const busyLimit = 10_000
/** LIKE refuses patterns of more than 50,000 bytes. */
const likeLimit = 10_000

/** What every connection is told first. Even this may find the file locked, by a process that starts at the same time. */
const COMMON = 'pragma cache_size = -16000; pragma temp_store = memory; pragma journal_size_limit = 67108864'

/**
 * Opens a SQLite database; `openStore` says more. A file is written by one connection, in turns, and read by another,
 * which never sees what is not committed. `:memory:` has a single connection, so reads take turns as well.
 *
 * @param path of the file, or `:memory:`
 */
export async function openSqlite(path: string): Promise<Store> {
  const inMemory = path === ':memory:'
  if (!inMemory) mkdirSync(dirname(path), { recursive: true })
  const writer = new SqliteConnection(path)
  try {
    await whenFree(() => writer.exec(COMMON))
    // Readers do not wait for the writer, nor the writer for them. The switch itself may find the file locked.
    await whenFree(() => writer.exec('pragma journal_mode = wal'))
    // Safe with a write-ahead log: a power cut may lose the last commits, never the file. The larger cache and the
    // rarer checkpoints halve the time the system takes for an import.
    writer.exec('pragma synchronous = normal; pragma cache_size = -32000; pragma wal_autocheckpoint = 4000')
    await migrate(writer, 'sqlite')
    const openReader = async () => {
      const reader = new SqliteConnection(path, { readOnly: true })
      await whenFree(() => reader.exec(COMMON))
      return reader
    }
    return createStore(new SqliteBackend(writer, inMemory ? null : openReader, inMemory ? writer : await openReader()))
  } catch (error) {
    writer.close()
    throw error
  }
}

class SqliteBackend implements Backend {
  readonly dialect = 'sqlite'
  readonly syncSequences = []
  readonly db = createBuilder({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  })
  readonly #writer: SqliteConnection
  /** Opens the connection for reads; null where the writer's is the only one. */
  readonly #openReader: (() => Promise<SqliteConnection>) | null
  #reader: SqliteConnection
  readonly #turns = new Queue()
  /** What was read at this moment of what others have written; undefined when nothing was. */
  #others: string | null | undefined
  readonly #bulks = new Queue()
  readonly #textIndex: TextIndex

  constructor(
    writer: SqliteConnection,
    openReader: (() => Promise<SqliteConnection>) | null,
    reader: SqliteConnection,
  ) {
    this.#writer = writer
    this.#openReader = openReader
    this.#reader = reader
    this.#textIndex = new TextIndex((use) => this.#turns.run(() => use(writer)))
    this.#textIndex.wake()
  }

  async execute<T>(reads: boolean, act: (connection: Connection) => T | Promise<T>): Promise<T> {
    if (reads && (this.#reader !== this.#writer || this.#turns.idle)) return whenFree(() => act(this.#reader))
    const result = await this.#turns.run(() => whenFree(() => act(this.#writer)))
    if (!reads) this.#textIndex.wake()
    return result
  }

  async lend<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const result = await this.#turns.run(() => use(this.#writer))
    this.#textIndex.wake()
    return result
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return this.#bulks.run(async () => {
      const undo = await this.#turns.run(() => whenFree(() => this.#beginBulk()))
      try {
        return await work()
      } finally {
        await this.#turns.run(undo)
      }
    })
  }

  /** Answers what ends it. */
  async #beginBulk(): Promise<() => Promise<void>> {
    const writer = this.#writer
    const read = (pragma: string) => Number(writer.first(`pragma ${pragma}`, [])?.[pragma])
    const before = ['cache_size', 'temp_store', 'synchronous'].map((pragma) => `pragma ${pragma} = ${read(pragma)}`)
    const direct = this.#openReader !== null && read('page_count') <= fewPages && this.#leaveLog()
    // Without the log, a power cut could do harm otherwise. Entries of an index are sorted in files beyond the cache.
    writer.exec(`pragma cache_size = -65536; pragma temp_store = file; ${direct ? 'pragma synchronous = full' : ''}`)
    return async () => {
      await whenFree(() => writer.exec(`${direct ? 'pragma journal_mode = wal; ' : ''}${before.join('; ')}`))
      if (this.#openReader !== null && this.#reader === writer) this.#reader = await this.#openReader()
    }
  }

  /** Lets the file be written directly, and by the writer alone; false where another process has it open. */
  #leaveLog(): boolean {
    if (this.#reader !== this.#writer) this.#reader.close()
    this.#reader = this.#writer
    try {
      return this.#writer.first('pragma journal_mode = delete', [])?.['journal_mode'] === 'delete'
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  contains(column: string | Expression<unknown>, text: string): Expression<SqlBool> {
    const ref = columnRef(column)
    // LIKE folds the letters a-z alone; any other text takes the function, which calls into JavaScript for each row.
    // Both are in the SQL, because its wording must not depend on what is looked for.
    const native = /^[\0-\x7f]*$/.test(text) && text.length <= likeLimit
    const pattern = native ? `%${escapeLike(text)}%` : ''
    return sql<SqlBool>`case when ${native} then ${ref} like ${pattern} escape '\\' else text_contains(${ref}, ${fold(text)}) end`
  }

  searchPosts(text: string): Expression<SqlBool> {
    const columns = ['posts.title', 'posts.excerpt', 'posts.content'].map((column) => this.contains(column, text))
    return sql<SqlBool>`(posts.id in (${this.findPosts([text])}) and (${sql.join(columns, sql` or `)}))`
  }

  state(): Promise<string> {
    return this.execute(true, () => this.#reader.state())
  }

  stateOfOthers(): string | null {
    if (this.#others === undefined) {
      this.#others = this.#readOthers()
      setImmediate(() => (this.#others = undefined))
    }
    return this.#others
  }

  #readOthers(): string | null {
    try {
      // All that this process writes is written by this connection, which counts the commits of others.
      return this.#writer.state()
    } catch {
      return null
    }
  }

  findPosts(texts: readonly string[]): Expression<unknown> {
    const { match, scan } = textQuery(texts)
    // The index finds posts that have the texts' trigrams somewhere; the posts it does not know yet are candidates too,
    // and texts too short for it make every post one.
    return sql`select rowid from posts_text where posts_text match ${match}
      union all select post_id from posts_text_queue
      union all select id from posts where ${scan}`
  }

  sortKey(column: string): Expression<string> {
    // Worded as in the indexes. What a function makes of a column has lost its collation.
    return sql<string>`substr(${sql.ref(column)}, 1, 200) collate nocase`
  }

  async close(): Promise<void> {
    this.#textIndex.stop()
    await this.#turns.run(() => {
      if (this.#reader !== this.#writer) this.#reader.close()
      this.#writer.close()
    })
  }
}

interface CachedStatement {
  readonly statement: StatementSync
  columns: string[]
}

class SqliteConnection implements Connection {
  static #opened = 0
  readonly #number = ++SqliteConnection.#opened
  readonly #database: DatabaseSync
  readonly #reads = new LruMap<string, CachedStatement>(statementLimit)
  readonly #writes = new LruMap<string, StatementSync>(statementLimit)

  constructor(path: string, { readOnly = false } = {}) {
    // While SQLite itself waits for a lock nothing else runs in this process, so whenFree() does the waiting.
    this.#database = new DatabaseSync(path, { readOnly, timeout: 5, enableForeignKeyConstraints: true })
    this.#database.function('text_contains', { deterministic: true }, (text, folded) =>
      Number(typeof text === 'string' && fold(text).includes(String(folded))),
    )
  }

  all(sql: string, values: readonly Value[]): ReadRow[] {
    const cached = this.#prepare(sql)
    return (cached.statement.all(...values.map(bind)) as unknown as unknown[][]).map((row) => toObject(cached, row))
  }

  first(sql: string, values: readonly Value[]): ReadRow | undefined {
    // A write is carried through to its end, which get() would not wait for.
    if (!/^\s*select\b/i.test(sql)) return this.all(sql, values)[0]
    const cached = this.#prepare(sql)
    const row = cached.statement.get(...values.map(bind)) as unknown as unknown[] | undefined
    return row && toObject(cached, row)
  }

  run(sql: string, values: readonly Value[]): number {
    let statement = this.#writes.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      // As a number, a last row id of the text index, which run() reports as well, would be out of range.
      statement.setReadBigInts(true)
      this.#writes.set(sql, statement)
    }
    return Number(statement.run(...values.map(bind)).changes)
  }

  state(): string {
    // Each connection counts for itself.
    return `${this.#number} ${String(this.first('pragma data_version', [])?.['data_version'])}`
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  async begin(): Promise<void> {
    // Locks the file for writing at once, so no later statement can find it locked.
    await whenFree(() => this.exec('begin immediate'))
  }

  async commit(): Promise<void> {
    try {
      this.exec('commit')
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  async rollback(): Promise<void> {
    // A full disk, among others, makes SQLite roll back by itself.
    if (this.#database.isTransaction) this.exec('rollback')
  }

  close(): void {
    this.#reads.clear()
    this.#writes.clear()
    this.#database.close()
  }

  #prepare(sql: string): CachedStatement {
    let cached = this.#reads.get(sql)
    if (!cached) {
      const statement = this.#database.prepare(sql)
      // Arrays, because the objects of node:sqlite have no prototype and are slower to read.
      statement.setReturnArrays(true)
      cached = { statement, columns: columnNames(statement) }
      this.#reads.set(sql, cached)
    }
    return cached
  }
}

function toObject(cached: CachedStatement, row: unknown[]): ReadRow {
  // `select *` gets more columns when another process migrates the database.
  if (row.length !== cached.columns.length) cached.columns = columnNames(cached.statement)
  const { columns } = cached
  const object: ReadRow = {}
  for (let i = 0; i < columns.length; i++) object[columns[i] as string] = row[i]
  return object
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map((column) => column.name)
}

/** node:sqlite binds a number as REAL, which a text column would keep as `5.0`. */
function bind(value: Value): string | number | bigint | null {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}

/** Takes the case from letters as the text index does, where a sigma at the end of a word is like any other. */
function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/**
 * Calls `act` until it finds the file free.
 *
 * @throws StoreError STORE_BUSY
 */
async function whenFree<T>(act: () => T | Promise<T>): Promise<T> {
  const start = performance.now()
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await act()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - start > busyLimit) {
        const message = `Another process has kept the database locked for ${busyLimit / 1000} seconds.`
        throw new StoreError('STORE_BUSY', message, { cause: error })
      }
      await delay(pause)
    }
  }
}

/** SQLITE_BUSY and its extended codes (https://sqlite.org/rescode.html#busy). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && ((error as { errcode?: number }).errcode ?? 0) % 256 === 5
}
