import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { ReadRow } from '../backend.ts'
import type { Value } from '../parameters.ts'

const statementLimit = 500

/** What every connection is told first. Even this may find the file locked, by a process that starts at the same time. */
export const COMMON = 'pragma cache_size = -16000; pragma temp_store = memory; pragma journal_size_limit = 67108864'

/** The rows of a statement, as they go from one thread to another. */
export interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SQLOutputValue[])[]
}

interface CachedStatement {
  readonly statement: StatementSync
  columns: string[]
}

/** A connection to a SQLite database, as far as it reads. Threads that only read load nothing else. */
export class SqliteReader {
  protected readonly database: DatabaseSync
  readonly #reads = new LRUCache<string, CachedStatement>({ max: statementLimit })

  constructor(path: string, { readOnly = false } = {}) {
    // While SQLite itself waits for a lock nothing else runs in this thread, so whenFree() does the waiting.
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
    // A write is carried through to its end, which get() would not wait for.
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
  // `select *` gets more columns when another process migrates the database.
  if (rows.length > 0 && rows[0]!.length !== cached.columns.length) cached.columns = columnNames(cached.statement)
  return { columns: cached.columns, rows }
}

export function toObjects({ columns, rows }: Rows): ReadRow[] {
  if (rows.length === 0) return []
  const key = columns.join()
  let toObject = makers.get(key)
  if (toObject === undefined) makers.set(key, (toObject = makerOf(columns)))
  return rows.map(toObject)
}

type RowMaker = (row: readonly SQLOutputValue[]) => ReadRow

/** What makes objects of rows, by the names of their columns. */
const makers = new LRUCache<string, RowMaker>({ max: statementLimit })

/** Compiled: a list has hundreds of values, and to set properties by names that are not known takes ten times as long. */
function makerOf(columns: readonly string[]): RowMaker {
  const properties = columns.map((name, index) => `${JSON.stringify(name)}: row[${index}]`)
  // oxlint-disable-next-line typescript/no-implied-eval -- the names are those of columns, and are quoted
  return new Function('row', `return { ${properties.join(', ')} }`) as RowMaker
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map((column) => column.name)
}

/** Converts values for node:sqlite. It binds a number as REAL, which a text column would store as `5.0`, so integers become bigints. */
export function bindings(values: readonly Value[]): (string | number | bigint | null)[] {
  const bound: (string | number | bigint | null)[] = []
  for (const value of values) bound.push(Number.isSafeInteger(value) ? BigInt(value as number) : value)
  return bound
}

/** Takes the case from letters as the text index does, where a sigma at the end of a word is like any other. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}
