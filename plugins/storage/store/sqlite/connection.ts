import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Connection, ReadRow } from '../backend.ts'
import type { Value } from '../parameters.ts'
import { retryWhileBusy } from './busy.ts'
import type { DatabaseImage } from './memory-image.ts'
import { bindings, SqliteReader, toObjects } from './reader.ts'

const MAX_STATEMENTS = 500

export class SqliteConnection extends SqliteReader implements Connection {
  static #opened = 0
  readonly #number = ++SqliteConnection.#opened
  readonly #writes = new LRUCache<string, StatementSync>({ max: MAX_STATEMENTS })

  all(sql: string, values: readonly Value[]): ReadRow[] {
    return toObjects(this.rows(sql, values))
  }

  first(sql: string, values: readonly Value[]): ReadRow | undefined {
    return toObjects(this.firstRow(sql, values))[0]
  }

  run(sql: string, values: readonly Value[]): number {
    let statement = this.#writes.get(sql)
    if (!statement) {
      statement = this.database.prepare(sql)
      // As a number, `lastInsertRowid` of the text index, which run() also reports, would be out of range.
      statement.setReadBigInts(true)
      this.#writes.set(sql, statement)
    }
    return Number(statement.run(...bindings(values)).changes)
  }

  /** Whether this release of Node can serialize and deserialize databases. */
  static get hasImages(): boolean {
    return 'deserialize' in DatabaseSync.prototype
  }

  /** Returns the bytes of the database. */
  image(): DatabaseImage {
    return this.database.serialize()
  }

  /** Replaces the content of a database in memory. */
  loadImage(image: DatabaseImage): void {
    this.database.deserialize(image)
  }

  /** Returns the size of the database in bytes. */
  size(): number {
    const [pages, size] = ['page_count', 'page_size'].map((name) => Number(this.first(`pragma ${name}`, [])?.[name]))
    return pages! * size!
  }

  state(): string {
    // `data_version` counts per connection.
    return `${this.#number} ${String(this.first('pragma data_version', [])?.['data_version'])}`
  }

  async begin(): Promise<void> {
    await retryWhileBusy(() => this.exec('begin immediate'))
  }

  async commit(): Promise<void> {
    this.exec('commit')
  }

  /** Rolls the transaction back, unless SQLite has already done so, for example when the disk is full. */
  async rollback(): Promise<void> {
    if (this.database.isTransaction) this.exec('rollback')
  }

  override close(): void {
    this.#writes.clear()
    super.close()
  }
}
