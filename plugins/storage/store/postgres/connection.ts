import pg from 'pg'
import { errors, type StoreError } from '../errors.ts'
import type { Connection, ReadRow } from '../backend.ts'
import type { Value } from '../parameters.ts'

/** Statements that a connection prepares. It executes further ones unprepared, and is replaced when it is free. */
const MAX_PREPARED = 300

const lost = new WeakSet<Error>()

/** Whether an error says that the connection was lost: what became of the statement is not known. */
export function isConnectionLost(error: unknown): boolean {
  return lost.has(error as Error)
}

function connectionLost(cause: unknown): StoreError {
  const error = errors.STORE_UNAVAILABLE('the connection to it is lost', { cause })
  lost.add(error)
  return error
}

/** A connection to PostgreSQL, which sends statements before it has received the results of earlier ones. */
export class PostgresConnection implements Connection {
  /** Whether the connection was lost, or a transaction could not be ended on it. */
  broken = false
  /** The server's number of the transaction begun last. */
  transactionId = ''
  readonly #client: pg.ClientBase
  readonly #cancelQuery: (pid: number) => Promise<unknown>
  /** The process of the server that executes the statements; 0 before `prepare`. */
  #pid = 0
  /** The name of each prepared statement by its SQL. */
  readonly #names = new Map<string, string>()
  #lastName = 0
  /** How many statements have no result yet. */
  #open = 0
  #cancelling: Promise<void> | undefined

  /** @param cancelQuery cancels the statement that a process of the server executes, over another connection */
  constructor(client: pg.ClientBase, cancelQuery: (pid: number) => Promise<unknown>) {
    this.#client = client
    this.#cancelQuery = cancelQuery
    const broke = () => void (this.broken = true)
    client.on('error', broke)
    client.on('end', broke)
  }

  /** Executes the statements that set a new connection up. */
  async prepare(settings: string): Promise<void> {
    const results = await this.#simple(`${settings}; select pg_backend_pid() as pid`)
    this.#pid = (results as unknown as pg.QueryResult<{ pid: number }>[]).at(-1)!.rows[0]!.pid
  }

  /** Whether the connection must be closed rather than used again. */
  get isUsedUp(): boolean {
    return this.broken || this.#lastName >= MAX_PREPARED
  }

  /** Calls the listener when the connection is over. */
  onEnd(listener: () => void): void {
    this.#client.on('error', listener)
    this.#client.on('end', listener)
  }

  /** Calls the listener with what the server is told by others on what the connection listens to. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => listener(payload))
  }

  /** Resolves once no cancellation is in flight, which would stop the statement that is executed when it arrives. */
  async settled(): Promise<void> {
    while (this.#cancelling !== undefined) await this.#cancelling
  }

  /** Cancels the statement that the server executes; later ones are executed. */
  cancel(): void {
    if (this.#open === 0 || this.broken || this.#cancelling !== undefined) return
    // If this fails, the statement ends at its time limit.
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

  /** @param also SQL of a value that is asked for within it */
  async begin(also = 'null'): Promise<void> {
    // The number tells what became of the transaction, should the answer to the commit be lost.
    const begun = await this.#simple(`begin; select txid_current()::text as id, ${also}`)
    const [, numbered] = begun as unknown as [unknown, pg.QueryResult<{ id: string }>]
    this.transactionId = numbered.rows[0]!.id
  }

  async commit(): Promise<void> {
    await this.settled()
    const { command } = await this.#simple('commit')
    // The answer when a statement that nobody waited for has failed in the meantime.
    if (command === 'ROLLBACK') throw errors.STORE_TRANSACTION_FAILED()
  }

  async rollback(): Promise<void> {
    await this.settled()
    await this.exec('rollback').catch(() => void (this.broken = true))
  }

  /** @throws StoreError STORE_UNAVAILABLE where the connection is lost */
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

  /** Names a statement, so that the server prepares it; returns undefined when it has prepared as many as it may. */
  #name(sql: string): string | undefined {
    if (this.#lastName >= MAX_PREPARED) return undefined
    const name = `s${++this.#lastName}`
    this.#names.set(sql, name)
    return name
  }
}

/**
 * Whether a prepared statement is of no use any more: 0A000, the tables have changed since; 26000, it does not exist;
 * class 42, it could not be prepared.
 */
function isUnusable(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code)
  return code === '0A000' || code === '26000' || code.startsWith('42')
}
