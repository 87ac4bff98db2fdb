import type { StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Expression, type SqlBool } from 'kysely'
import { currentWork, Semaphore } from '../../../kernel/index.ts'
import { DatabaseFile, unreadable } from './database-file.ts'
import { StoreError, tooMany } from './errors.ts'
import { LruMap } from './lru-map.ts'
import { migrate } from './migrations.ts'
import { Queue } from './queue.ts'
import {
  createBuilder,
  createStore,
  type Backend,
  type Connection,
  type Executor,
  type ReadRow,
  type ReadStatement,
} from './sql-store.ts'
import { SlowSql } from './slow-sql.ts'
import { bind, COMMON, fold, SqliteReader, toObjects } from './sqlite-reader.ts'
import { TextIndex, textQuery } from './sqlite-text-index.ts'
import { ReadThreads } from './sqlite-threads.ts'
import type { Store, StoreOptions } from './store.ts'
import { columnRef, escapeLike } from './text.ts'
import type { Value } from './values.ts'

/** How many statements that write a connection keeps prepared. */
const statementLimit = 500
/** Pages of a file that holds next to nothing. */
const fewPages = 1000
/** Milliseconds to wait for another process to release the file, where nobody says how long a request may take. */
const busyLimit = 10_000
/** LIKE refuses patterns of more than 50,000 bytes. */
const likeLimit = 10_000
/** Milliseconds from which on a statement is too long for others to wait behind it. */
const slowTime = 20
/** Milliseconds from which on it is, however busy the machine may be otherwise. */
const surelySlow = 250
/** Threads for what is slow, and for what has to show whether it is. */
const threads = { slow: 2, untried: 1 }
/** Bytes of a file below which no statement takes very long, unless it looks for text. */
const largeFile = 32 * 1024 * 1024
/** Milliseconds for which the size of the file is taken for the same. */
const sizeMemory = 10_000
/** From here on a list is read from far behind, and a value is a list of very many. */
const far = { offset: 1000, length: 500 }

/**
 * Opens a SQLite database; `openStore` says more. A file is written by one connection, in turns, and read by another,
 * which never sees what is not committed. `:memory:` has a single connection, so reads take turns as well.
 *
 * @param path of the file, or `:memory:`
 */
export async function openSqlite(path: string, options: StoreOptions = {}): Promise<Store> {
  const file = path === ':memory:' ? null : await DatabaseFile.make(path)
  const writer = opened(path)
  try {
    await prepare(path, writer)
    await migrate(writer, 'sqlite')
    const openReader = async () => {
      const reader = new SqliteConnection(path, { readOnly: true })
      await whenFree(() => reader.exec(COMMON))
      return reader
    }
    const reader = file === null ? writer : await openReader()
    const backend = new SqliteBackend({ writer, reader, openReader, file, options })
    await backend.flushed()
    await file?.flushFolder()
    if (options.log !== undefined) await file?.warnOfLoose(options.log)
    return createStore(backend)
  } catch (error) {
    await file?.close()
    writer.close()
    throw error
  }
}

/** @throws StoreError STORE_UNREADABLE */
function opened(path: string): SqliteConnection {
  try {
    return new SqliteConnection(path)
  } catch (error) {
    throw unreadable(path, error as Error)
  }
}

/** Sets the writing connection up. Even the first statement may find the file locked, by a process that starts at the same time. */
async function prepare(path: string, writer: SqliteConnection): Promise<void> {
  try {
    await whenFree(() => writer.exec(COMMON))
    // Readers do not wait for the writer, nor the writer for them. The switch itself may find the file locked.
    await whenFree(() => writer.exec('pragma journal_mode = wal'))
    // Keeps the file whole in a power cut; that commits survive one as well is seen to by `DatabaseFile`. The larger cache
    // and the rarer checkpoints halve the time the system takes for an import.
    writer.exec('pragma synchronous = normal; pragma cache_size = -32000; pragma wal_autocheckpoint = 4000')
  } catch (error) {
    throw error instanceof StoreError ? error : unreadable(path, error as Error)
  }
}

interface SqliteParts {
  writer: SqliteConnection
  /** The connection for reads: the writer's where it is the only one. */
  reader: SqliteConnection
  openReader: () => Promise<SqliteConnection>
  /** Null for a database in memory. */
  file: DatabaseFile | null
  options: StoreOptions
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
  #reader: SqliteConnection
  readonly #openReader: () => Promise<SqliteConnection>
  readonly #file: DatabaseFile | null
  /** Null for a database in memory, which no second connection can read. */
  readonly #threads: { readonly slow: ReadThreads; readonly untried: ReadThreads } | null
  readonly #slow = new SlowSql(searchesText)
  #size = { large: false, until: 0 }
  readonly #durable: boolean
  /** Milliseconds for which a caller waits for its turn; and for another process to release the file. */
  readonly #patience: { turn: number; file: number }
  readonly #turns = new Semaphore(1, Infinity, tooMany)
  /** What was read at this moment of what others have written; undefined when nothing was. */
  #others: string | null | undefined
  readonly #bulks = new Queue()
  readonly #textIndex: TextIndex
  /** Why nothing is executed any more. */
  #lost: StoreError | undefined

  constructor({ writer, reader, openReader, file, options }: SqliteParts) {
    const { time, durability = 'full', onLost } = options
    this.#writer = writer
    this.#reader = reader
    this.#openReader = openReader
    this.#file = file
    this.#threads = file && this.#makeThreads(file.path, time)
    this.#durable = durability === 'full'
    // Whoever waited in vain has to be told before the time of the request is over.
    this.#patience = { turn: (time ?? Infinity) / 2, file: (time ?? 2 * busyLimit) / 2 }
    this.#textIndex = new TextIndex((use) => this.#turns.run(() => use(writer)))
    this.#textIndex.wake()
    file?.watch((error) => {
      this.#lose(error)
      onLost?.(error)
    })
  }

  #makeThreads(path: string, time = Infinity): { slow: ReadThreads; untried: ReadThreads } {
    const common = { path, time, onRead: this.#noteThreadTime }
    return {
      slow: new ReadThreads({ ...common, threads: threads.slow }),
      untried: new ReadThreads({ ...common, threads: threads.untried }),
    }
  }

  async read<T>(statement: ReadStatement, act: (executor: Executor) => T | Promise<T>): Promise<T> {
    this.#assertThere()
    if (this.#reader !== this.#writer) return whenFree(() => this.#readAside(statement, act), this.#fileUntil())
    if (this.#turns.idle) return whenFree(() => act(this.#writer), this.#fileUntil())
    return this.#inTurn((until) => whenFree(() => act(this.#writer), until))
  }

  /** Reads beside the writer; in a thread, if others might have to wait for long. */
  #readAside<T>(statement: ReadStatement, act: (executor: Executor) => T | Promise<T>): T | Promise<T> {
    const start = performance.now()
    const thread = this.#threadFor(statement, start)
    if (thread !== null) return act(thread)
    try {
      return act(this.#reader)
    } finally {
      this.#noteTime(statement.sql, performance.now() - start)
    }
  }

  /**
   * Where a statement is executed that might take long. In a small file that is one that looks for text, or has taken long. In a
   * large one each has to show first that it is quick, and those that count up to far rows, or are about very many, do so each
   * time; they have a thread that no search keeps busy.
   */
  #threadFor({ sql, values }: ReadStatement, now: number): ReadThreads | null {
    if (this.#threads === null) return null
    if (this.#slow.has(sql)) return this.#threads.slow
    if (this.#slow.isDoubtful(sql)) return this.#threads.untried
    if (!this.#isLarge(now)) return null
    return !this.#slow.isQuick(sql) || goesFar(sql, values) ? this.#threads.untried : null
  }

  #isLarge(now: number): boolean {
    if (now > this.#size.until) this.#size = { large: this.#bytes() >= largeFile, until: now + sizeMemory }
    return this.#size.large
  }

  #bytes(): number {
    const [pages, size] = ['page_count', 'page_size'].map((name) =>
      Number(this.#reader.first(`pragma ${name}`, [])?.[name]),
    )
    return pages! * size!
  }

  /** Notes how long a read took on the loop, where a machine that is busy with something else counts too. */
  #noteTime(sql: string, took: number): void {
    if (took > surelySlow) this.#slow.note(sql)
    else if (took > slowTime) this.#slow.doubt(sql)
  }

  /** Notes how long a read took in a thread, which tells it from what others did meanwhile. */
  readonly #noteThreadTime = (sql: string, took: number): void => {
    if (took > slowTime) this.#slow.note(sql)
    else this.#slow.noteQuick(sql)
  }

  write<T>(act: (connection: Connection) => T | Promise<T>): Promise<T> {
    return this.#committed((until) => whenFree(() => act(this.#writer), until))
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const writer = this.#writer
    return this.#committed(async (until) => {
      // Locks the file for writing at once, so no later statement can find it locked.
      await whenFree(() => writer.exec('begin immediate'), until)
      try {
        const result = await work(writer)
        writer.exec('commit')
        return result
      } catch (error) {
        // Where even this fails, why the work did is told.
        await writer.rollback().catch(() => {})
        throw error
      }
    })
  }

  /** Does what writes when it is its turn; resolves once it is durable, while others have theirs. */
  async #committed<T>(act: (until: number) => Promise<T>): Promise<T> {
    const { result, durable } = await this.#inTurn(async (until) => {
      const acted = await act(until)
      const flushed = this.flushed()
      flushed.catch(() => {})
      return { result: acted, durable: flushed }
    })
    this.#textIndex.wake()
    await durable
    return result
  }

  inTurn<T>(act: () => Promise<T>): Promise<T> {
    // There is one writer anyway.
    return act()
  }

  /** Resolves once what was committed so far is as durable as the config wants it. */
  async flushed(): Promise<void> {
    if (this.#file === null || !this.#durable) return
    try {
      await this.#file.flushed()
    } catch (error) {
      const reason =
        error instanceof StoreError
          ? error
          : new StoreError(
              'STORE_LOST',
              `The database ${this.#file.path} cannot be brought to the disk, so the server stops: ${(error as Error).message}.`,
              { cause: error },
            )
      this.#lose(reason)
      throw reason
    }
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return this.#bulks.run(async () => {
      const undo = await this.#turns.run(() => {
        this.#file?.leaveLog()
        return whenFree(() => this.#beginBulk())
      })
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
    const direct = this.#file !== null && read('page_count') <= fewPages && (await this.#leaveLog())
    if (!direct) this.#file?.useLog()
    // Without the log, a power cut could do harm otherwise. Entries of an index are sorted in files beyond the cache.
    writer.exec(`pragma cache_size = -65536; pragma temp_store = file; ${direct ? 'pragma synchronous = full' : ''}`)
    return async () => {
      await whenFree(() => writer.exec(`${direct ? 'pragma journal_mode = wal; ' : ''}${before.join('; ')}`))
      this.#file?.useLog()
      if (this.#file !== null && this.#reader === writer) this.#reader = await this.#openReader()
      // The name of the new log.
      if (direct) await this.#file?.flushFolder()
    }
  }

  /** Lets the file be written directly, and by the writer alone; false where another process has it open. */
  async #leaveLog(): Promise<boolean> {
    if (this.#reader !== this.#writer) this.#reader.close()
    this.#reader = this.#writer
    await Promise.all([this.#threads?.slow.end(), this.#threads?.untried.end()])
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
    return this.read({ sql: '', values: [] }, () => this.#reader.state())
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
    await Promise.all([this.#threads?.slow.close(), this.#threads?.untried.close()])
    await this.#turns.run(async () => {
      // Others may be waiting for it.
      await this.flushed().catch(() => {})
      await this.#file?.close()
      // SQLite removes the log when it closes: it could be that of the file which took the place.
      if (this.#lost !== undefined) return
      if (this.#reader !== this.#writer) this.#reader.close()
      this.#writer.close()
    })
  }

  /** Runs what writes while nobody else does. @param act is told until when it may wait for another process */
  #inTurn<T>(act: (until: number) => Promise<T>): Promise<T> {
    this.#assertThere()
    const { turn, file } = this.#patience
    const now = performance.now()
    const patience = { until: now + turn, signal: this.#turns.idle ? undefined : currentWork()?.signal }
    // Both kinds of waiting together are not to take longer than one.
    return this.#turns.run(() => act(turn === Infinity ? performance.now() + file : now + file), patience)
  }

  #fileUntil(): number {
    return performance.now() + this.#patience.file
  }

  #assertThere(): void {
    if (this.#lost !== undefined) throw this.#lost
  }

  #lose(error: StoreError): void {
    this.#lost ??= error
    this.#textIndex.stop()
  }
}

class SqliteConnection extends SqliteReader implements Connection {
  static #opened = 0
  readonly #number = ++SqliteConnection.#opened
  readonly #writes = new LruMap<string, StatementSync>(statementLimit)

  all(sql: string, values: readonly Value[]): ReadRow[] {
    return toObjects(this.rows(sql, values))
  }

  first(sql: string, values: readonly Value[]): ReadRow | undefined {
    return toObjects(this.firstRow(sql, values))[0]
  }

  run(sql: string, values: readonly Value[]): number {
    let statement = this.#writes.get(sql)
    if (!statement) {
      statement = this.database.prepare(sql)
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

  async begin(): Promise<void> {
    await whenFree(() => this.exec('begin immediate'))
  }

  async commit(): Promise<void> {
    this.exec('commit')
  }

  /** Undoes the transaction, unless SQLite has done so by itself: when the disk is full, among others. */
  async rollback(): Promise<void> {
    if (this.database.isTransaction) this.exec('rollback')
  }

  override close(): void {
    this.#writes.clear()
    super.close()
  }
}

/** Whether a statement looks for text: then it reads as many rows as there are, unless there is an index for it. */
function searchesText(sql: string): boolean {
  return /text_contains\(|\bposts_text\b| like /.test(sql)
}

/** Whether a statement skips many rows, or has a value that lists very many. */
function goesFar(sql: string, values: readonly Value[]): boolean {
  let numbers = false
  for (const value of values) {
    if (typeof value === 'string' && value.length > far.length) return true
    numbers ||= typeof value === 'number' && value > far.offset
  }
  return numbers && sql.includes(' offset ')
}

/**
 * Calls `act` until it finds the file free.
 *
 * @param until when, in milliseconds of the process's clock
 * @throws StoreError STORE_BUSY; what the work that it is done for was aborted with
 */
async function whenFree<T>(act: () => T | Promise<T>, until = performance.now() + busyLimit): Promise<T> {
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await act()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > until) {
        throw new StoreError('STORE_BUSY', 'Another process has kept the database locked for too long.', {
          cause: error,
        })
      }
      await delay(pause)
      currentWork()?.throwIfAborted()
    }
  }
}

/** SQLITE_BUSY and its extended codes (https://sqlite.org/rescode.html#busy). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && ((error as { errcode?: number }).errcode ?? 0) % 256 === 5
}
