import type { Logger } from 'pino'
import type { Compilable, CompiledQuery, Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { StoreChanges } from './changes/change.ts'
import type { StoreError } from './errors.ts'
import type { Database } from './schema.ts'

export { isForeignKeyViolation, isUniqueViolation, StoreError } from './errors.ts'

/** What a store executes: a Kysely builder, a raw `sql` template, or either one compiled (for hot, fixed queries). */
export type SqlQuery<T = unknown> = Compilable<T> | RawBuilder<T> | CompiledQuery<T>

/** One statement as the database gets it; text of requests is only ever among `parameters`. */
export interface Statement {
  readonly sql: string
  /** As they are bound: numbers are whole or fractional, booleans 1 or 0, dates ISO text. */
  readonly parameters: readonly unknown[]
}

/**
 * Where the site's data is. Queries are built with `db` and executed by the methods here, which compile the query
 * and run a prepared statement that is cached by the SQL text.
 *
 * Parameters: a whole number beyond `Number.MAX_SAFE_INTEGER` is bound as that bound, so comparisons and limits hold;
 * a boolean is bound as 1 or 0, a `Date` as ISO text; NUL characters, which PostgreSQL cannot hold, are left out of
 * text. `undefined`, `NaN`, lists and objects are refused with STORE_PARAMETER_INVALID.
 */
export interface Store {
  /** Which of the two databases it is, for SQL that differs. */
  readonly dialect: 'sqlite' | 'postgres'

  /** Builds queries; never `.execute()` them. */
  readonly db: Kysely<Database>

  /** What has changed when, here and in other processes. */
  readonly changes: StoreChanges

  /**
   * Builds and compiles a query at its first use and keeps it by its key, because building most queries takes longer than
   * running them. The key must contain everything that the query depends on, including values.
   */
  once<T>(key: string, build: () => Compilable<T>): CompiledQuery<T>

  /**
   * The same for a query with a list of ids, compiled once for lists of similar length: `build` receives a list of
   * placeholders, perhaps a longer one, and must not read its values. The ids then take the place of the placeholders.
   * @param key contains everything that the query depends on, except the ids
   * @param ids at least one
   */
  forIds<T>(key: string, ids: readonly number[], build: (ids: readonly number[]) => Compilable<T>): CompiledQuery<T>

  /**
   * The count that a query returns as `total` of its only row. Counting reads every row that a list could show, which on a
   * large site costs more than the page itself. The total is therefore cached until its data changes. Within a transaction
   * it is always counted.
   * @param dependsOn as for `all`
   */
  total(query: CompiledQuery<{ total: number }>, dependsOn?: readonly string[]): Promise<number>

  /** The total of such a query if it is cached; undefined if it has to be counted, and within a transaction. */
  cachedTotal(query: CompiledQuery<{ total: number }>, dependsOn?: readonly string[]): Promise<number | undefined>

  /**
   * Every row of the query as plain objects; for writes the rows of its `returning` clause.
   * @param dependsOn tags of the data that the rows depend on, for caches of values made from them. Without it, the rows
   * depend on the whole of each table that the query names
   */
  all<T>(query: SqlQuery<T>, dependsOn?: readonly string[]): Promise<T[]>

  /** The first row; undefined without any. */
  first<T>(query: SqlQuery<T>, dependsOn?: readonly string[]): Promise<T | undefined>

  /** Executes a write; `changes` counts the rows it touched, cascades and triggers aside. */
  run(query: SqlQuery): Promise<{ changes: number }>

  /**
   * Executes SQL without parameters, one or several statements, such as a migration; in the current transaction, or in a new
   * one.
   */
  script(sql: string): Promise<void>

  /**
   * Runs `work` in a transaction, which commits when `work` resolves. When `work` throws, the transaction is rolled back and
   * the error is thrown again. On `tx`, this creates a savepoint. SQLite runs one writing transaction at a time, so keep them
   * short and free of network calls. Queries that `work` sends through the outer store join the transaction.
   *
   * A failed statement spoils the transaction in both dialects: even if `work` catches the error, the transaction is rolled
   * back and the error is thrown. If a failure is expected, run the statement in a nested transaction.
   *
   * Within a request that was aborted, no transaction begins or commits: the running statement is cancelled, the transaction
   * is rolled back, and the result of `work` is not awaited.
   *
   * @throws StoreError STORE_TRANSACTION_FAILED for a statement after one that failed, STORE_TRANSACTION_OVER when `tx`
   * is used after `work` ended; STORE_BUSY when another process holds the database for too long, STORE_UNAVAILABLE and
   * STORE_FULL during an outage: these carry an `outage`, for which the REST API responds with 503 or 507; the reason why the
   * request was aborted
   */
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>

  /**
   * Runs `work` in a transaction while no other `inTurn` runs, in this or another process. Use it for writes that rely on
   * earlier reads, such as unique names, and for writes that refer to another object or delete one, so that no reference
   * outlives its object. Every write to content, users or options takes its turn before it touches a row, which prevents
   * deadlocks. SQLite has a single writer; PostgreSQL takes an advisory lock once per transaction.
   */
  inTurn<T>(work: (tx: Store) => Promise<T>): Promise<T>

  /**
   * Runs `work`, a transaction that writes very much, in the way that suits it. On SQLite it has more memory, and sorts in
   * files; a file that holds next to nothing, and that no other process has open, is written without the write-ahead
   * log, which would hold all of it a second time: others wait meanwhile.
   */
  bulk<T>(work: () => Promise<T>): Promise<T>

  /**
   * Calls the listener before each statement that this store or one of its transactions executes, `begin`, `commit` and
   * the store's own housekeeping aside; returns its removal.
   */
  onStatement(listener: (statement: Statement) => void): () => void

  /**
   * Calls the listener after each outermost transaction, committed or taken back: what was kept of reads made while it
   * was open may be wrong. Returns its removal.
   */
  onSettled(listener: () => void): () => void

  /**
   * Calls the listener at the end of each outermost transaction that has written something, as part of it: for what is kept
   * of other rows. What it throws takes everything back. Returns its removal.
   * @param listener is given the tables that were written
   * @param concerns whether it writes, in turn, after a table was written: on PostgreSQL whoever writes that table has its
   * turn before, or two would wait in a circle
   */
  onBeforeCommit(
    listener: (written: ReadonlySet<string>) => Promise<void>,
    concerns?: (table: string) => boolean,
  ): () => void

  /**
   * Whether the column contains the text: literally, wildcards included, and whatever the case of its letters.
   * @param column `title`, `posts.title`, or an expression
   */
  contains(column: string | Expression<unknown>, text: string): Expression<SqlBool>

  /**
   * Whether the column has one of the values; never where there are none. Its wording depends on how many they are while
   * they are few, and never on what they are; many are bound as one parameter, so that no statement has too many.
   */
  isIn(column: string | Expression<unknown>, values: readonly (string | number)[]): Expression<SqlBool>

  /**
   * Narrows a query on `posts` (under its own name) to those whose title, excerpt or content contains the text; as
   * `contains()` for each, but served by an index where there is one. Its SQL does not depend on the text.
   */
  searchPosts(text: string): Expression<SqlBool>

  /**
   * A query of the IDs of posts that may have all of the texts, in whatever order: all that do are among them, and
   * they come as fast as they are read.
   * @param place where to look; the content as well unless it says otherwise
   */
  findPosts(texts: readonly string[], place?: 'title' | 'excerpt'): Expression<unknown>

  /**
   * What a list is ordered by for the order of a column whose texts may be of any length (`posts.title`, `users.name`):
   * the first 200 characters, which is what an index holds of them.
   */
  sortKey(column: string): Expression<string>

  /** Lets numbering continue above the highest id of each table; needed after rows were inserted with ids of their own. */
  syncSequences(): Promise<void>

  /** Waits for what is under way and closes the connections. The store of a transaction cannot be closed. */
  close(): Promise<void>
}

/** What a store does with its database. */
export interface StoreOptions {
  /**
   * Milliseconds that a statement may take; half of them a caller waits for its turn, for locks, for a connection.
   * Without, statements take as long as they need.
   */
  time?: number
  /** Whether a write is through once a power cut cannot undo it, as by default, or as soon as it is made. */
  durability?: 'full' | 'relaxed'
  /** Is told of files that other accounts of the machine can open. */
  log?: Logger
  /** Is called once, when the file of the database was removed or replaced: nothing is executed from then on. */
  onLost?: (error: StoreError) => void
}
