import type { Kysely } from 'kysely'
import type { Awaitable } from '../../../kernel/index.ts'
import type { Change } from './changes/change.ts'
import type { Value } from './parameters.ts'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

export type Dialect = Store['dialect']

/** Key of the advisory lock that is the write turn. An arbitrary number that must not be used for anything else. */
export const WRITERS_LOCK = 7_203_418_847

/** A row as the connection returns it. */
export type ReadRow = Record<string, unknown>

export interface ReadStatement {
  readonly sql: string
  readonly values: readonly Value[]
}

export interface Executor {
  all(sql: string, values: readonly Value[]): Awaitable<ReadRow[]>
  first(sql: string, values: readonly Value[]): Awaitable<ReadRow | undefined>
  /** Returns the number of inserted, updated or deleted rows. */
  run(sql: string, values: readonly Value[]): Awaitable<number>
}

/** A database connection. It executes statements in the order of the calls. */
export interface Connection extends Executor {
  /** Executes SQL without parameters that comes from this program; it is not cached as a prepared statement. */
  exec(sql: string): Awaitable<void>
  begin(): Promise<void>
  commit(): Promise<void>
  /** Rolls the transaction back. Does nothing if the database has already done so. */
  rollback(): Promise<void>
}

/** Reads committed changes, including changes of other processes. */
export interface ChangeSource {
  /** Sent along with notifications of changes, so that a process recognizes its own. */
  readonly token: string
  /**
   * Returns the rows of `changes` committed since the last call, including changes of this process; `all` if there were too
   * many to return; `restored` if the database has lost changes that this process knows, after a failover or the restore
   * of a backup; null while changes of other processes are unknown.
   */
  readNew(): readonly ReadRow[] | 'all' | 'restored' | null
  /** Must be called with the latest change that this process has committed. */
  committed(change: Change): void
}

/** The expressions that differ between the dialects; `Store` documents them. */
export type DialectExpressions = Pick<Store, 'contains' | 'searchPosts' | 'findPosts' | 'sortKey'>

/** The implementation of a dialect: its connections and expressions. */
export interface Backend extends Pick<Store, 'dialect' | 'bulk'> {
  readonly expressions: DialectExpressions
  readonly db: Kysely<Database>
  /** Source of committed changes. */
  readonly changes: ChangeSource
  /** Executes a reading statement outside transactions; it may be executed more than once. */
  read<T>(statement: ReadStatement, act: (executor: Executor) => Awaitable<T>): Promise<T>
  /** Executes a single writing statement. SQLite executes writes one after another. */
  write<T>(act: (connection: Connection) => Awaitable<T>): Promise<T>
  /**
   * Runs `work` in a transaction, on SQLite after all earlier writes, on PostgreSQL on a separate connection. Commits
   * when it resolves, rolls back when it throws. Resolves after the commit is as durable as configured.
   * @param committed called as soon as other connections can see the commit
   * @param alone whether the transaction needs the write turn: only one transaction of all processes has it at a time
   */
  transaction<T>(work: (connection: Connection) => Promise<T>, committed: () => void, alone: boolean): Promise<T>
  /**
   * Runs `work` on a connection that only reads and sees the data of one moment. Writers do not wait for it, except on
   * a SQLite database in memory with a release of Node that cannot copy it.
   */
  snapshot<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Runs `act`, which begins a transaction, while no other `act` runs in this process. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
  /** SQL that advances the sequences of IDs past the highest ID of each table. */
  readonly syncSequences: readonly string[]
  /** Updates the statistics of tables that a transaction has at least doubled. */
  updateStatistics(executor: Executor): Awaitable<void>
  close(): Promise<void>
}
