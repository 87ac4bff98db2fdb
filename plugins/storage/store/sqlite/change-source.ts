import type { ChangeSource, ReadRow } from '../backend.ts'
import type { SqliteConnection } from './connection.ts'

/** Rows that are told one by one. */
const MOST_ROWS = 10_000

/** Hears of changes by the number that SQLite gives to what others have committed, looked at once a turn. */
export class SqliteChangeSource implements ChangeSource {
  readonly token = ''
  readonly #stateOfOthers: () => string | null
  readonly #reader: () => SqliteConnection
  readonly #onOthers: () => void
  /** What others had committed at the last look; undefined before the first one. */
  #seen: string | undefined
  #last = 0
  /** The latest row that a program which is none of ours has staged and left. */
  #left = 0

  /**
   * @param stateOfOthers is another text once another process has committed something; null where that cannot be told
   * @param onOthers is told that another process has changed something
   */
  constructor(stateOfOthers: () => string | null, reader: () => SqliteConnection, onOthers: () => void) {
    this.#stateOfOthers = stateOfOthers
    this.#reader = reader
    this.#onOthers = onOthers
  }

  take(): readonly ReadRow[] | 'all' | null {
    const state = this.#stateOfOthers()
    if (state === null) return null
    if (state === this.#seen) return NONE
    try {
      const rows = this.#look()
      this.#seen = state
      return rows
    } catch {
      // The file is locked for a moment.
      return null
    }
  }

  #look(): readonly ReadRow[] | 'all' {
    const reader = this.#reader()
    const number = (sql: string) => Number(reader.first(sql, [])?.['id'] ?? 0)
    if (this.#seen === undefined) {
      this.#last = number('select max(id) as id from changes')
      this.#left = number('select max(id) as id from changing')
      return NONE
    }
    this.#onOthers()
    const rows = reader.all(`select * from changes where id > ? order by id limit ${MOST_ROWS + 1}`, [this.#last])
    const left = number('select max(id) as id from changing')
    const isLeft = left > this.#left
    this.#left = left
    if (rows.length > 0) this.#last = Number(rows.at(-1)!['id'])
    if (rows.length <= MOST_ROWS && !isLeft) return rows
    this.#last = number('select max(id) as id from changes')
    return 'all'
  }
}

const NONE: readonly ReadRow[] = []
