import { AsyncLocalStorage } from 'node:async_hooks'
import {
  DummyDriver,
  Kysely,
  sql,
  type Compilable,
  type CompiledQuery,
  type Dialect,
  type Expression,
  type SqlBool,
} from 'kysely'
import { currentWork } from '../../../kernel/index.ts'
import { explain, isUndone, StoreError } from './errors.ts'
import { isIn } from './is-in.ts'
import { LruMap } from './lru-map.ts'
import { Queue } from './queue.ts'
import type { Database } from './schema.ts'
import type { Query, Statement, Store } from './store.ts'
import { Totals } from './totals.ts'
import { toValues, type Value } from './values.ts'

/** A row as a connection reads it. */
export type ReadRow = Record<string, unknown>

type Awaitable<T> = T | Promise<T>

/** A statement that reads, as it is executed. */
export interface ReadStatement {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Executes statements. */
export interface Executor {
  all(sql: string, values: readonly Value[]): Awaitable<ReadRow[]>
  first(sql: string, values: readonly Value[]): Awaitable<ReadRow | undefined>
  /** Answers how many rows were inserted, updated or deleted. */
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

/** What a dialect brings: its connections, and the expressions that differ. */
export interface Backend extends Pick<
  Store,
  'dialect' | 'contains' | 'searchPosts' | 'findPosts' | 'sortKey' | 'bulk'
> {
  readonly db: Kysely<Database>
  /** What nothing that others commit leaves the same; null where the server would have to be asked. */
  state(): Promise<string | null>
  /** The same for what other processes alone commit, at once; null too where it cannot be read at the moment. */
  stateOfOthers(): string | null
  /** Executes a statement that reads, where no transaction is; perhaps more than once. */
  read<T>(statement: ReadStatement, act: (executor: Executor) => Awaitable<T>): Promise<T>
  /** Executes a statement that writes, by itself, once it is its turn. */
  write<T>(act: (connection: Connection) => Awaitable<T>): Promise<T>
  /**
   * Runs `work` on a connection of its own, once it is its turn: committed when it resolves, rolled back when it throws.
   * Resolves once the commit is as durable as the config wants it.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Runs `act`, which begins a transaction, once no other `act` runs in this process. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
  /** SQL that lets numbering continue above the highest id of each table. */
  readonly syncSequences: readonly string[]
  close(): Promise<void>
}

/** An open transaction, or a savepoint in one. */
interface Scope {
  readonly connection: Connection
  readonly parent: Scope | undefined
  /** The savepoints directly in it, which cannot overlap. */
  readonly nested: Queue
  /** What all scopes of one transaction share: the failure that spoils it, and the number of its last savepoint. */
  readonly shared: { failure: Error | undefined; savepoints: number }
  /** Whether others who write in turn wait: what is taken back of a savepoint gives the turn back as well. */
  hasTurn: boolean
  over: boolean
}

/** What the store of a site and those of its transactions share. */
interface Shared {
  readonly backend: Backend
  readonly listeners: Set<(statement: Statement) => void>
  readonly settled: Set<() => void>
  /** The scope that the running code is in, so that a query through the outer store finds its transaction. */
  readonly scopes: AsyncLocalStorage<Scope>
  /** Queries that are built once, by their keys. */
  readonly compiled: LruMap<string, CompiledQuery>
  readonly totals: Totals
  closing: Promise<void> | undefined
}

/** The advisory lock of those who write in turn. The number stands for that, and nothing else. */
const WRITERS_LOCK = 7_203_418_847
/** How many queries are kept compiled. */
const compiledLimit = 1000
/** How many characters a key may have for its query to be kept. */
const longestKey = 3000
/** The first of the numbers that stand for ids in a compiled query; none of them is an id. */
const MARK = Number.MIN_SAFE_INTEGER

/** Makes the store of a backend. */
export function createStore(backend: Backend): Store {
  return new SqlStore({
    backend,
    listeners: new Set(),
    settled: new Set(),
    scopes: new AsyncLocalStorage(),
    compiled: new LruMap(compiledLimit),
    totals: new Totals(() => backend.state()),
    closing: undefined,
  })
}

/** A Kysely that builds queries for a dialect and refuses to execute them. */
export function createBuilder(dialect: Omit<Dialect, 'createDriver'>): Kysely<Database> {
  return new Kysely({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => new BuildingDriver(),
    },
  })
}

class BuildingDriver extends DummyDriver {
  override acquireConnection(): Promise<never> {
    return Promise.reject(
      new Error('Queries are built with store.db and executed by store.all, store.first or store.run.'),
    )
  }
}

class SqlStore implements Store {
  readonly dialect: Store['dialect']
  readonly db: Kysely<Database>
  readonly #shared: Shared
  readonly #scope: Scope | undefined

  constructor(shared: Shared, scope?: Scope) {
    this.dialect = shared.backend.dialect
    this.db = shared.backend.db
    this.#shared = shared
    this.#scope = scope
  }

  once<T>(key: string, build: () => Compilable<T>): CompiledQuery<T> {
    const { compiled } = this.#shared
    const known = compiled.get(key)
    if (known !== undefined) return known
    const query = build().compile()
    // A key may hold what a client sent.
    if (key.length <= longestKey) compiled.set(key, query)
    return query
  }

  forIds<T>(key: string, ids: readonly number[], build: (ids: readonly number[]) => Compilable<T>): CompiledQuery<T> {
    // Powers of two keep the statements few; an id that is named twice changes nothing.
    const size = 2 ** Math.ceil(Math.log2(ids.length))
    const query = this.once(`${key}, ${size} ids`, () =>
      build(Array.from({ length: size }, (_, index) => MARK + index)),
    )
    const parameters = query.parameters.map((value) => {
      const place = typeof value === 'number' ? value - MARK : size
      return place < size ? ids[Math.min(place, ids.length - 1)] : value
    })
    return { ...query, parameters }
  }

  async total(query: CompiledQuery<{ total: number }>): Promise<number> {
    const count = async () => (await this.first(query))?.total ?? 0
    return this.#current() ? count() : this.#shared.totals.of(query, count)
  }

  all<T>(query: Query<T>): Promise<T[]> {
    return this.#execute(query, (executor, sql, values) => executor.all(sql, values)) as Promise<T[]>
  }

  first<T>(query: Query<T>): Promise<T | undefined> {
    return this.#execute(query, (executor, sql, values) => executor.first(sql, values)) as Promise<T | undefined>
  }

  async run(query: Query): Promise<{ changes: number }> {
    return { changes: await this.#execute(query, (executor, sql, values) => executor.run(sql, values)) }
  }

  async transaction<T>(work: (tx: Store) => Promise<T>): Promise<T> {
    const outer = this.#current()
    currentWork()?.throwIfAborted()
    if (outer) return this.#savepoint(outer, work)
    this.#assertOpen()
    let takeBack: (() => void) | undefined
    try {
      return await this.#shared.backend.transaction((connection) =>
        this.#settle(
          createScope(connection),
          work,
          // From here on nothing stops it, and the client is told what became of it.
          async () => void (takeBack = currentWork()?.beginCommit()),
          async () => {},
        ),
      )
    } catch (error) {
      if (isUndone(error)) takeBack?.()
      throw explain(error)
    } finally {
      // Others may have counted while what was written was not there for them yet.
      this.#shared.totals.clear()
      for (const listener of this.#shared.settled) listener()
    }
  }

  inTurn<T>(work: (tx: Store) => Promise<T>): Promise<T> {
    for (let scope = this.#current(); scope; scope = scope.parent) if (scope.hasTurn) return this.transaction(work)
    const alone = () =>
      this.transaction(async (tx) => {
        if (this.dialect === 'postgres') await tx.first(sql`select pg_advisory_xact_lock(${WRITERS_LOCK})`)
        this.#shared.scopes.getStore()!.hasTurn = true
        return work(tx)
      })
    // Who is in a transaction has a connection, for which the one whose turn it is may be waiting.
    return this.#current() ? alone() : this.#shared.backend.inTurn(alone)
  }

  bulk<T>(work: () => Promise<T>): Promise<T> {
    return this.#current() ? work() : this.#shared.backend.bulk(work)
  }

  onSettled(listener: () => void): () => void {
    const entry = () => listener()
    this.#shared.settled.add(entry)
    return () => void this.#shared.settled.delete(entry)
  }

  onStatement(listener: (statement: Statement) => void): () => void {
    // A wrapper of its own, so that a listener added twice is removed once.
    const entry = (statement: Statement) => listener(statement)
    this.#shared.listeners.add(entry)
    return () => void this.#shared.listeners.delete(entry)
  }

  contains(column: string | Expression<unknown>, text: string): Expression<SqlBool> {
    return this.#shared.backend.contains(column, text)
  }

  isIn(column: string | Expression<unknown>, values: readonly (string | number)[]): Expression<SqlBool> {
    return isIn(this.dialect, column, values)
  }

  searchPosts(text: string): Expression<SqlBool> {
    return this.#shared.backend.searchPosts(text)
  }

  findPosts(texts: readonly string[]): Expression<unknown> {
    return this.#shared.backend.findPosts(texts)
  }

  sortKey(column: string): Expression<string> {
    return this.#shared.backend.sortKey(column)
  }

  stateOfOthers(): string | null {
    return this.#shared.backend.stateOfOthers()
  }

  async syncSequences(): Promise<void> {
    for (const statement of this.#shared.backend.syncSequences) {
      await this.#use(null, (executor) => executor.run(statement, []))
    }
  }

  async close(): Promise<void> {
    if (this.#current()) throw new StoreError('STORE_CLOSED', 'A store cannot be closed from within a transaction.')
    await (this.#shared.closing ??= this.#shared.backend.close())
  }

  async #execute<R>(
    query: Query,
    act: (executor: Executor, sql: string, values: readonly Value[]) => Awaitable<R>,
  ): Promise<R> {
    const compiled = compile(query, this.db)
    const { sql } = compiled
    const values = toValues(compiled.parameters)
    const reads = isRead(compiled)
    let told = false
    const executed = this.#use(reads ? { sql, values } : null, (executor) => {
      // A statement that meets a locked file is executed again, but is one statement.
      if (!told) for (const listener of this.#shared.listeners) listener({ sql, parameters: values })
      told = true
      return act(executor, sql, values)
    })
    return reads ? executed : executed.finally(() => this.#shared.totals.clear())
  }

  /**
   * Hands `act` what executes: the connection of the transaction the caller is in, or one that is in none.
   * @param read the statement, if it reads; null when it writes
   */
  async #use<R>(read: ReadStatement | null, act: (executor: Executor) => Awaitable<R>): Promise<R> {
    const scope = this.#current()
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
      // A statement that was cancelled because nobody waits for it any more tells why.
      const reason = work?.aborted === true ? work.signal.reason : explain(error)
      if (scope) scope.shared.failure ??= reason as Error
      throw reason
    }
  }

  /**
   * The innermost open scope that the caller is in, provided it belongs to this store; otherwise this store's own.
   *
   * @throws StoreError STORE_TRANSACTION_OVER when that has ended
   */
  #current(): Scope | undefined {
    const own = this.#scope
    let scope = this.#shared.scopes.getStore()
    while (scope?.over) scope = scope.parent
    for (let outer = scope; outer && own; outer = outer.parent) if (outer === own) return scope
    if (own?.over) throw over()
    return own ?? scope
  }

  #savepoint<T>(outer: Scope, work: (tx: Store) => Promise<T>): Promise<T> {
    return outer.nested.run(async () => {
      if (outer.over) throw over()
      assertSound(outer)
      const { connection, shared } = outer
      const name = `savepoint_${++shared.savepoints}`
      await connection.exec(`savepoint ${name}`)
      const scope = createScope(connection, outer)
      return this.#settle(
        scope,
        work,
        async () => {
          await connection.exec(`release savepoint ${name}`)
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

  async #settle<T>(
    scope: Scope,
    work: (tx: Store) => Promise<T>,
    keep: () => Promise<void>,
    undo: () => Promise<void>,
  ): Promise<T> {
    let result: T
    try {
      currentWork()?.throwIfAborted()
      const worked = this.#shared.scopes.run(scope, async () => work(new SqlStore(this.#shared, scope)))
      // Whatever the work waits for, others wait for its connection.
      result = await unlessAborted(worked)
      await end(scope)
      if (scope.shared.failure) throw scope.shared.failure
    } catch (error) {
      await end(scope)
      // Where even this fails, what is around the savepoint is lost as well.
      await undo().catch((failure: Error) => (scope.shared.failure ??= failure))
      throw error
    }
    await keep()
    return result
  }

  #assertOpen(): void {
    if (this.#shared.closing) throw new StoreError('STORE_CLOSED', 'The store is closed.')
  }
}

function createScope(connection: Connection, parent?: Scope): Scope {
  const shared = parent?.shared ?? { failure: undefined, savepoints: 0 }
  return { connection, parent, shared, nested: new Queue(), hasTurn: false, over: false }
}

/** Admits nothing new to the scope and waits for savepoints that its work did not wait for. */
async function end(scope: Scope): Promise<void> {
  scope.over = true
  await scope.nested.drained()
}

/** Settles as the promise does, or with the reason for which the current work is aborted before. */
function unlessAborted<T>(promise: Promise<T>): Promise<T> {
  const signal = currentWork()?.signal
  if (signal === undefined) return promise
  const { promise: outcome, resolve, reject } = Promise.withResolvers<T>()
  const aborted = () => reject(signal.reason as Error)
  signal.addEventListener('abort', aborted)
  const heard = () => signal.removeEventListener('abort', aborted)
  outcome.then(heard, heard)
  promise.then(resolve, reject)
  return outcome
}

function assertSound({ shared: { failure } }: Scope): void {
  if (!failure) return
  throw new StoreError(
    'STORE_TRANSACTION_FAILED',
    'An earlier statement of the transaction failed, so it can only be rolled back. ' +
      'Where a failure is expected, make the attempt in a nested transaction.',
    { cause: failure },
  )
}

function over(): StoreError {
  return new StoreError('STORE_TRANSACTION_OVER', 'The transaction has ended; its store cannot be used any more.')
}

function compile(query: Query, db: Kysely<Database>): CompiledQuery {
  // Builders know their compiler, raw templates are given one.
  return 'compile' in query ? query.compile(db) : query
}

function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql))
}
