import { defineErrors, type ErrorData, type Outage } from '../../../kernel/index.ts'

/** An outage by the status that clients get in it. */
const OUTAGES: Readonly<Record<number, Outage>> = { 503: 'unavailable', 507: 'full' }

/** An error of the store itself. No client sees it: the kernel answers with an error of its own, of the same status. */
export class StoreError extends Error {
  readonly code: string
  /** Why the database is out of order, so that the statement may be tried again; undefined when it is not. */
  readonly outage: Outage | undefined

  constructor(code: string, message: string, { status }: ErrorData, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
    this.outage = OUTAGES[status]
  }
}

/** What can go wrong in the store, apart from the database's own errors about a statement. */
export const errors = defineErrors(
  {
    STORE_ADDRESS_INVALID: [500, 'The database URL starts with neither sqlite: nor postgres://.'],
    STORE_NEWER: [
      500,
      (version: number, known: number) =>
        `The database has version ${version} and this program knows versions up to ${known}: use the release that the database was last opened with, or a later one.`,
    ],
    STORE_UNREADABLE: [
      500,
      (path: string, why: string) =>
        `The database ${path} cannot be opened: ${why}. It has to be a SQLite file, or none yet, in a folder that this account may write to.`,
    ],
    // Nothing was changed.
    STORE_BUSY: [503, (why: string) => `The database is busy: ${why}.`],
    // Out of reach, overloaded or damaged.
    STORE_UNAVAILABLE: [503, (why: string) => `The database cannot be used at the moment: ${why}.`],
    STORE_FULL: [507, (why: string) => `The database has no space left: ${why}.`],
    // The database cannot be asked what became of the commit.
    STORE_UNCERTAIN: [503, (why: string) => `The database went away while it committed: ${why}.`],
    STORE_LOST: [
      503,
      (path: string, why: string) =>
        `The database ${path} ${why}, so the server stops: see that the disk is sound and that the right file is in its place, with its -wal file if it has one, and start again.`,
    ],
    STORE_PARAMETER_INVALID: [
      500,
      (position: number, kind: string) => `Parameter ${position} of the query is ${kind}: no column holds that.`,
    ],
    STORE_TRANSACTION_FAILED: [
      500,
      'A statement of the transaction failed, so it can only be rolled back. Where a failure is expected, make the attempt in a nested transaction.',
    ],
    STORE_TRANSACTION_OVER: [500, 'The transaction has ended; its store cannot be used any more.'],
    STORE_CLOSED: [503, (why: string) => `The store ${why}.`],
  },
  StoreError,
)

/** The error if a queue of the store has no place left, or a wait there takes too long: clients cause that. */
export function tooMany(): StoreError {
  return Object.assign(errors.STORE_BUSY('too many others wait for it'), { outage: 'busy' as const })
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

type OutageCode = 'STORE_BUSY' | 'STORE_UNAVAILABLE' | 'STORE_FULL'

/** What SQLite's primary result codes mean for the site (https://sqlite.org/rescode.html). */
const SQLITE_TROUBLES: Readonly<Record<number, OutageCode>> = {
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
const POSTGRES_TROUBLES: Readonly<Record<string, OutageCode>> = {
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
  // A statement that nobody waited for has failed before.
  if ((error as { code?: unknown }).code === '25P02') return errors.STORE_TRANSACTION_FAILED({ cause: error })
  const code = outageCode(error)
  if (code === undefined) return error
  return errors[code](error.message, { cause: error })
}

function outageCode(error: Error): OutageCode | undefined {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return SQLITE_TROUBLES[errcode % 256]
  if (typeof code !== 'string' || code.length !== 5) return undefined
  return POSTGRES_TROUBLES[code] ?? POSTGRES_TROUBLES[code.slice(0, 2)]
}
