import { Semaphore } from '../../library/long-work/index.ts'
import type { Connection } from './backend.ts'
import { errors, tooMany, type StoreError } from './errors.ts'

/** An open transaction, or a savepoint in one. */
export interface Scope {
  readonly connection: Connection
  readonly parent: Scope | undefined
  /** The savepoints directly in it, which cannot overlap. */
  readonly nested: Semaphore
  /**
   * What all scopes of one transaction share: the failure that spoils it, the number of its last savepoint, the tables that
   * it has written, perhaps, and the tags that plugins have touched; null before the first.
   */
  readonly shared: {
    failure: Error | undefined
    savepoints: number
    written: Set<string> | null
    touched: Set<string> | null
  }
  /** Whether others who write in turn wait: what is taken back of a savepoint gives the turn back as well. */
  hasTurn: boolean
  over: boolean
}

/** A scope for a connection whose transaction, or savepoint, has begun. */
export function createScope(connection: Connection, parent?: Scope): Scope {
  const shared = parent?.shared ?? { failure: undefined, savepoints: 0, written: null, touched: null }
  return { connection, parent, shared, nested: new Semaphore(1, Infinity, tooMany), hasTurn: false, over: false }
}

/**
 * The innermost open scope that a caller is in, provided it belongs to its store; otherwise that store's own.
 * @param running the scope that the running code is in
 * @throws StoreError STORE_TRANSACTION_OVER when the store's own has ended
 */
export function currentScope(running: Scope | undefined, own: Scope | undefined): Scope | undefined {
  let scope = running
  while (scope?.over) scope = scope.parent
  for (let outer = scope; outer && own; outer = outer.parent) if (outer === own) return scope
  if (own?.over) throw transactionOver()
  return own ?? scope
}

/** Whether a scope, or one around it, has its turn to write. */
export function hasTurn(scope: Scope | undefined): boolean {
  return scope !== undefined && (scope.hasTurn || hasTurn(scope.parent))
}

/** Admits nothing new to the scope and waits for savepoints that its work did not wait for. */
export async function endScope(scope: Scope): Promise<void> {
  scope.over = true
  while (!scope.nested.idle) await scope.nested.run(() => {})
}

/** Executes SQL that nobody waits for: what is executed after it does, and tells of its failure. */
export function execAhead({ connection, shared }: Scope, sql: string): void {
  const executed = async () => connection.exec(sql)
  executed().catch((failure: Error) => (shared.failure ??= failure))
}

/** @throws StoreError STORE_TRANSACTION_FAILED after a statement that failed */
export function assertSound({ shared: { failure } }: Scope): void {
  if (!failure) return
  throw errors.STORE_TRANSACTION_FAILED({ cause: failure })
}

/** The error for who uses the store of a transaction after its end. */
export function transactionOver(): StoreError {
  return errors.STORE_TRANSACTION_OVER()
}
