import { errors, type RestError } from './errors.ts'
import type { Work } from './work.ts'

/**
 * Why the server cannot do what it is asked, though neither the request nor the program is wrong: as many clients as a limit
 * allows ask for it already; something it needs is out of reach or used up; or there is no space left to store anything.
 */
export type Outage = 'busy' | 'unavailable' | 'full'

/** An error that says which outage it stems from. */
export interface OutageError extends Error {
  readonly outage: Outage
}

/** A limit that was reached, or a server that stops: the cause of `rest_unavailable`. Its message is the reason in the log. */
export class BusyError extends Error implements OutageError {
  readonly outage = 'busy'
}

/** `Retry-After` in seconds, where the error has none of its own. */
export const RETRY_AFTER = 5

/** How deep causes are looked into. */
const MAX_CAUSE_DEPTH = 10

/** Error codes of the system (errno(3)) for a disk or a limit of the process. */
const SYSTEM: Readonly<Record<string, Outage>> = {
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
 * The error to respond with where an error stems from an outage of the disk, the database or the system:
 * `rest_unavailable` or `rest_storage_full`. Null when something else is the reason.
 * @param work what failed; where it has committed something, the client must not be told that nothing was done, and the
 * error is `rest_answer_lost`
 */
export function outageOf(error: unknown, work: Pick<Work, 'committed'>): RestError | null {
  const outage = outageBehind(error)
  if (outage === null) return null
  if (work.committed) return errors.rest_answer_lost('unknown', { cause: error })
  return outage === 'full' ? errors.rest_storage_full({ cause: error }) : errors.rest_unavailable({ cause: error })
}

/** Which outage an error stems from; null for none. */
export function outageBehind(error: unknown): Outage | null {
  let reason = error
  for (let depth = 0; reason instanceof Error && depth < MAX_CAUSE_DEPTH; depth += 1) {
    const { outage = null, code = '' } = reason as Partial<OutageError> & NodeJS.ErrnoException
    const known = outage ?? SYSTEM[code]
    if (known !== undefined) return known
    reason = reason.cause
  }
  return null
}
