import type { Logger } from 'pino'
import type { Compilable, CompiledQuery, Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { StoreChanges } from './changes/change.ts'
import type { StoreError } from './errors.ts'
import type { Database } from './schema.ts'

export { isForeignKeyViolation, isUniqueViolation, StoreError } from './errors.ts'

/** A query: a Kysely builder, a raw `sql` template, or either one compiled (for hot, fixed queries). */
export type SqlQuery<T = unknown> = Compilable<T> | RawBuilder<T> | CompiledQuery<T>

/** A statement as the database gets it; text of requests occurs only in `parameters`. */
export interface Statement {
  readonly sql: string
  /** Bound values: numbers are integers or floats, booleans 1 or 0, dates ISO text. */
  readonly parameters: readonly unknown[]
}

/**
 * The database of a site. Queries are built with `db` and executed by the methods here, which compile the query and run
 * a prepared statement that is cached by the SQL text.
 *
 * Parameters: an integer beyond `Number.MAX_SAFE_INTEGER` is clamped to it, so comparisons and limits still hold; a
 * boolean is bound as 1 or 0, a `Date` as ISO text; NUL characters, which PostgreSQL cannot store, are removed from
 * text. `undefined`, `NaN`, lists and objects throw STORE_PARAMETER_INVALID.
 */
export interface Store {
  /** The dialect, for SQL that differs. */
  readonly dialect: 'sqlite' | 'postgres'

  /** Builds queries; never `.execute()` them. */
  readonly db: Kysely<Database>

  /** The record of changes, from this and other processes. */
  readonly changes: StoreChanges

  /**
   * Builds and compiles a query at its first use and caches it by its key, because building most queries takes longer
   * than running them. The key must contain everything that the query depends on, including values.
   */
  once<T>(key: string, build: () => Compilable<T>): CompiledQuery<T>

  /**
   * Like `once`, for a query with a list of IDs, compiled once for lists of similar length: `build` receives a list of
   * placeholders, which may be longer, and must not read its values. The IDs then replace the placeholders.
   * @param key contains everything that the query depends on, except the IDs
   * @param ids at least one
   */
  forIds<T>(key: string, ids: readonly number[], build: (ids: readonly number[]) => Compilable<T>): CompiledQuery<T>

  /**
   * Returns the count that a query selects as `total` in its only row. Counting reads every row that a list could show,
   * which on a large site costs more than the page itself. The total is therefore cached until its data changes. Within
   * a transaction it is always counted.
   * @param dependsOn as for `all`
   */
  total(query: CompiledQuery<{ total: number }>, dependsOn?: readonly string[]): Promise<number>

  /** Returns the total of such a query if it is cached. Undefined if it is not, and within a transaction. */
  cachedTotal(query: CompiledQuery<{ total: number }>, dependsOn?: readonly string[]): Promise<number | undefined>

  /**
   * Returns all rows of the query as plain objects; for writes the rows of the `returning` clause.
   * @param dependsOn tags of the data that the rows depend on, for caches of values computed from them. Without it, the
   * rows depend on the whole of each table that the query names
   */
  all<T>(query: SqlQuery<T>, dependsOn?: readonly string[]): Promise<T[]>

  /** Returns the first row, or undefined. */
  first<T>(query: SqlQuery<T>, dependsOn?: readonly string[]): Promise<T | undefined>

  /** Executes a write. `changes` is the number of affected rows, without cascades and triggers. */
  run(query: SqlQuery): Promise<{ changes: number }>

  /**
   * Executes one or several SQL statements without parameters, such as a migration, in the current transaction or in a
   * new one.
   */
  script(sql: string): Promise<void>

  /**
   * Runs `work` in a transaction, which commits when `work` resolves. When `work` throws, the transaction is rolled
   * back and the error is thrown again. On `tx`, this creates a savepoint. SQLite runs one writing transaction at a
   * time, so keep them short and free of network calls. Queries that `work` sends through the outer store join the
   * transaction.
   *
   * A failed statement invalidates the transaction in both dialects: even if `work` catches the error, the transaction
   * is rolled back and the error is thrown. If a failure is expected, run the statement in a nested transaction.
   *
   * Within an aborted request no transaction begins or commits: the running statement is cancelled, the transaction is
   * rolled back, and the result of `work` is not awaited.
   *
   * @throws StoreError STORE_TRANSACTION_FAILED for a statement after one that failed; STORE_TRANSACTION_OVER if `tx`
   * is used after `work` ended; STORE_BUSY if another process locks the database for too long, STORE_UNAVAILABLE and
   * STORE_FULL during an outage: these carry an `outage`, for which the REST API responds with 503 or 507; the abort
   * reason of an aborted request
   */
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>

  /**
   * Runs `work` in a transaction that has the write turn, which only one transaction of all processes has at a
   * time. Use it for writes that rely on earlier reads, such as unique names, and for writes that refer to another
   * object or delete one, so that no reference outlives its object. Every write to content, users or options takes the
   * write turn before it locks a row, which prevents deadlocks. SQLite has a single writer; PostgreSQL takes an
   * advisory lock once per transaction.
   */
  inTurn<T>(work: (tx: Store) => Promise<T>): Promise<T>

  /**
   * Runs `work`, a transaction that writes very much, with settings for it. SQLite then has more memory and sorts in
   * files. A nearly empty file that no other process has open is written without the write-ahead log, which would store
   * all the data a second time; other writers wait until it ends.
   */
  bulk<T>(work: () => Promise<T>): Promise<T>

  /**
   * Runs `work`, which only reads, on one snapshot of the database: all its statements see the data of one moment, and
   * writers do not wait for it, however long it takes. Queries that `work` sends through the outer store, directly or
   * by other services, read the same snapshot. Within a transaction, `work` reads in the transaction instead. There is
   * no time limit for its statements.
   * @throws StoreError STORE_UNAVAILABLE if `work` writes
   */
  snapshot<T>(work: (reader: Store) => Promise<T>): Promise<T>

  /**
   * Calls the listener before each statement of this store and its transactions, except `begin`, `commit` and the
   * store's own housekeeping. Returns a function that removes it.
   */
  onStatement(listener: (statement: Statement) => void): () => void

  /**
   * Calls the listener after each outermost transaction, committed or rolled back: values cached from reads during the
   * transaction may be wrong. Returns a function that removes it.
   */
  onSettled(listener: () => void): () => void

  /**
   * Calls the listener within each outermost transaction that has written, right before its commit, to update data
   * derived from other rows. If it throws, the transaction is rolled back. Returns a function that removes it.
   * @param listener receives the tables that were written
   * @param concerns whether the listener needs the write turn after a write to a table. On PostgreSQL, writers of such
   * a table take the write turn first, which prevents deadlocks
   */
  onBeforeCommit(
    listener: (written: ReadonlySet<string>) => Promise<void>,
    concerns?: (table: string) => boolean,
  ): () => void

  /**
   * Returns the condition that the column contains the text, regardless of case; wildcards match literally.
   * @param column `title`, `posts.title`, or an expression
   */
  contains(column: string | Expression<unknown>, text: string): Expression<SqlBool>

  /**
   * Returns the condition that the column has one of the values; false for an empty list. The SQL depends on the number
   * of values only while there are few; longer lists are bound as one parameter, so that there are few prepared
   * statements.
   */
  isIn(column: string | Expression<unknown>, values: readonly (string | number)[]): Expression<SqlBool>

  /**
   * Returns the condition, for a query on `posts` without an alias, that title, excerpt or content contains the text.
   * Like `contains()` on each of them, but uses an index if there is one. Its SQL does not depend on the text.
   */
  searchPosts(text: string): Expression<SqlBool>

  /**
   * Returns a query of the IDs of posts that may contain all of the texts, in no particular order: it can return posts
   * that do not, but misses none. Its rows arrive while the database reads.
   * @param place column to search; all three by default
   */
  findPosts(texts: readonly string[], place?: 'title' | 'excerpt'): Expression<unknown>

  /**
   * Returns the expression to sort by a column whose texts can have any length (`posts.title`, `users.name`): the first
   * 200 characters, which the index stores.
   */
  sortKey(column: string): Expression<string>

  /**
   * Advances the sequences of IDs past the highest ID of each table. Call it after inserting rows with explicit IDs.
   */
  syncSequences(): Promise<void>

  /**
   * Updates the statistics of PostgreSQL's planner for tables whose rows the current transaction has at least doubled.
   * The server itself does so only after the commit, and until then plans statements as if the tables were nearly empty.
   * Call it repeatedly in a transaction that inserts thousands of rows, and at its end. SQLite's statistics are fixed.
   */
  updateStatistics(): Promise<void>

  /** Waits for running statements and closes the connections. The store of a transaction cannot be closed. */
  close(): Promise<void>
}

/** Options of a store. */
export interface StoreOptions {
  /**
   * Milliseconds after which a statement is cancelled. Callers wait at most half of them for the write turn, for locks
   * and for a connection. Without it, there is no limit.
   */
  time?: number
  /**
   * Whether a write resolves when a power cut can no longer undo it (`full`, the default), or right after the commit.
   */
  durability?: 'full' | 'relaxed'
  /** Logs warnings about files that other accounts of the machine can open. */
  log?: Logger
  /** Called once if the database file was removed or replaced: the store then executes nothing more. */
  onLost?: (error: StoreError) => void
}
