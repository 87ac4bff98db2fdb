import type { Limits } from './config-keys.ts'

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

/** Limits on what all requests of a machine may take together, and on what one of them may: each has room for that much. */
const SHARED = {
  connections: 4,
  at_once: 1,
  bodies: 'body',
  visitor_bodies: 'visitor',
  answers: 'answer',
} as const satisfies { [K in keyof Limits]?: keyof Limits | number }

/**
 * The part of the limits that one of several processes has. Connections are spread evenly, so that all parts together
 * bound what the config bounds, of each network too.
 */
export function partOfLimits(limits: Limits, worker: WorkerPlace): Limits {
  if (worker.count === 1) return limits
  const part = { ...limits }
  for (const [key, least] of Object.entries(SHARED) as [keyof typeof SHARED, keyof Limits | number][]) {
    const enough = typeof least === 'number' ? least : limits[least]
    part[key] = Math.min(limits[key], Math.max(enough, partOf(limits[key], worker)))
  }
  return part
}
