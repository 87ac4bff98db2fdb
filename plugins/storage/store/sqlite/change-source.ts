import type { ChangeSource, ReadRow } from '../backend.ts'
import type { Change } from '../changes/change.ts'
import type { SqliteConnection } from './connection.ts'

/** Rows that `take` returns one by one. */
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
  /** That change, as `markOf` has it; null for none. */
  #mark: string | null = null
  /** The latest change of this process, whose number is known without a look. */
  #own: Change | null = null
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

  take(): readonly ReadRow[] | 'all' | 'restored' | null {
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

  committed(change: Change): void {
    this.#own = change
  }

  #look(): readonly ReadRow[] | 'all' | 'restored' {
    const reader = this.#reader()
    const left = Number(reader.first('select max(id) as id from changing', [])?.['id'] ?? 0)
    const isLeft = left > this.#left
    this.#left = left
    if (this.#seen === undefined) {
      this.#goTo(latestIn(reader))
      return NONE
    }
    this.#onOthers()
    // From the latest known one on: it is another where a backup was restored into the file.
    const rows = reader.all(`select * from changes where id >= ? order by id limit ${MOST_ROWS + 2}`, [this.#last])
    const known = this.#mark === null ? undefined : rows.shift()
    if (this.#mark !== markOf(known) || !this.#hasOwn(reader)) {
      this.#own = null
      this.#goTo(latestIn(reader))
      return 'restored'
    }
    if (rows.length > 0) this.#goTo(rows.at(-1))
    if (rows.length <= MOST_ROWS && !isLeft) return rows
    this.#goTo(latestIn(reader))
    return 'all'
  }

  /** Whether the latest change of this process is still there, unless it is so old that it was looked at. */
  #hasOwn(reader: SqliteConnection): boolean {
    if (this.#own === null || this.#own.id <= this.#last) return true
    const row = reader.first('select * from changes where id = ?', [this.#own.id])
    return markOf(row) === markOf(this.#own)
  }

  #goTo(row: ReadRow | undefined): void {
    this.#last = Number(row?.['id'] ?? 0)
    this.#mark = markOf(row)
  }
}

const latestIn = (reader: SqliteConnection) => reader.first('select * from changes order by id desc limit 1', [])

/** Identifies a change, also among changes that had the same number before the database was restored. */
function markOf(row: ReadRow | Change | undefined): string | null {
  if (row === undefined) return null
  const { id, time, kind, object } = row as Record<string, unknown>
  return [id, time, kind, object].join(' ')
}

const NONE: readonly ReadRow[] = []
