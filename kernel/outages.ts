import { errors, type RestError } from './errors.ts'
import type { Work } from './work.ts'

/**
 * Why the server cannot handle a valid request without a bug being the cause. `busy`: a limit of concurrent use is
 * reached. `unavailable`: a database, disk or other resource is unreachable or exhausted. `full`: no storage space is
 * left.
 */
export type Outage = 'busy' | 'unavailable' | 'full'

/** An error that names the outage that caused it. */
export interface OutageError extends Error {
  readonly outage: Outage
}

/** A reached limit or a stopping server, as the cause of `rest_unavailable`. Its message is the reason in the log. */
export class BusyError extends Error implements OutageError {
  readonly outage = 'busy'
}

/** Seconds in `Retry-After`, unless the error sets its own value. */
export const RETRY_AFTER = 5

/** Maximum depth to which causes of errors are followed. */
const MAX_CAUSE_DEPTH = 10

/** System error codes (errno(3)) of disks and of limits of the process. */
const OUTAGE_BY_CODE: Readonly<Record<string, Outage>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EMFILE: 'unavailable',
  ENFILE: 'unavailable',
  ENOMEM: 'unavailable',
  EROFS: 'unavailable',
  EIO: 'unavailable',
  EBUSY: 'unavailable',
  EAGAIN: 'unavailable',
  ESTALE: 'unavailable',
}

/**
 * Returns the error for the client if an outage of disk, database or system caused `error`: `rest_unavailable` or
 * `rest_storage_full`; null for any other cause.
 * @param work the failed work. If it has committed a transaction, the result is `rest_answer_lost`, because the
 * response must not claim that nothing has changed
 */
export function outageError(error: unknown, work: Pick<Work, 'committed'>): RestError | null {
  const outage = outageOf(error)
  if (outage === null) return null
  if (work.committed) return errors.rest_answer_lost('unknown', { cause: error })
  return outage === 'full' ? errors.rest_storage_full({ cause: error }) : errors.rest_unavailable({ cause: error })
}

/** Returns the outage that caused an error, found in it or in its causes; else null. */
export function outageOf(error: unknown): Outage | null {
  let reason = error
  for (let depth = 0; reason instanceof Error && depth < MAX_CAUSE_DEPTH; depth += 1) {
    const { outage = null, code = '' } = reason as Partial<OutageError> & NodeJS.ErrnoException
    const found = outage ?? OUTAGE_BY_CODE[code]
    if (found !== undefined) return found
    reason = reason.cause
  }
  return null
}
