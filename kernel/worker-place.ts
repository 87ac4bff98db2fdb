/** The place of a process among those that serve a site. */
export interface WorkerPlace {
  /** From 1 on. A worker that takes the place of one that has ended has its number. */
  readonly number: number
  /** How many serve the site together. */
  readonly count: number
}

/**
 * The part of a limit that one of several processes has, if each counts for itself: at least 1, and no more than the limit
 * in all if that is at least the number of processes. A limit of 0 stays 0.
 */
export function partOf(limit: number, { number, count }: WorkerPlace): number {
  const part = Math.floor(limit / count) + (number <= limit % count ? 1 : 0)
  return limit === 0 ? 0 : Math.max(1, part)
}
