/** The position of a process among the workers of a site. */
export interface WorkerPlace {
  /** Number of the worker, from 1. A worker that replaces another one has the same number. */
  readonly number: number
  /** Number of workers. */
  readonly count: number
}

/**
 * Returns the share of a limit for one worker, if each worker counts separately. The share is at least 1; the shares
 * add up to the limit, if it is at least the number of workers. A limit of 0 stays 0.
 */
export function shareOf(limit: number, { number, count }: WorkerPlace): number {
  const part = Math.floor(limit / count) + (number <= limit % count ? 1 : 0)
  return limit === 0 ? 0 : Math.max(1, part)
}
