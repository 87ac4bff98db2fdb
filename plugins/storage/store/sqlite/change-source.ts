import type { ChangeSource, ReadRow } from '../backend.ts'
import type { Change } from '../changes/change.ts'
import type { SqliteConnection } from './connection.ts'

/** Rows that `take` returns; if there are more, it returns `all`. */
const MAX_ROWS = 10_000

/** Detects changes of other processes by SQLite's `data_version`, which is read once per turn of the event loop. */
export class SqliteChangeSource implements ChangeSource {
  readonly token = ''
  readonly #stateOfOthers: () => string | null
  readonly #reader: () => SqliteConnection
  readonly #onOthers: () => void
  /** The state of other processes at the last check; undefined before the first. */
  #seenState: string | undefined
  #last = 0
  /** Identity of the change `#last` (`markOf`), or null. */
  #mark: string | null = null
  /** The latest change of this process, known without a check. */
  #own: Change | null = null
  /** The latest row that another program has staged and not collected. */
  #lastStagedRow = 0

  /**
   * @param stateOfOthers returns a text that changes when another process commits; null if it cannot be read
   * @param onOthers called when another process has changed something
   */
  constructor(stateOfOthers: () => string | null, reader: () => SqliteConnection, onOthers: () => void) {
    this.#stateOfOthers = stateOfOthers
    this.#reader = reader
    this.#onOthers = onOthers
  }

  readNew(): readonly ReadRow[] | 'all' | 'restored' | null {
    const state = this.#stateOfOthers()
    if (state === null) return null
    if (state === this.#seenState) return NONE
    try {
      const rows = this.#readChanges()
      this.#seenState = state
      return rows
    } catch {
      // The file is locked for a moment.
      return null
    }
  }

  committed(change: Change): void {
    this.#own = change
  }

  #readChanges(): readonly ReadRow[] | 'all' | 'restored' {
    const reader = this.#reader()
    const left = Number(reader.first('select max(id) as id from changing', [])?.['id'] ?? 0)
    const isLeft = left > this.#lastStagedRow
    this.#lastStagedRow = left
    if (this.#seenState === undefined) {
      this.#setLast(latestIn(reader))
      return NONE
    }
    this.#onOthers()
    // Includes the latest known change: it differs if a backup was restored into the file.
    const rows = reader.all(`select * from changes where id >= ? order by id limit ${MAX_ROWS + 2}`, [this.#last])
    const latestKnown = this.#mark === null ? undefined : rows.shift()
    if (this.#mark !== markOf(latestKnown) || !this.#hasOwn(reader)) {
      this.#own = null
      this.#setLast(latestIn(reader))
      return 'restored'
    }
    if (rows.length > 0) this.#setLast(rows.at(-1))
    if (rows.length <= MAX_ROWS && !isLeft) return rows
    this.#setLast(latestIn(reader))
    return 'all'
  }

  /**
   * Whether the latest change of this process still exists. True without a query if it is older than the last check.
   */
  #hasOwn(reader: SqliteConnection): boolean {
    if (this.#own === null || this.#own.id <= this.#last) return true
    const row = reader.first('select * from changes where id = ?', [this.#own.id])
    return markOf(row) === markOf(this.#own)
  }

  #setLast(row: ReadRow | undefined): void {
    this.#last = Number(row?.['id'] ?? 0)
    this.#mark = markOf(row)
  }
}

const latestIn = (reader: SqliteConnection) => reader.first('select * from changes order by id desc limit 1', [])

/** Identifies a change, also if the restored database uses the same number for another one. */
function markOf(row: ReadRow | Change | undefined): string | null {
  if (row === undefined) return null
  const { id, time, kind, object } = row as Record<string, unknown>
  return [id, time, kind, object].join(' ')
}

const NONE: readonly ReadRow[] = []
