import type { Compilable, CompiledQuery, Expression, Kysely, SqlBool } from 'kysely'
import { sql } from './kysely.ts'
import { currentWork, runDetached, trace, tracing, unlessAborted, type Awaitable } from '../../../kernel/index.ts'
import { currentDependencies, cacheBriefly, withoutDependencies } from '../../library/caching/index.ts'
import { pendingGuard } from '../../requests/conditional/index.ts'
import { WRITERS_LOCK, type Backend, type Connection, type Executor, type ReadStatement } from './backend.ts'
import type { Change, StoreChanges } from './changes/change.ts'
import { collectChanges } from './changes/collect.ts'
import { errors, toStoreError, isUndone } from './errors.ts'
import { isIn } from './expressions.ts'
import { toValues, type Value } from './parameters.ts'
import { compile, isRead } from './query-builder.ts'
import type { Database } from './schema.ts'
import { SharedStore } from './shared-store.ts'
import { tagsOfTables, targetsOf, targetsOfScript } from './sql-tables.ts'
import { noteRead, noteWrite, uncaptured } from './statement-notes.ts'
import type { SqlQuery, Statement, Store } from './store.ts'
import { traceStatement } from './traced-statement.ts'
import {
  assertSound,
  createScope,
  currentScope,
  endScope,
  execAhead,
  hasTurn,
  transactionOver,
  type Scope,
} from './transaction-scope.ts'
import './tracing.ts'

const NOTHING: ReadonlySet<string> = new Set()

type Act<R> = (executor: Executor, sql: string, values: readonly Value[]) => Awaitable<R>

/** Creates the store of a backend. */
export function createStore(backend: Backend): Store {
  const storeTouched = (tags: readonly string[]) =>
    // Detached: not part of the current request, nor of a value being computed.
    runDetached(() => withoutDependencies(() => store.transaction(async () => store.changes.touch(tags))))
  const store: Store = new SqlStore(new SharedStore(backend, storeTouched))
  return store
}

class SqlStore implements Store {
  readonly dialect: Store['dialect']
  readonly db: Kysely<Database>
  readonly changes: StoreChanges
  readonly contains: Store['contains']
  readonly searchPosts: Store['searchPosts']
  readonly findPosts: Store['findPosts']
  readonly sortKey: Store['sortKey']
  readonly #shared: SharedStore
  readonly #scope: Scope | undefined

  constructor(shared: SharedStore, scope?: Scope) {
    const { db, dialect, expressions } = shared.backend
    this.dialect = dialect
    this.db = db
    this.changes = shared.changes
    this.contains = expressions.contains
    this.searchPosts = expressions.searchPosts
    this.findPosts = expressions.findPosts
    this.sortKey = expressions.sortKey
    this.#shared = shared
    this.#scope = scope
  }

  once<T>(key: string, build: () => Compilable<T>): CompiledQuery<T> {
    return this.#shared.queries.once(key, build)
  }

  forIds<T>(key: string, ids: readonly number[], build: (ids: readonly number[]) => Compilable<T>): CompiledQuery<T> {
    return this.#shared.queries.forIds(key, ids, build)
  }

  async total(query: CompiledQuery<{ total: number }>, dependsOn = tagsOfTables(query.sql)): Promise<number> {
    const count = async () => (await this.first(query, dependsOn))?.total ?? 0
    if (this.#currentScope()) return count()
    currentDependencies()?.addAll(dependsOn)
    return withoutDependencies(() => this.#shared.counts.of(query, dependsOn, count))
  }

  async cachedTotal(
    query: CompiledQuery<{ total: number }>,
    dependsOn = tagsOfTables(query.sql),
  ): Promise<number | undefined> {
    if (this.#currentScope()) return undefined
    const cached = this.#shared.counts.get(query)
    if (cached === undefined) return undefined
    currentDependencies()?.addAll(dependsOn)
    return cached.catch(() => undefined)
  }

  all<T>(query: SqlQuery<T>, dependsOn?: readonly string[]): Promise<T[]> {
    return this.#execute(query, (executor, sql, values) => executor.all(sql, values), dependsOn) as Promise<T[]>
  }

  first<T>(query: SqlQuery<T>, dependsOn?: readonly string[]): Promise<T | undefined> {
    const act = (executor: Executor, sql: string, values: readonly Value[]) => executor.first(sql, values)
    return this.#execute(query, act, dependsOn) as Promise<T | undefined>
  }

  async run(query: SqlQuery): Promise<{ changes: number }> {
    return { changes: await this.#execute(query, (executor, sql, values) => executor.run(sql, values)) }
  }

  async script(text: string): Promise<void> {
    const scope = this.#currentScope()
    if (scope === undefined) return this.transaction((tx) => tx.script(text))
    const tables = targetsOfScript(text)
    if (this.#isWrittenInTurn(tables)) await this.#takeTurn(scope)
    noteWrite(tables, scope)
    await this.#withExecutor(this.#currentScope(), null, (executor) => {
      for (const listener of this.#shared.listeners) listener({ sql: text, parameters: [] })
      // Within a transaction the executor is a whole connection.
      return (executor as Connection).exec(text)
    })
  }

  async transaction<T>(work: (tx: Store) => Promise<T>): Promise<T> {
    const guard = pendingGuard()
    if (guard !== null) return this.#guarded(guard, work)
    const outer = this.#currentScope()
    if (outer === undefined) return this.#outermost(work, false)
    currentWork()?.throwIfAborted()
    return this.#savepoint(outer, work)
  }

  /** @param alone whether the transaction needs the write turn */
  #outermost<T>(work: (tx: Store) => Promise<T>, alone: boolean): Promise<T> {
    if (!tracing.transaction.hasSubscribers) return this.#commit(work, alone)
    const { dialect } = this
    return trace(tracing.transaction, { dialect }, () => this.#commit(work, alone)) as Promise<T>
  }

  async #commit<T>(work: (tx: Store) => Promise<T>, alone: boolean): Promise<T> {
    currentWork()?.throwIfAborted()
    this.#assertOpen()
    let takeBack: (() => void) | undefined
    let changes: readonly Change[] = []
    try {
      return await this.#shared.backend.transaction(
        (connection) => {
          const scope = createScope(connection)
          scope.hasTurn = alone
          const keep = async () => {
            if (scope.shared.written !== null) await this.#runBeforeCommit(connection, scope, scope.shared.written)
            const { touched, written } = scope.shared
            // On PostgreSQL, changes made by a database function appear in no SQL statement of the store.
            if (written !== null || touched !== null || this.dialect === 'postgres') {
              const tables = uncaptured(written ?? NOTHING)
              changes = await collectChanges(connection, this.#shared.backend, tables, touched ?? NOTHING)
            }
            // From here on the transaction is no longer aborted, and the client gets its result.
            takeBack = currentWork()?.beginCommit()
          }
          return this.#runInScope(scope, work, keep, async () => {})
        },
        () => this.#shared.changes.committed(changes),
        alone,
      )
    } catch (error) {
      if (isUndone(error)) takeBack?.()
      throw toStoreError(error)
    } finally {
      for (const listener of this.#shared.afterTransaction) listener()
    }
  }

  /** Calls the before-commit listeners, after all other statements of the transaction. */
  async #runBeforeCommit(
    connection: Connection,
    { hasTurn, shared }: Scope,
    written: ReadonlySet<string>,
  ): Promise<void> {
    for (const { listener } of this.#shared.beforeCommit) {
      const last = { ...createScope(connection), hasTurn, shared }
      try {
        await this.#shared.scopes.run(last, () => listener(new Set(written)))
      } finally {
        await endScope(last)
      }
      if (shared.failure) throw shared.failure
    }
  }

  inTurn<T>(work: (tx: Store) => Promise<T>): Promise<T> {
    const guard = pendingGuard()
    if (guard !== null) return this.#guarded(guard, work)
    if (hasTurn(this.#currentScope())) return this.transaction(work)
    // Does not wait in the backend: the transaction with the write turn may need the connection that this one holds.
    if (this.#currentScope())
      return this.transaction(async (tx) => {
        await this.#takeTurn(this.#shared.scopes.getStore()!)
        return work(tx)
      })
    return this.#shared.backend.inTurn(() => this.#outermost(work, true))
  }

  /** Waits for the write turn, unless the transaction already has it. */
  async #takeTurn(scope: Scope): Promise<void> {
    if (hasTurn(scope)) return
    if (this.dialect === 'postgres') await this.first(sql`select pg_advisory_xact_lock(${WRITERS_LOCK})`)
    scope.hasTurn = true
  }

  /**
   * Whether a before-commit listener needs the write turn after writes to these tables. SQLite has one writer and needs
   * no write turn.
   */
  #isWrittenInTurn(tables: readonly string[]): boolean {
    if (this.dialect === 'sqlite') return false
    return [...this.#shared.beforeCommit].some(({ concerns }) => tables.some(concerns))
  }

  /** Takes the write turn, checks the precondition of the request, and writes only if it holds. */
  #guarded<T>(guard: NonNullable<ReturnType<typeof pendingGuard>>, work: (tx: SqlStore) => Promise<T>): Promise<T> {
    return guard.write((check) =>
      this.inTurn(async (tx) => {
        await check()
        return work(tx as SqlStore)
      }),
    )
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return this.#currentScope() ? work() : this.#shared.backend.bulk(work)
  }

  async snapshot<T>(work: (reader: Store) => Promise<T>): Promise<T> {
    if (this.#currentScope()) return work(this)
    this.#assertOpen()
    try {
      return await this.#shared.backend.snapshot((connection) =>
        this.#runInScope(
          createScope(connection),
          work,
          async () => {},
          async () => {},
        ),
      )
    } catch (error) {
      throw toStoreError(error)
    } finally {
      for (const listener of this.#shared.afterTransaction) listener()
    }
  }

  onSettled(listener: () => void): () => void {
    return this.#shared.afterTransaction.add(listener)
  }

  onBeforeCommit(
    listener: (written: ReadonlySet<string>) => Promise<void>,
    concerns: (table: string) => boolean = () => false,
  ): () => void {
    return this.#shared.beforeCommit.add({ listener, concerns })
  }

  onStatement(listener: (statement: Statement) => void): () => void {
    return this.#shared.listeners.add(listener)
  }

  isIn(column: string | Expression<unknown>, values: readonly (string | number)[]): Expression<SqlBool> {
    return isIn(this.dialect, column, values)
  }

  async syncSequences(): Promise<void> {
    for (const statement of this.#shared.backend.syncSequences) {
      await this.#withExecutor(this.#currentScope(), null, (executor) => executor.run(statement, []))
    }
  }

  async updateStatistics(): Promise<void> {
    const { backend } = this.#shared
    await this.#withExecutor(this.#currentScope(), null, (executor) => backend.updateStatistics(executor))
  }

  async close(): Promise<void> {
    if (this.#currentScope()) throw errors.STORE_CLOSED('cannot be closed from within a transaction')
    await (this.#shared.closing ??= this.#shared.backend.close())
  }

  async #execute<R>(query: SqlQuery, act: Act<R>, dependsOn?: readonly string[]): Promise<R> {
    const compiled = compile(query, this.db)
    const { sql } = compiled
    const values = toValues(compiled.parameters)
    const reads = isRead(compiled)
    const guard = reads ? null : pendingGuard()
    if (guard !== null) return this.#guarded(guard, (tx) => tx.#execute(query, act))
    let scope = this.#currentScope()
    if (reads) noteRead(sql, scope, dependsOn)
    else {
      const tables = targetsOf(sql)
      // In a transaction, so that its changes are recorded with it.
      const inTurn = this.#isWrittenInTurn(tables)
      if (scope === undefined && tables.length > 0) {
        const execute = (tx: Store) => (tx as SqlStore).#execute(query, act)
        return inTurn ? this.inTurn(execute) : this.transaction(execute)
      }
      if (inTurn) {
        await this.#takeTurn(scope!)
        scope = this.#currentScope()
      }
      noteWrite(tables, scope)
    }
    const send = (sent?: () => void) => {
      let announced = false
      return this.#withExecutor(scope, reads ? { sql, values } : null, (executor) => {
        // A statement that is repeated because the file was locked counts once.
        if (!announced) for (const listener of this.#shared.listeners) listener({ sql, parameters: values })
        if (!announced) sent?.()
        announced = true
        return act(executor, sql, values)
      })
    }
    return tracing.sql.hasSubscribers ? traceStatement(this.dialect, sql, values, send) : send()
  }

  /**
   * Calls `act` with the connection of the transaction, or with one outside transactions.
   * @param scope the transaction of the caller
   * @param read the statement if it reads, null if it writes
   */
  async #withExecutor<R>(
    scope: Scope | undefined,
    read: ReadStatement | null,
    act: (executor: Executor) => Awaitable<R>,
  ): Promise<R> {
    const work = currentWork()
    work?.throwIfAborted()
    let takeBack: (() => void) | undefined
    try {
      if (scope) {
        assertSound(scope)
        return await act(scope.connection)
      }
      this.#assertOpen()
      if (read !== null) return await this.#shared.backend.read(read, act)
      return await this.#shared.backend.write((connection) => {
        takeBack ??= work?.beginCommit()
        return act(connection)
      })
    } catch (error) {
      if (isUndone(error)) takeBack?.()
      // A statement cancelled with its request fails with the abort reason.
      const reason = work?.aborted === true ? work.signal.reason : toStoreError(error)
      if (scope) scope.shared.failure ??= reason as Error
      // A caller that continues without the rows must not cache the result for long: the next attempt may succeed.
      cacheBriefly()
      throw reason
    }
  }

  #currentScope(): Scope | undefined {
    return currentScope(this.#shared.scopes.getStore(), this.#scope)
  }

  #savepoint<T>(outer: Scope, work: (tx: Store) => Promise<T>): Promise<T> {
    return outer.nested.run(async () => {
      if (outer.over) throw transactionOver()
      assertSound(outer)
      const { connection, shared } = outer
      const name = `savepoint_${++shared.savepoints}`
      // Sent without waiting: the connection executes it before the next statement.
      execAhead(outer, `savepoint ${name}`)
      const scope = createScope(connection, outer)
      return this.#runInScope(
        scope,
        work,
        async () => {
          execAhead(outer, `release savepoint ${name}`)
          outer.hasTurn ||= scope.hasTurn
        },
        async () => {
          await connection.exec(`rollback to savepoint ${name}`)
          await connection.exec(`release savepoint ${name}`)
          shared.failure = undefined
        },
      )
    })
  }

  async #runInScope<T>(
    scope: Scope,
    work: (tx: Store) => Promise<T>,
    keep: () => Promise<void>,
    undo: () => Promise<void>,
  ): Promise<T> {
    let result: T
    try {
      const current = currentWork()
      current?.throwIfAborted()
      const worked = this.#shared.scopes.run(scope, async () => work(new SqlStore(this.#shared, scope)))
      // Aborts even if `work` keeps waiting: other requests need the connection.
      result = await (current === undefined ? worked : unlessAborted(worked, current.signal))
      await endScope(scope)
      if (scope.shared.failure) throw scope.shared.failure
    } catch (error) {
      await endScope(scope)
      // If the rollback fails, the enclosing transaction is invalid as well.
      await undo().catch((failure: Error) => (scope.shared.failure ??= failure))
      throw error
    }
    await keep()
    return result
  }

  #assertOpen(): void {
    if (this.#shared.closing) throw errors.STORE_CLOSED('is closed')
  }
}
