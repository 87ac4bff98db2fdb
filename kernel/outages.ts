import { errors, type RestError } from './errors.ts'
import type { Work } from './work.ts'

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
 * @param work what failed; where it has changed something already it must not be said that nothing was done, and the
 * answer is `rest_answer_lost`
 */
export function troubleOf(error: unknown, work: Pick<Work, 'committed'>): RestError | null {
  const trouble = kindOf(error)
  if (trouble === null) return null
  if (work.committed) return errors.rest_answer_lost({ cause: error })
  return trouble === 'full' ? errors.rest_storage_full({ cause: error }) : errors.rest_unavailable({ cause: error })
}

function kindOf(error: unknown): Trouble | null {
  let reason = error
  for (let depth = 0; reason instanceof Error && depth < DEPTH; depth += 1) {
    const { trouble = null, code = '' } = reason as Partial<TroubleError> & NodeJS.ErrnoException
    const known = trouble ?? SYSTEM[code]
    if (known !== undefined) return known
    reason = reason.cause
  }
  return null
}
