import type { Kysely } from 'kysely'
import type { Awaitable } from '../../../kernel/index.ts'
import type { Change } from './changes/change.ts'
import type { Value } from './parameters.ts'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

export type Dialect = Store['dialect']

/** The advisory lock of those who write in turn. The number stands for that, and nothing else. */
export const WRITERS_LOCK = 7_203_418_847

/** A row as a connection reads it. */
export type ReadRow = Record<string, unknown>

export interface ReadStatement {
  readonly sql: string
  readonly values: readonly Value[]
}

export interface Executor {
  all(sql: string, values: readonly Value[]): Awaitable<ReadRow[]>
  first(sql: string, values: readonly Value[]): Awaitable<ReadRow | undefined>
  /** Returns how many rows were inserted, updated or deleted. */
  run(sql: string, values: readonly Value[]): Awaitable<number>
}

/** One database connection, which executes statements in the order it gets them. */
export interface Connection extends Executor {
  /** Executes SQL of our own that has no parameters and occurs once in a while. */
  exec(sql: string): Awaitable<void>
  begin(): Promise<void>
  commit(): Promise<void>
  /** Undoes the transaction; does nothing when the database has done so itself. */
  rollback(): Promise<void>
}

/** Where changes of other processes come from. */
export interface ChangeSource {
  /** What changes of this process are told with, where others are told; it tells them from theirs. */
  readonly token: string
  /**
   * Rows of `changes` that were committed since the last call, including those of this process; `all` if there were too many
   * to return; `restored` if the database lost changes that this process knows, in a fail-over or when a backup was restored;
   * null while the changes of other processes are unknown.
   */
  take(): readonly ReadRow[] | 'all' | 'restored' | null
  /** To be called with the latest change that this process has committed. */
  committed(change: Change): void
}

/** The expressions that differ between the dialects; `Store` says what each does. */
export type DialectExpressions = Pick<Store, 'contains' | 'searchPosts' | 'findPosts' | 'sortKey'>

/** What a dialect brings: its connections, and the expressions that differ. */
export interface Backend extends Pick<Store, 'dialect' | 'bulk'> {
  readonly expressions: DialectExpressions
  readonly db: Kysely<Database>
  /** Where changes of other processes come from. */
  readonly changes: ChangeSource
  /** Executes a statement that reads, where no transaction is; perhaps more than once. */
  read<T>(statement: ReadStatement, act: (executor: Executor) => Awaitable<T>): Promise<T>
  /** Executes a statement that writes, by itself, once it is its turn. */
  write<T>(act: (connection: Connection) => Awaitable<T>): Promise<T>
  /**
   * Runs `work` on a connection of its own, once it is its turn: committed when it resolves, rolled back when it throws.
   * Resolves once the commit is as durable as the config wants it.
   * @param committed is called as soon as others can see what was committed
   * @param alone whether it waits for all others of which that is said, of other processes too
   */
  transaction<T>(work: (connection: Connection) => Promise<T>, committed: () => void, alone: boolean): Promise<T>
  /** Runs `act`, which begins a transaction, once no other `act` runs in this process. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
  /** SQL that lets numbering continue above the highest id of each table. */
  readonly syncSequences: readonly string[]
  close(): Promise<void>
}
