import { randomUUID } from 'node:crypto'
import type { ChangeSource, ReadRow } from '../backend.ts'
import { CHANNEL } from '../changes/collect.ts'
import type { PostgresConnection } from './connection.ts'

/** Milliseconds between two looks at whether the connection is still there, for which it may be silent, too. */
const BEAT = 1000
/** Milliseconds until the next attempt to connect. */
const RETRY = 1000
/** Rows that are told one by one. */
const MOST_ROWS = 10_000

/**
 * Hears of changes over a connection that listens. While it is away, or does not answer, nobody knows what others do; once
 * it is back, it looks at what was missed.
 */
export class PostgresChangeSource implements ChangeSource {
  readonly token: string = randomUUID()
  readonly #connect: () => Promise<PostgresConnection>
  #connection: PostgresConnection | null = null
  #started = false
  #closed = false
  #timer: NodeJS.Timeout | undefined
  /** The latest change that was taken note of; null before the first look. */
  #last: number | null = null
  #rows: ReadRow[] = []
  #missed = false
  /** Whether what others have committed is known, or about to be. */
  #hears = false
  #looking: Promise<void> | null = null
  #lookAgain = false

  /** @param connect opens a connection outside of every pool */
  constructor(connect: () => Promise<PostgresConnection>) {
    this.#connect = connect
  }

  take(): readonly ReadRow[] | 'all' | null {
    if (!this.#started) this.#start()
    if (!this.#hears) return null
    if (this.#missed) {
      this.#missed = false
      this.#rows = []
      return 'all'
    }
    if (this.#rows.length === 0) return NONE
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#connection?.end().catch(() => {})
  }

  #start(): void {
    this.#started = true
    void this.#open()
  }

  async #open(): Promise<void> {
    if (this.#closed) return
    try {
      const connection = await this.#connect()
      if (this.#closed) return await connection.end()
      this.#connection = connection
      connection.onEnd(() => this.#lost(connection))
      connection.onNotification((payload) => this.#heard(connection, payload))
      await connection.exec(`listen ${CHANNEL}`)
      await this.#look(connection)
      this.#hears = this.#connection === connection
      this.#beat(connection)
    } catch {
      if (this.#connection === null) this.#again()
      else this.#lost(this.#connection)
    }
  }

  #lost(connection: PostgresConnection): void {
    if (this.#connection !== connection) return
    this.#connection = null
    this.#hears = false
    clearTimeout(this.#timer)
    this.#again()
  }

  #again(): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#open(), RETRY).unref()
  }

  /** Asks the server from time to time: a connection that was cut somewhere on the way says nothing by itself. */
  #beat(connection: PostgresConnection): void {
    this.#timer = setTimeout(() => {
      const silent = setTimeout(() => {
        this.#hears = false
        void connection.end().catch(() => {})
        this.#lost(connection)
      }, BEAT).unref()
      connection.first('select 1 as one', []).then(
        () => {
          clearTimeout(silent)
          if (this.#connection === connection) this.#beat(connection)
        },
        () => clearTimeout(silent),
      )
    }, BEAT).unref()
  }

  /** Looks at what is new, unless it is this process's own and follows what is known. */
  #heard(connection: PostgresConnection, payload: string): void {
    const [token, first, last] = payload.split(' ')
    if (token === this.token && this.#looking === null && Number(first) - 1 === this.#last) this.#last = Number(last)
    else void this.#look(connection)
  }

  /** Reads what is new; once more where somebody says meanwhile that there is more. */
  #look(connection: PostgresConnection): Promise<void> {
    if (this.#looking !== null) {
      this.#lookAgain = true
      return this.#looking
    }
    this.#looking = (async () => {
      try {
        do {
          this.#lookAgain = false
          await this.#read(connection)
        } while (this.#lookAgain)
      } catch {
        this.#lost(connection)
      } finally {
        this.#looking = null
      }
    })()
    return this.#looking
  }

  async #read(connection: PostgresConnection): Promise<void> {
    if (this.#last === null) {
      const latest = await connection.first('select coalesce(max(id), 0) as id from changes', [])
      this.#last = Number(latest?.['id'])
      return
    }
    const rows = await connection.all(`select * from changes where id > $1 order by id limit ${MOST_ROWS + 1}`, [
      this.#last,
    ])
    if (rows.length === 0) return
    // Old ones may have been removed while the connection was away.
    if (rows.length > MOST_ROWS || (!this.#hears && Number(rows[0]!['id']) !== this.#last + 1)) {
      this.#missed = true
      const latest = await connection.first('select max(id) as id from changes', [])
      this.#last = Number(latest?.['id'])
    } else {
      this.#rows.push(...rows)
      this.#last = Number(rows.at(-1)!['id'])
    }
    if (this.#rows.length > MOST_ROWS) {
      this.#rows = []
      this.#missed = true
    }
  }
}

const NONE: readonly ReadRow[] = []
