import pg from 'pg'
import { errors, type StoreError } from '../errors.ts'
import type { Connection, ReadRow } from '../backend.ts'
import type { Value } from '../parameters.ts'

/**
 * Maximum number of prepared statements per connection. It executes further ones unprepared and is replaced when it is
 * free.
 */
const MAX_PREPARED = 300

const lost = new WeakSet<Error>()

/** Whether an error means a lost connection: the outcome of the statement is unknown. */
export function isConnectionLost(error: unknown): boolean {
  return lost.has(error as Error)
}

function connectionLost(cause: unknown): StoreError {
  const error = errors.STORE_UNAVAILABLE('the connection to it is lost', { cause })
  lost.add(error)
  return error
}

/** A connection to PostgreSQL. It sends statements without waiting for the results of earlier ones. */
export class PostgresConnection implements Connection {
  /** Whether the connection was lost, or a transaction could not be ended on it. */
  broken = false
  /** The server's ID of the latest transaction. */
  transactionId = ''
  readonly #client: pg.ClientBase
  readonly #cancelQuery: (pid: number) => Promise<unknown>
  /** The server process that executes the statements; 0 before `prepare`. */
  #pid = 0
  /** Names of prepared statements by their SQL. */
  readonly #names = new Map<string, string>()
  #lastName = 0
  /** Number of statements without a result yet. */
  #open = 0
  #cancelling: Promise<void> | undefined

  /** @param cancelQuery cancels the statement of a server process, over another connection */
  constructor(client: pg.ClientBase, cancelQuery: (pid: number) => Promise<unknown>) {
    this.#client = client
    this.#cancelQuery = cancelQuery
    const broke = () => void (this.broken = true)
    client.on('error', broke)
    client.on('end', broke)
  }

  /** Executes the statements that set up a new connection. */
  async prepare(settings: string): Promise<void> {
    const results = await this.#simple(`${settings}; select pg_backend_pid() as pid`)
    this.#pid = (results as unknown as pg.QueryResult<{ pid: number }>[]).at(-1)!.rows[0]!.pid
  }

  /** Whether the connection must be closed instead of being used again. */
  get isUsedUp(): boolean {
    return this.broken || this.#lastName >= MAX_PREPARED
  }

  /** Calls the listener when the connection ends. */
  onEnd(listener: () => void): void {
    this.#client.on('error', listener)
    this.#client.on('end', listener)
  }

  /** Calls the listener with the notifications of the channels that the connection listens to. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => listener(payload))
  }

  /** Resolves when no cancellation is in flight: a late one would stop the next statement. */
  async waitForCancellation(): Promise<void> {
    while (this.#cancelling !== undefined) await this.#cancelling
  }

  /** Cancels the running statement; later statements are executed. */
  cancel(): void {
    if (this.#open === 0 || this.broken || this.#cancelling !== undefined) return
    // If the cancellation fails, the statement ends at its time limit.
    this.#cancelling = this.#cancelQuery(this.#pid)
      .then(
        () => {},
        () => {},
      )
      .finally(() => void (this.#cancelling = undefined))
  }

  async all(sql: string, values: readonly Value[]): Promise<ReadRow[]> {
    return (await this.#query(sql, values)).rows
  }

  async first(sql: string, values: readonly Value[]): Promise<ReadRow | undefined> {
    return (await this.#query(sql, values)).rows[0]
  }

  async run(sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0
  }

  async exec(sql: string): Promise<void> {
    await this.#simple(sql)
  }

  /** @param also SQL expression to evaluate in the same round trip */
  async begin(also = 'null'): Promise<void> {
    // With the ID, the outcome can be queried if the response to the commit is lost.
    const results = await this.#simple(`begin; select txid_current()::text as id, ${also}`)
    const [, numbered] = results as unknown as [unknown, pg.QueryResult<{ id: string }>]
    this.transactionId = numbered.rows[0]!.id
  }

  async commit(): Promise<void> {
    await this.waitForCancellation()
    const { command } = await this.#simple('commit')
    // PostgreSQL's response if a statement that was not awaited has failed in the meantime.
    if (command === 'ROLLBACK') throw errors.STORE_TRANSACTION_FAILED()
  }

  async rollback(): Promise<void> {
    await this.waitForCancellation()
    await this.exec('rollback').catch(() => void (this.broken = true))
  }

  /** @throws StoreError STORE_UNAVAILABLE if the connection is lost */
  async #counted<T>(answer: Promise<T>): Promise<T> {
    this.#open++
    try {
      return await answer
    } catch (error) {
      if (error instanceof pg.DatabaseError || !this.broken) throw error
      throw connectionLost(error)
    } finally {
      this.#open--
    }
  }

  async end(): Promise<void> {
    await (this.#client as pg.Client).end()
  }

  #simple(sql: string): Promise<pg.QueryResult> {
    return this.#counted(this.#client.query(sql))
  }

  async #query(sql: string, values: readonly Value[]): Promise<pg.QueryResult<ReadRow>> {
    const name = this.#names.get(sql) ?? this.#name(sql)
    try {
      return await this.#counted(this.#client.query<ReadRow>({ name, text: sql, values: values as Value[] }))
    } catch (error) {
      if (isUnusable(error)) this.#names.delete(sql)
      throw error
    }
  }

  /** Returns a name under which the server prepares a statement; undefined if the maximum is reached. */
  #name(sql: string): string | undefined {
    if (this.#lastName >= MAX_PREPARED) return undefined
    const name = `s${++this.#lastName}`
    this.#names.set(sql, name)
    return name
  }
}

/**
 * Whether a prepared statement must be prepared again: its tables have changed (0A000), it does not exist (26000), or
 * it could not be prepared (class 42).
 */
function isUnusable(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code)
  return code === '0A000' || code === '26000' || code.startsWith('42')
}
