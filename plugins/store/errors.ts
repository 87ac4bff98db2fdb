/** What can go wrong in the store, apart from the database's own errors about a statement. */
export type StoreErrorCode =
  /** The address names no database that is known. */
  | 'STORE_ADDRESS_INVALID'
  /** A newer release of the program has changed the database; this one would not understand it. */
  | 'STORE_NEWER'
  /** Another process kept the SQLite file locked for too long. */
  | 'STORE_BUSY'
  /** A query has a parameter that no column holds: undefined, NaN, a list, an object. */
  | 'STORE_PARAMETER_INVALID'
  /** A statement follows one that failed in the same transaction; `cause` is the failure. */
  | 'STORE_TRANSACTION_FAILED'
  /** The store of a transaction is used after its end. */
  | 'STORE_TRANSACTION_OVER'
  /** The store is closed, or to be closed from within a transaction. */
  | 'STORE_CLOSED'

/** An error of the store itself. */
export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
  }
}

// SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY (https://sqlite.org/rescode.html), unique_violation
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const uniqueViolations: readonly unknown[] = [2067, 1555, '23505']

// SQLITE_CONSTRAINT_FOREIGNKEY, foreign_key_violation.
const foreignKeyViolations: readonly unknown[] = [787, '23503']

/** Whether a statement failed because a row that it names is not there, in either dialect. */
export function isForeignKeyViolation(error: unknown): boolean {
  return isOneOf(error, foreignKeyViolations)
}

/** Whether a statement failed because a row with the same unique value exists, in either dialect. */
export function isUniqueViolation(error: unknown): boolean {
  return isOneOf(error, uniqueViolations)
}

function isOneOf(error: unknown, codes: readonly unknown[]): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  return codes.includes(errcode ?? code)
}
