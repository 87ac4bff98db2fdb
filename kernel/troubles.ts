import { errors, type RestError } from './errors.ts'

/**
 * What keeps the server from doing what it is asked, though neither the request nor the program is wrong: something it
 * needs is busy, out of reach or used up; or there is no space left to store anything.
 */
export type Trouble = 'unavailable' | 'full'

/** An error that says of itself that it is a trouble. */
export interface TroubleError extends Error {
  readonly trouble: Trouble
}

/** Seconds after which it is worth to try again, where nobody knows better. */
export const RETRY_AFTER = 5

/** How deep causes are looked into. */
const DEPTH = 10

/** What the system says when a disk or a limit of the process is the reason (errno(3)). */
const SYSTEM: Readonly<Record<string, Trouble>> = {
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
 * The answer to an error that stems from a trouble of the disk, the database or the system: `rest_unavailable`, or
 * `rest_storage_full`. Null when something else is the reason.
 */
export function troubleOf(error: unknown): RestError | null {
  let reason = error
  for (let depth = 0; reason instanceof Error && depth < DEPTH; depth += 1) {
    const { trouble = null, code = '' } = reason as Partial<TroubleError> & NodeJS.ErrnoException
    const known = trouble ?? SYSTEM[code]
    if (known === 'unavailable') return errors.rest_unavailable({ cause: error })
    if (known === 'full') return errors.rest_storage_full({ cause: error })
    reason = reason.cause
  }
  return null
}
