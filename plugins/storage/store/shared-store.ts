import { AsyncLocalStorage } from 'node:async_hooks'
import { isThenable, OwnedList, type Awaitable } from '../../../kernel/index.ts'
import type { Backend, Executor, ReadRow } from './backend.ts'
import { ChangeLog } from './changes/change-log.ts'
import { CountCache } from './count-cache.ts'
import type { Value } from './parameters.ts'
import { QueryCache } from './query-cache.ts'
import type { Statement } from './store.ts'
import type { StoredNames } from './stored-names.ts'
import type { Scope } from './transaction-scope.ts'

/** A listener at the end of transactions, and the tables whose writers must take the write turn for it. */
export interface BeforeCommit {
  readonly listener: (written: ReadonlySet<string>) => Promise<void>
  readonly concerns: (table: string) => boolean
}

/** Executes a statement. */
export type Act<R> = (executor: Executor, sql: string, values: readonly Value[]) => Awaitable<R>

/** State shared by the store of a site and the stores of its transactions. */
export class SharedStore {
  readonly backend: Backend
  readonly names: StoredNames
  readonly listeners = new OwnedList<(statement: Statement) => void>('statement listener')
  readonly afterTransaction = new OwnedList<() => void>('end of transactions listener')
  readonly beforeCommit = new OwnedList<BeforeCommit>('end of writes listener')
  /** The scope of the running code, so that queries through the outer store join its transaction. */
  readonly scopes = new AsyncLocalStorage<Scope>()
  readonly queries: QueryCache
  /** Reads all rows of a statement, and converts the stored names in them. */
  readonly readAll: Act<ReadRow[]> = (executor, sql, values) => {
    const rows = executor.all(sql, values)
    return isThenable(rows) ? rows.then((all) => this.names.convertRows(all)) : this.names.convertRows(rows)
  }
  /** Reads the first row of a statement, and converts the stored names in it. */
  readonly readFirst: Act<ReadRow | undefined> = (executor, sql, values) => {
    const row = executor.first(sql, values)
    return isThenable(row) ? row.then((one) => this.names.convertRow(one)) : this.names.convertRow(row)
  }
  readonly changes: ChangeLog
  readonly counts: CountCache
  closing: Promise<void> | undefined

  /** @param storeTouched stores touched tags as a change */
  constructor(backend: Backend, names: StoredNames, storeTouched: (tags: readonly string[]) => Promise<void>) {
    this.backend = backend
    this.names = names
    this.queries = new QueryCache(backend.db, names)
    this.changes = new ChangeLog(backend.changes, names, () => this.scopes.getStore(), storeTouched)
    this.counts = new CountCache(this.changes)
  }
}
