import type { Outage } from '../../../kernel/index.ts'

/** What can go wrong in the store, apart from the database's own errors about a statement. */
export type StoreErrorCode =
  /** The URL names no known kind of database. */
  | 'STORE_ADDRESS_INVALID'
  /** A newer release of the program has changed the database; this one would not understand it. */
  | 'STORE_NEWER'
  /** The file of the database cannot be opened; `cause` says why. */
  | 'STORE_UNREADABLE'
  /** Another writer, or another process, kept the database locked for too long. Nothing was changed. */
  | 'STORE_BUSY'
  /** The database cannot be used at the moment: it is out of reach, overloaded or damaged; `cause` says why. */
  | 'STORE_UNAVAILABLE'
  /** There is no space left where the database is. */
  | 'STORE_FULL'
  /** The database went away while it committed, and cannot be asked what became of that; `cause` says why. */
  | 'STORE_UNCERTAIN'
  /** The file of the database was removed or replaced while it was open. */
  | 'STORE_LOST'
  /** A query has a parameter that no column holds: undefined, NaN, a list, an object. */
  | 'STORE_PARAMETER_INVALID'
  /** A statement follows one that failed in the same transaction; `cause` is the failure. */
  | 'STORE_TRANSACTION_FAILED'
  /** The store of a transaction is used after its end. */
  | 'STORE_TRANSACTION_OVER'
  /** The store is closed, or to be closed from within a transaction. */
  | 'STORE_CLOSED'

/** Those that say nothing about the statement: it may be tried again. */
const OUTAGES: Partial<Record<StoreErrorCode, Outage>> = {
  STORE_BUSY: 'unavailable',
  STORE_UNAVAILABLE: 'unavailable',
  STORE_UNCERTAIN: 'unavailable',
  STORE_LOST: 'unavailable',
  STORE_CLOSED: 'unavailable',
  STORE_FULL: 'full',
}

/** An error of the store itself. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  /** Why the database is out of order, so that the statement may be tried again; undefined when it is not. */
  readonly outage: Outage | undefined

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
    this.outage = OUTAGES[code]
  }
}

/** What those are told who find no place in a queue of the store, or wait too long for one. */
export function tooMany(): StoreError {
  return new StoreError('STORE_BUSY', 'Too many others wait for the database.')
}

/** Whether a commit, or a statement by itself, that failed has certainly changed nothing. */
export function isUndone(error: unknown): boolean {
  return !(error instanceof StoreError && (error.code === 'STORE_UNCERTAIN' || error.code === 'STORE_LOST'))
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

/** What SQLite's primary result codes mean for the site (https://sqlite.org/rescode.html). */
const SQLITE_TROUBLES: Readonly<Record<number, StoreErrorCode>> = {
  5: 'STORE_BUSY',
  6: 'STORE_BUSY',
  7: 'STORE_UNAVAILABLE', // out of memory
  8: 'STORE_UNAVAILABLE', // read-only
  10: 'STORE_UNAVAILABLE', // input or output failed
  11: 'STORE_UNAVAILABLE', // damaged
  13: 'STORE_FULL',
  14: 'STORE_UNAVAILABLE', // cannot open
  15: 'STORE_UNAVAILABLE', // locking protocol
  26: 'STORE_UNAVAILABLE', // no database
}

/** The same for PostgreSQL's error codes, or the classes they begin with. */
const POSTGRES_TROUBLES: Readonly<Record<string, StoreErrorCode>> = {
  '53100': 'STORE_FULL',
  '55P03': 'STORE_BUSY', // a lock was not to be had
  '25006': 'STORE_UNAVAILABLE', // read-only, as a standby is
  '25P03': 'STORE_UNAVAILABLE', // a transaction did nothing for too long
  '08': 'STORE_UNAVAILABLE', // connection
  '40': 'STORE_UNAVAILABLE', // deadlocks, and transactions that would contradict each other
  '53': 'STORE_UNAVAILABLE', // memory, connections
  '57': 'STORE_UNAVAILABLE', // cancelled, shutting down
  '58': 'STORE_UNAVAILABLE', // input or output failed
  XX: 'STORE_UNAVAILABLE', // damaged
}

/** The error to throw for one of the database: where the database is out of order a StoreError, else the error itself. */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error
  const code = outageCode(error)
  if (code === undefined) return error
  return new StoreError(code, `${SENTENCES[code]}: ${error.message}`, { cause: error })
}

const SENTENCES: Partial<Record<StoreErrorCode, string>> = {
  STORE_BUSY: 'The database was locked for too long',
  STORE_UNAVAILABLE: 'The database cannot be used at the moment',
  STORE_FULL: 'The database has no space left',
}

function outageCode(error: Error): StoreErrorCode | undefined {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return SQLITE_TROUBLES[errcode % 256]
  if (typeof code !== 'string' || code.length !== 5) return undefined
  return POSTGRES_TROUBLES[code] ?? POSTGRES_TROUBLES[code.slice(0, 2)]
}
