import { Semaphore } from '../../library/long-work/index.ts'
import type { Connection } from './backend.ts'
import { errors, queueFullError, type StoreError } from './errors.ts'

/** An open transaction, or a savepoint in one. */
export interface Scope {
  readonly connection: Connection
  readonly parent: Scope | undefined
  /** Runs the direct savepoints one at a time. */
  readonly nested: Semaphore
  /**
   * State shared by all scopes of a transaction: the failure that invalidates it, the number of the last savepoint, the
   * tables it has written and the tags that plugins have touched; both null until the first.
   */
  readonly shared: {
    failure: Error | undefined
    savepoints: number
    written: Set<string> | null
    touched: Set<string> | null
  }
  /** Whether the scope has the write turn. Rolling back a savepoint gives up a write turn that was taken in it. */
  hasTurn: boolean
  over: boolean
}

/** Creates the scope of a transaction or savepoint that has begun. */
export function createScope(connection: Connection, parent?: Scope): Scope {
  const shared = parent?.shared ?? { failure: undefined, savepoints: 0, written: null, touched: null }
  return { connection, parent, shared, nested: new Semaphore(1, Infinity, queueFullError), hasTurn: false, over: false }
}

/**
 * Returns the innermost open scope of the running code if it lies within the store's own scope; otherwise the store's
 * own scope.
 * @param running the scope of the running code
 * @throws StoreError STORE_TRANSACTION_OVER if the store's own scope has ended
 */
export function currentScope(running: Scope | undefined, own: Scope | undefined): Scope | undefined {
  let scope = running
  while (scope?.over) scope = scope.parent
  for (let outer = scope; outer && own; outer = outer.parent) if (outer === own) return scope
  if (own?.over) throw transactionOver()
  return own ?? scope
}

/** Whether the scope, or one around it, has the write turn. */
export function hasTurn(scope: Scope | undefined): boolean {
  return scope !== undefined && (scope.hasTurn || hasTurn(scope.parent))
}

/** Closes the scope to new work and waits for savepoints that its work did not await. */
export async function endScope(scope: Scope): Promise<void> {
  scope.over = true
  while (!scope.nested.idle) await scope.nested.run(() => {})
}

/** Executes SQL without waiting. Later statements wait for it on the connection, and report its failure. */
export function execAhead({ connection, shared }: Scope, sql: string): void {
  const executed = async () => connection.exec(sql)
  executed().catch((failure: Error) => (shared.failure ??= failure))
}

/** @throws StoreError STORE_TRANSACTION_FAILED after a statement that failed */
export function assertSound({ shared: { failure } }: Scope): void {
  if (!failure) return
  throw errors.STORE_TRANSACTION_FAILED({ cause: failure })
}

/** Returns the error for a store of a transaction that has ended. */
export function transactionOver(): StoreError {
  return errors.STORE_TRANSACTION_OVER()
}
