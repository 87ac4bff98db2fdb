import type { WaitOptions } from '../../../../kernel/index.ts'
import type { SlowSql } from '../slow-sql.ts'
import type { PostgresConnection } from './connection.ts'

/** Milliseconds without a result after which a read counts as slow. */
export const slowTime = 100

type Act = (connection: PostgresConnection) => unknown

/** A read under way. */
export interface Read {
  readonly sql: string
  readonly act: Act
  readonly patience: WaitOptions
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  /** Its caller has the result, or wants none any more. */
  settled: boolean
  /** Where it was sent last. */
  lane: Lane | undefined
  /** Makes room for another one to be sent; until it is sent, nothing. */
  leave: () => void
  /** Whether it may fail because another read was cancelled. */
  endangered: boolean
  attempts: number
}

/** One pipelined connection, made when it is needed and made anew when it broke. */
export class Lane {
  /** Whether a slow read is executed, among others. */
  stalled = false
  /** Whether the lane is a slow read's own. */
  alone = false
  readonly #connect: () => Promise<PostgresConnection>
  #connection: Promise<PostgresConnection> | undefined
  #connected: PostgresConnection | undefined
  readonly #reads = new Set<Read>()
  /** The first of them, and since when it is. */
  #first: { read: Read; since: number } | undefined
  #cancelling = false

  constructor(connect: () => Promise<PostgresConnection>) {
    this.#connect = connect
  }

  /** Those that are under way, in the order in which the server executes them. */
  get reads(): Iterable<Read> {
    return this.#reads
  }

  /** How many reads are under way. */
  get load(): number {
    return this.#reads.size
  }

  /** Whether what is sent is answered soon. */
  get open(): boolean {
    return !this.stalled && !this.alone && !this.#cancelling
  }

  async execute(read: Read, alone: boolean): Promise<unknown> {
    this.#reads.add(read)
    if (this.#cancelling) read.endangered = true
    if (alone) this.alone = true
    try {
      const connection = await (this.#connection ??= this.#made())
      return read.settled ? undefined : await read.act(connection)
    } finally {
      this.#reads.delete(read)
      if (alone) this.alone = false
    }
  }

  /**
   * Finds out whether a slow read is executed; to be called at intervals.
   * @param known the SQL that is known to be slow
   * @returns the read that was found to be slow
   */
  look(known: SlowSql): Read | undefined {
    const [read] = this.#reads
    const now = performance.now()
    if (read !== this.#first?.read) this.#first = read && { read, since: now }
    // A connection that is being made tells nothing about a statement.
    const slow = read !== undefined && this.#connected !== undefined && now - this.#first!.since >= slowTime
    this.stalled = slow || (read !== undefined && known.has(read.sql))
    return slow ? read : undefined
  }

  /** Has the server stop a read that takes long, or is alone, and whose caller has gone. */
  cancelUnwanted(): void {
    const [read] = this.#reads
    if (read?.settled === true && (this.stalled || this.alone)) this.cancel()
  }

  /** Has the server stop the first read. Where its caller still waits, it is sent again, as all that this may have met. */
  cancel(): void {
    const connection = this.#connected
    if (this.#cancelling || connection === undefined) return
    // Should the first one end in this moment, the next one is met.
    for (const read of this.#reads) read.endangered = true
    this.#cancelling = true
    connection.cancel()
    void connection.settled().then(() => (this.#cancelling = false))
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.end()
  }

  #made(): Promise<PostgresConnection> {
    const forget = () => {
      this.#connection = undefined
      this.#connected = undefined
    }
    const connecting = this.#connect()
    connecting.then((connection) => {
      connection.onEnd(forget)
      this.#connected = connection
    }, forget)
    return connecting
  }
}
