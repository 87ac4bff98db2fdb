import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { ReadRow } from '../backend.ts'
import type { Value } from '../parameters.ts'

const MAX_STATEMENTS = 500

/** First statements of each connection. Another process that starts at the same time may have locked the file. */
export const COMMON = 'pragma cache_size = -16000; pragma temp_store = memory; pragma journal_size_limit = 67108864'

/** The rows of a statement, in the form that threads exchange. */
export interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SQLOutputValue[])[]
}

interface CachedStatement {
  readonly statement: StatementSync
  columns: string[]
}

/**
 * A connection that reads from a SQLite database. Separate from `SqliteConnection`, so that reading threads load little
 * code.
 */
export class SqliteReader {
  protected readonly database: DatabaseSync
  readonly #reads = new LRUCache<string, CachedStatement>({ max: MAX_STATEMENTS })

  constructor(path: string, { readOnly = false } = {}) {
    // A short timeout: SQLite's own wait for a lock blocks the thread, so `retryWhileBusy` waits instead.
    this.database = new DatabaseSync(path, { readOnly, timeout: 5, enableForeignKeyConstraints: true })
    this.database.function('text_contains', { deterministic: true }, (text, folded) =>
      Number(typeof text === 'string' && fold(text).includes(String(folded))),
    )
  }

  rows(sql: string, values: readonly Value[]): Rows {
    const cached = this.#prepare(sql)
    return rowsOf(cached, cached.statement.all(...bindings(values)) as unknown as SQLOutputValue[][])
  }

  firstRow(sql: string, values: readonly Value[]): Rows {
    // get() would stop after the first row; a write must run to its end.
    if (!/^\s*select\b/i.test(sql)) return this.rows(sql, values)
    const cached = this.#prepare(sql)
    const row = cached.statement.get(...bindings(values)) as unknown as SQLOutputValue[] | undefined
    return rowsOf(cached, row === undefined ? [] : [row])
  }

  exec(sql: string): void {
    this.database.exec(sql)
  }

  close(): void {
    this.#reads.clear()
    this.database.close()
  }

  #prepare(sql: string): CachedStatement {
    let cached = this.#reads.get(sql)
    if (!cached) {
      const statement = this.database.prepare(sql)
      // Arrays, because the objects of node:sqlite have no prototype and are slower to read.
      statement.setReturnArrays(true)
      cached = { statement, columns: columnNames(statement) }
      this.#reads.set(sql, cached)
    }
    return cached
  }
}

function rowsOf(cached: CachedStatement, rows: SQLOutputValue[][]): Rows {
  // `select *` returns more columns after another process has migrated the database.
  if (rows.length > 0 && rows[0]!.length !== cached.columns.length) cached.columns = columnNames(cached.statement)
  return { columns: cached.columns, rows }
}

export function toObjects({ columns, rows }: Rows): ReadRow[] {
  if (rows.length === 0) return []
  const key = columns.join()
  let toObject = converters.get(key)
  if (toObject === undefined) converters.set(key, (toObject = compileConverter(columns)))
  return rows.map(toObject)
}

type RowConverter = (row: readonly SQLOutputValue[]) => ReadRow

/** Compiled functions that convert rows to objects, by column names. */
const converters = new LRUCache<string, RowConverter>({ max: MAX_STATEMENTS })

/** Compiled, because a list has hundreds of values and setting properties by dynamic names takes ten times as long. */
function compileConverter(columns: readonly string[]): RowConverter {
  const properties = columns.map((name, index) => `${JSON.stringify(name)}: row[${index}]`)
  // oxlint-disable-next-line typescript/no-implied-eval -- quoted column names only
  return new Function('row', `return { ${properties.join(', ')} }`) as RowConverter
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map((column) => column.name)
}

/**
 * Converts values for node:sqlite, which binds numbers as REAL: a text column would store `5.0`. Integers therefore
 * become bigints.
 */
export function bindings(values: readonly Value[]): (string | number | bigint | null)[] {
  const bound: (string | number | bigint | null)[] = []
  for (const value of values) bound.push(Number.isSafeInteger(value) ? BigInt(value as number) : value)
  return bound
}

/** Folds case like the text index, which treats a final sigma like any other sigma. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}
