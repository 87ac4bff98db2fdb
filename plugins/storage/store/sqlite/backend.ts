import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from '../kysely.ts'
import type { Logger } from 'pino'
import { currentWork } from '../../../../kernel/index.ts'
import { Semaphore } from '../../../library/long-work/index.ts'
import {} from '../private-files.ts'
import type { Backend, Connection, Executor, ReadStatement } from '../backend.ts'
import { errors, StoreError, queueFullError } from '../errors.ts'
import { createBuilder } from '../query-builder.ts'
import type { StoreOptions } from '../store.ts'
import { BUSY_TIMEOUT_MS, isBusy, retryWhileBusy } from './busy.ts'
import { SqliteConnection } from './connection.ts'
import { SqliteChangeSource } from './change-source.ts'
import type { DatabaseFile } from './database-file.ts'
import { sqliteExpressions } from './expressions.ts'
import { ReadThread } from './read-thread.ts'
import { TextIndex } from './text-index.ts'

/** Pages of a nearly empty file. */
const NEARLY_EMPTY_PAGES = 1000
/** Size of a file, in bytes, below which only searches can block other requests for long. */
const LARGE_FILE_BYTES = 32 * 1024 * 1024
/** Offset of a list from which on it can take long. */
const FAR_OFFSET = 1000

interface SqliteParts {
  writer: SqliteConnection
  /** The connection for reads; the writer if there is no other. */
  reader: SqliteConnection
  openReader: () => Promise<SqliteConnection>
  /** Null for a database in memory. */
  file: DatabaseFile | null
  options: StoreOptions
}

/** A SQLite database: one connection that executes writes one after another, and one that reads. */
export class SqliteBackend implements Backend {
  readonly dialect = 'sqlite'
  readonly syncSequences = []
  readonly expressions = sqliteExpressions
  readonly db = createBuilder({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  })
  readonly #writer: SqliteConnection
  #reader: SqliteConnection
  readonly #openReader: () => Promise<SqliteConnection>
  readonly #file: DatabaseFile | null
  /** Executes searches; null for an in-memory database, which no second connection can read. */
  readonly #readThread: ReadThread | null
  readonly changes: SqliteChangeSource
  readonly #durable: boolean
  /** Milliseconds that a caller waits for earlier writes, and for another process to release the file. */
  readonly #patience: { turn: number; file: number }
  readonly #turns = new Semaphore(1, Infinity, queueFullError)
  /** Cached state of other processes in this turn of the event loop; undefined if it was not read. */
  #others: string | null | undefined
  readonly #bulks = new Semaphore(1, Infinity, queueFullError)
  readonly #textIndex: TextIndex
  /** Error of all further calls after the file was lost. */
  #lost: StoreError | undefined

  constructor({ writer, reader, openReader, file, options }: SqliteParts) {
    const { time, durability = 'full', onLost } = options
    this.#writer = writer
    this.#reader = reader
    this.#openReader = openReader
    this.#file = file
    this.#readThread = file && new ReadThread(file.path, time)
    this.#durable = durability === 'full'
    // Half the time limit, so that a caller gets its error before the request times out.
    this.#patience = { turn: (time ?? Infinity) / 2, file: (time ?? 2 * BUSY_TIMEOUT_MS) / 2 }
    this.#textIndex = new TextIndex((use) => this.#turns.run(() => use(writer)))
    this.#textIndex.wake()
    this.changes = new SqliteChangeSource(
      () => this.#stateOfOthers(),
      () => this.#reader,
      () => this.#textIndex.wake(),
    )
    file?.watch((error) => {
      this.#lose(error)
      onLost?.(error)
    })
  }

  async read<T>(statement: ReadStatement, act: (executor: Executor) => T | Promise<T>): Promise<T> {
    this.#assertThere()
    if (this.#reader !== this.#writer) return retryWhileBusy(() => this.#readAside(statement, act), this.#fileUntil())
    if (this.#turns.idle) return retryWhileBusy(() => act(this.#writer), this.#fileUntil())
    return this.#inTurn((until) => retryWhileBusy(() => act(this.#writer), until))
  }

  #readAside<T>(statement: ReadStatement, act: (executor: Executor) => T | Promise<T>): T | Promise<T> {
    const isLong = searchesText(statement) || (readsManyRows(statement) && this.#reader.size() >= LARGE_FILE_BYTES)
    return act(this.#readThread !== null && isLong ? this.#readThread : this.#reader)
  }

  write<T>(act: (connection: Connection) => T | Promise<T>): Promise<T> {
    return this.#committed((until) => retryWhileBusy(() => act(this.#writer), until))
  }

  transaction<T>(work: (connection: Connection) => Promise<T>, committed: () => void): Promise<T> {
    const writer = this.#writer
    return this.#committed(async (until) => {
      // Locks the file for writing immediately, so no later statement can find it locked.
      await retryWhileBusy(() => writer.exec('begin immediate'), until)
      try {
        const result = await work(writer)
        writer.exec('commit')
        committed()
        return result
      } catch (error) {
        // A failing rollback must not hide the original error.
        await writer.rollback().catch(() => {})
        throw error
      }
    })
  }

  /** Executes a write after all earlier ones. Resolves when it is durable; the next write does not wait for that. */
  async #committed<T>(act: (until: number) => Promise<T>): Promise<T> {
    const { result, durable } = await this.#inTurn(async (until) => {
      const acted = await act(until)
      const flushed = this.#flushed()
      flushed.catch(() => {})
      return { result: acted, durable: flushed }
    })
    this.#textIndex.wake()
    await durable
    return result
  }

  async snapshot<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#assertThere()
    const reader = await this.#openSnapshot()
    if (reader === null) return this.#inTurn(() => readOnce(this.#writer, work))
    try {
      return await readOnce(reader, work)
    } finally {
      reader.close()
    }
  }

  /** Opens another connection to the file, or to a copy of the database in memory; null if it cannot be copied. */
  async #openSnapshot(): Promise<SqliteConnection | null> {
    if (this.#file !== null) return this.#openReader()
    if (!SqliteConnection.hasImages) return null
    const copy = new SqliteConnection(':memory:')
    copy.loadImage(await this.#turns.run(() => this.#writer.image()))
    return copy
  }

  inTurn<T>(act: () => Promise<T>): Promise<T> {
    // SQLite has a single writer.
    return act()
  }

  /** Must be called once, before the first write: from then on the file and its name survive a power cut. */
  async makeDurable(log?: Logger): Promise<void> {
    await this.#flushed()
    await this.#file?.flushFolder()
    if (log !== undefined) await this.#file?.warnAboutPermissions(log)
  }

  /** Resolves when everything committed so far is as durable as configured. */
  async #flushed(): Promise<void> {
    if (this.#file === null || !this.#durable) return
    try {
      await this.#file.flushed()
    } catch (error) {
      const reason =
        error instanceof StoreError
          ? error
          : errors.STORE_LOST(this.#file.path, `cannot be flushed to the disk (${(error as Error).message})`, {
              cause: error,
            })
      this.#lose(reason)
      throw reason
    }
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return this.#bulks.run(async () => {
      const undo = await this.#turns.run(() => {
        this.#file?.leaveLog()
        return retryWhileBusy(() => this.#beginBulk())
      })
      try {
        return await work()
      } finally {
        await this.#turns.run(undo)
      }
    })
  }

  /** Returns a function that restores the settings. */
  async #beginBulk(): Promise<() => Promise<void>> {
    const writer = this.#writer
    const read = (pragma: string) => Number(writer.first(`pragma ${pragma}`, [])?.[pragma])
    const before = ['cache_size', 'temp_store', 'synchronous'].map((pragma) => `pragma ${pragma} = ${read(pragma)}`)
    const direct = this.#file !== null && read('page_count') <= NEARLY_EMPTY_PAGES && (await this.#leaveLog())
    if (!direct) this.#file?.useLog()
    // Without the log, a power cut could otherwise corrupt the file. Index entries beyond the cache are sorted in
    // temporary files.
    writer.exec(`pragma cache_size = -65536; pragma temp_store = file; ${direct ? 'pragma synchronous = full' : ''}`)
    return async () => {
      await retryWhileBusy(() => writer.exec(`${direct ? 'pragma journal_mode = wal; ' : ''}${before.join('; ')}`))
      this.#file?.useLog()
      if (this.#file !== null && this.#reader === writer) this.#reader = await this.#openReader()
      // The name of the new log must be durable too.
      if (direct) await this.#file?.flushFolder()
    }
  }

  /** Switches to writing the file directly, with no other connection; returns false if another process has it open. */
  async #leaveLog(): Promise<boolean> {
    if (this.#reader !== this.#writer) this.#reader.close()
    this.#reader = this.#writer
    await this.#readThread?.end()
    try {
      return this.#writer.first('pragma journal_mode = delete', [])?.['journal_mode'] === 'delete'
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  #stateOfOthers(): string | null {
    if (this.#others === undefined) {
      this.#others = this.#readOthers()
      setImmediate(() => (this.#others = undefined))
    }
    return this.#others
  }

  #readOthers(): string | null {
    try {
      // This connection makes all writes of the process and counts the commits of others.
      return this.#writer.state()
    } catch {
      return null
    }
  }

  /** Does nothing: the statistics are fixed (`migrations/planner-statistics.ts`). */
  updateStatistics(): void {}

  async close(): Promise<void> {
    this.#textIndex.stop()
    await this.#readThread?.close()
    await this.#turns.run(async () => {
      // Requests may be waiting for the flush.
      await this.#flushed().catch(() => {})
      await this.#file?.close()
      // SQLite deletes the log when it closes; the log could now belong to the file that replaced this one.
      if (this.#lost !== undefined) return
      if (this.#reader !== this.#writer) this.#reader.close()
      this.#writer.close()
    })
  }

  /** Runs a write while no other write runs. @param act receives the deadline for waiting for another process */
  #inTurn<T>(act: (until: number) => Promise<T>): Promise<T> {
    this.#assertThere()
    const { turn, file } = this.#patience
    const now = performance.now()
    const patience = { until: now + turn, signal: this.#turns.idle ? undefined : currentWork()?.signal }
    // Both deadlines start now, so that the two waits together take no longer than one.
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

/** Runs `work` in a transaction that can only read. Its snapshot begins with the first statement. */
async function readOnce<T>(connection: SqliteConnection, work: (connection: Connection) => Promise<T>): Promise<T> {
  await retryWhileBusy(() => connection.exec('pragma query_only = on; begin; select 1 from sqlite_schema limit 1'))
  try {
    return await work(connection)
  } finally {
    connection.exec('rollback; pragma query_only = off')
  }
}

/** Whether a statement searches text: without a matching index it reads all rows. */
function searchesText({ sql }: ReadStatement): boolean {
  return sql.includes('text_contains(') || sql.includes(' match ')
}

/** Whether a statement counts a whole list or skips many rows. */
function readsManyRows({ sql, values }: ReadStatement): boolean {
  if (sql.startsWith('select count(')) return true
  return sql.includes(' offset ') && values.some((value) => typeof value === 'number' && value > FAR_OFFSET)
}
