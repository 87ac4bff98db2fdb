import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from '../kysely.ts'
import type { Logger } from 'pino'
import { currentWork } from '../../../../kernel/index.ts'
import { Semaphore } from '../../../library/long-work/index.ts'
import {} from '../private-files.ts'
import type { Backend, Connection, Executor, ReadStatement } from '../backend.ts'
import { errors, StoreError, tooMany } from '../errors.ts'
import { createBuilder } from '../query-builder.ts'
import type { StoreOptions } from '../store.ts'
import { busyLimit, isBusy, retryWhileBusy } from './busy.ts'
import type { SqliteConnection } from './connection.ts'
import { SqliteChangeSource } from './change-source.ts'
import type { DatabaseFile } from './database-file.ts'
import { sqliteExpressions } from './expressions.ts'
import { ReadThread } from './read-thread.ts'
import { TextIndex } from './text-index.ts'

/** Pages of a file that holds next to nothing. */
const fewPages = 1000
/** Bytes of a file below which only searches can block other requests for long. */
const LARGE_FILE_BYTES = 32 * 1024 * 1024
/** Rows skipped by a list from which on it can take long. */
const FAR_OFFSET = 1000

interface SqliteParts {
  writer: SqliteConnection
  /** The connection for reads: the writer's where it is the only one. */
  reader: SqliteConnection
  openReader: () => Promise<SqliteConnection>
  /** Null for a database in memory. */
  file: DatabaseFile | null
  options: StoreOptions
}

/** A SQLite database: one connection that writes, in turns, and one that reads beside it. */
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
  /** Executes searches; null for a database in memory, which no second connection can read. */
  readonly #readThread: ReadThread | null
  readonly changes: SqliteChangeSource
  readonly #durable: boolean
  /** Milliseconds for which a caller waits for its turn; and for another process to release the file. */
  readonly #patience: { turn: number; file: number }
  readonly #turns = new Semaphore(1, Infinity, tooMany)
  /** What was read at this moment of what others have written; undefined when nothing was. */
  #others: string | null | undefined
  readonly #bulks = new Semaphore(1, Infinity, tooMany)
  readonly #textIndex: TextIndex
  /** Why nothing is executed any more. */
  #lost: StoreError | undefined

  constructor({ writer, reader, openReader, file, options }: SqliteParts) {
    const { time, durability = 'full', onLost } = options
    this.#writer = writer
    this.#reader = reader
    this.#openReader = openReader
    this.#file = file
    this.#readThread = file && new ReadThread(file.path, time)
    this.#durable = durability === 'full'
    // Whoever waited in vain has to be told before the time of the request is over.
    this.#patience = { turn: (time ?? Infinity) / 2, file: (time ?? 2 * busyLimit) / 2 }
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
      // Locks the file for writing at once, so no later statement can find it locked.
      await retryWhileBusy(() => writer.exec('begin immediate'), until)
      try {
        const result = await work(writer)
        writer.exec('commit')
        committed()
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
      const flushed = this.#flushed()
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

  /** To be called once, before the first write: the file and its name survive a power cut from then on. */
  async makeDurable(log?: Logger): Promise<void> {
    await this.#flushed()
    await this.#file?.flushFolder()
    if (log !== undefined) await this.#file?.warnOfLoose(log)
  }

  /** Resolves once what was committed so far is as durable as the config wants it. */
  async #flushed(): Promise<void> {
    if (this.#file === null || !this.#durable) return
    try {
      await this.#file.flushed()
    } catch (error) {
      const reason =
        error instanceof StoreError
          ? error
          : errors.STORE_LOST(this.#file.path, `cannot be brought to the disk (${(error as Error).message})`, {
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

  /** Returns what ends it. */
  async #beginBulk(): Promise<() => Promise<void>> {
    const writer = this.#writer
    const read = (pragma: string) => Number(writer.first(`pragma ${pragma}`, [])?.[pragma])
    const before = ['cache_size', 'temp_store', 'synchronous'].map((pragma) => `pragma ${pragma} = ${read(pragma)}`)
    const direct = this.#file !== null && read('page_count') <= fewPages && (await this.#leaveLog())
    if (!direct) this.#file?.useLog()
    // Without the log, a power cut could do harm otherwise. Entries of an index are sorted in files beyond the cache.
    writer.exec(`pragma cache_size = -65536; pragma temp_store = file; ${direct ? 'pragma synchronous = full' : ''}`)
    return async () => {
      await retryWhileBusy(() => writer.exec(`${direct ? 'pragma journal_mode = wal; ' : ''}${before.join('; ')}`))
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
      // All that this process writes is written by this connection, which counts the commits of others.
      return this.#writer.state()
    } catch {
      return null
    }
  }

  async close(): Promise<void> {
    this.#textIndex.stop()
    await this.#readThread?.close()
    await this.#turns.run(async () => {
      // Others may be waiting for it.
      await this.#flushed().catch(() => {})
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

/** Whether a statement searches text: without a matching index it reads all rows. */
function searchesText({ sql }: ReadStatement): boolean {
  return sql.includes('text_contains(') || sql.includes(' match ')
}

/** Whether a statement counts a whole list or skips many rows. */
function readsManyRows({ sql, values }: ReadStatement): boolean {
  if (sql.startsWith('select count(')) return true
  return sql.includes(' offset ') && values.some((value) => typeof value === 'number' && value > FAR_OFFSET)
}
