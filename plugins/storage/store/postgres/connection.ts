import type { Writable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { errors, type StoreError } from '../errors.ts'
import type { Connection, ReadRow } from '../backend.ts'
import type { Value } from '../parameters.ts'

const statementLimit = 300

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

/** What `pg` has behind its interface. */
interface ConnectedClient {
  readonly connection: {
    /** The SQL of prepared statements, for as long as the connection lives unless it is removed. */
    readonly parsedStatements: Record<string, string>
    readonly stream: Writable
  }
}

/** A connection to PostgreSQL, which may be given statements before it has answered earlier ones. */
export class PostgresConnection implements Connection {
  /** Whether the connection was lost, or a transaction could not be ended on it. */
  broken = false
  /** The server's number of the transaction begun last. */
  transactionId = ''
  readonly #client: pg.ClientBase
  /** The name of each prepared statement by its SQL. */
  readonly #names = new LRUCache<string, string>({
    max: statementLimit,
    dispose: (name) => this.#forget(name),
  })
  readonly #cancel: (process: number) => Promise<void>
  #lastName = 0
  /** How many statements are not answered yet. */
  #open = 0
  #cancelling: Promise<void> | undefined
  #gathering = false

  /** @param cancel has the server stop what one of its processes executes, and resolves once that one has been told */
  constructor(client: pg.ClientBase, cancel: (process: number) => Promise<void>) {
    this.#client = client
    this.#cancel = cancel
    const broke = () => void (this.broken = true)
    client.on('error', broke)
    client.on('end', broke)
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

  /** Resolves once no cancellation is on its way, which would meet the statement that is executed then. */
  async settled(): Promise<void> {
    while (this.#cancelling !== undefined) await this.#cancelling
  }

  /** Has the server stop the statement that it executes, which fails then; others behind it are executed. */
  cancel(): void {
    const { processID } = this.#client as unknown as { processID: number | null }
    if (this.#open === 0 || this.broken || this.#cancelling !== undefined || processID === null) return
    // Where it cannot be told, the statement ends by its own time limit.
    this.#cancelling = this.#cancel(processID)
      .catch(() => {})
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
    this.#gather()
    return this.#counted(this.#client.query(sql))
  }

  /** Lets all that is asked for in one go be sent in one piece: each costs the process, and wakes the server. */
  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    const { stream } = (this.#client as unknown as ConnectedClient).connection
    stream.cork()
    process.nextTick(() => {
      this.#gathering = false
      stream.uncork()
    })
  }

  async #query(sql: string, values: readonly Value[]): Promise<pg.QueryResult<ReadRow>> {
    const name = this.#names.get(sql) ?? this.#name(sql)
    this.#gather()
    try {
      return await this.#counted(this.#client.query<ReadRow>({ name, text: sql, values: values as Value[] }))
    } catch (error) {
      if (isUnusable(error)) this.#names.delete(sql)
      throw error
    }
  }

  #name(sql: string): string {
    const name = `s${++this.#lastName}`
    this.#names.set(sql, name)
    return name
  }

  /** Lets the server and the client forget a prepared statement; those before it in the pipeline still have it. */
  #forget(name: string): void {
    const { parsedStatements } = (this.#client as unknown as ConnectedClient).connection
    const forget = () => delete parsedStatements[name]
    void this.#client.query(`deallocate ${name}`).then(forget, forget)
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
