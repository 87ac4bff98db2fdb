import { defineErrors, type ErrorData, type Outage } from '../../../kernel/index.ts'

/** Kinds of outage by the status that clients get. */
const OUTAGES: Readonly<Record<number, Outage>> = { 503: 'unavailable', 507: 'full' }

/** An error of the store. Clients never see it: the kernel responds with an error of its own and the same status. */
export class StoreError extends Error {
  readonly code: string
  /** The kind of outage; the statement can be retried later. Undefined if the database is not the cause. */
  readonly outage: Outage | undefined

  constructor(code: string, message: string, { status }: ErrorData, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
    this.outage = OUTAGES[status]
  }
}

/** Errors of the store, apart from the database's own errors about a statement. */
export const errors = defineErrors(
  {
    STORE_ADDRESS_INVALID: [500, 'The database URL must start with sqlite: or postgres://.'],
    STORE_NEWER: [
      500,
      (version: number, supported: number) =>
        `The database has schema version ${version}, but this release supports versions up to ${supported}: use the release that last opened the database, or a later one.`,
    ],
    STORE_UNREADABLE: [
      500,
      (path: string, reason: string) =>
        `The database ${path} cannot be opened: ${reason}. The path must name a SQLite file, or a new file, in a folder that this account can write to.`,
    ],
    // The statement or transaction has changed nothing.
    STORE_BUSY: [503, (reason: string) => `The database is busy: ${reason}.`],
    // Unreachable, overloaded or damaged.
    STORE_UNAVAILABLE: [503, (reason: string) => `The database cannot be used at the moment: ${reason}.`],
    STORE_FULL: [507, (reason: string) => `The database has no space left: ${reason}.`],
    // The outcome of the commit cannot be queried.
    STORE_UNCERTAIN: [503, (reason: string) => `The connection to the database was lost during a commit: ${reason}.`],
    STORE_LOST: [
      503,
      (path: string, reason: string) =>
        `The database ${path} ${reason}, so the server stops: check the disk, put the right file in its place, with its -wal file if it has one, and start the server again.`,
    ],
    STORE_PARAMETER_INVALID: [
      500,
      (position: number, kind: string) =>
        `Parameter ${position} of the query is of the type ${kind}, which no column can hold.`,
    ],
    STORE_TRANSACTION_FAILED: [
      500,
      'A statement of the transaction failed, so it can only be rolled back. If a failure is expected, run the statement in a nested transaction.',
    ],
    STORE_TRANSACTION_OVER: [500, 'The transaction has ended; its store can no longer be used.'],
    STORE_CLOSED: [503, (reason: string) => `The store ${reason}.`],
  },
  StoreError,
)

/** Returns the error for a full queue, or for a wait that takes too long. Marked as caused by load from clients. */
export function queueFullError(): StoreError {
  return Object.assign(errors.STORE_BUSY('too many requests are waiting for it'), { outage: 'busy' as const })
}

/** Whether a failed commit, or a failed single statement, has certainly changed nothing. */
export function isUndone(error: unknown): boolean {
  return !(error instanceof StoreError && (error.code === 'STORE_UNCERTAIN' || error.code === 'STORE_LOST'))
}

// SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY (https://sqlite.org/rescode.html), unique_violation
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const uniqueViolations: readonly unknown[] = [2067, 1555, '23505']

// SQLITE_CONSTRAINT_FOREIGNKEY, foreign_key_violation.
const foreignKeyViolations: readonly unknown[] = [787, '23503']

/** Whether a statement failed because a referenced row does not exist, in either dialect. */
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

type OutageCode = 'STORE_BUSY' | 'STORE_UNAVAILABLE' | 'STORE_FULL'

/** Outages by SQLite's primary result codes (https://sqlite.org/rescode.html). */
const SQLITE_OUTAGES: Readonly<Record<number, OutageCode>> = {
  5: 'STORE_BUSY',
  6: 'STORE_BUSY',
  7: 'STORE_UNAVAILABLE', // out of memory
  8: 'STORE_UNAVAILABLE', // read-only
  10: 'STORE_UNAVAILABLE', // I/O error
  11: 'STORE_UNAVAILABLE', // damaged
  13: 'STORE_FULL',
  14: 'STORE_UNAVAILABLE', // cannot open
  15: 'STORE_UNAVAILABLE', // locking protocol
  26: 'STORE_UNAVAILABLE', // not a database
}

/** Outages by PostgreSQL's error codes, or by their classes. */
const POSTGRES_OUTAGES: Readonly<Record<string, OutageCode>> = {
  '53100': 'STORE_FULL',
  '55P03': 'STORE_BUSY', // lock not available
  '25006': 'STORE_UNAVAILABLE', // read-only, such as a standby
  '25P03': 'STORE_UNAVAILABLE', // idle transaction timed out
  '08': 'STORE_UNAVAILABLE', // connection
  '40': 'STORE_UNAVAILABLE', // deadlocks, serialization failures
  '53': 'STORE_UNAVAILABLE', // memory, connections
  '57': 'STORE_UNAVAILABLE', // cancelled, shutting down
  '58': 'STORE_UNAVAILABLE', // I/O error
  XX: 'STORE_UNAVAILABLE', // damaged
}

/** Converts an error of the database: returns a StoreError for an outage, otherwise the error itself. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error
  // An earlier statement of the transaction, which was not awaited, has failed.
  if ((error as { code?: unknown }).code === '25P02') return errors.STORE_TRANSACTION_FAILED({ cause: error })
  const code = outageCode(error)
  if (code === undefined) return error
  return errors[code](error.message, { cause: error })
}

function outageCode(error: Error): OutageCode | undefined {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return SQLITE_OUTAGES[errcode % 256]
  if (typeof code !== 'string' || code.length !== 5) return undefined
  return POSTGRES_OUTAGES[code] ?? POSTGRES_OUTAGES[code.slice(0, 2)]
}
