import { AsyncLocalStorage } from 'node:async_hooks'
import { OwnedList } from '../../../kernel/index.ts'
import type { Backend } from './backend.ts'
import { ChangeLog } from './changes/change-log.ts'
import { CountCache } from './count-cache.ts'
import { QueryCache } from './query-cache.ts'
import type { Statement } from './store.ts'
import type { Scope } from './transaction-scope.ts'

/** A listener at the end of transactions, and the tables whose writers must take the write turn for it. */
export interface BeforeCommit {
  readonly listener: (written: ReadonlySet<string>) => Promise<void>
  readonly concerns: (table: string) => boolean
}

/** State shared by the store of a site and the stores of its transactions. */
export class SharedStore {
  readonly backend: Backend
  readonly listeners = new OwnedList<(statement: Statement) => void>('statement listener')
  readonly afterTransaction = new OwnedList<() => void>('end of transactions listener')
  readonly beforeCommit = new OwnedList<BeforeCommit>('end of writes listener')
  /** The scope of the running code, so that queries through the outer store join its transaction. */
  readonly scopes = new AsyncLocalStorage<Scope>()
  readonly queries = new QueryCache()
  readonly changes: ChangeLog
  readonly counts: CountCache
  closing: Promise<void> | undefined

  /** @param storeTouched stores touched tags as a change */
  constructor(backend: Backend, storeTouched: (tags: readonly string[]) => Promise<void>) {
    this.backend = backend
    this.changes = new ChangeLog(backend.changes, () => this.scopes.getStore(), storeTouched)
    this.counts = new CountCache(this.changes)
  }
}
