import { shareOf, type Limits, type WorkerPlace } from '../../kernel/index.ts'

/** Limits that the workers divide, with the minimum of each part: a number, or the limit of a single request. */
const SHARED = {
  connections: 4,
  atOnce: 1,
  bodies: 'bodyLimit',
  visitorBodies: 'visitor',
  responses: 'response',
} as const satisfies { [K in keyof Limits]?: keyof Limits | number }

/**
 * Returns the limits of one worker: its part of each limit in `SHARED`, and the other limits unchanged. Connections are
 * distributed evenly among the workers, so that the parts together enforce the limits of the config, also the share of
 * one network. With many workers they can exceed a small limit, because no part is below its minimum.
 */
export function partOfLimits(limits: Limits, worker: WorkerPlace): Limits {
  if (worker.count === 1) return limits
  const part = { ...limits }
  for (const [key, least] of Object.entries(SHARED) as [keyof typeof SHARED, keyof Limits | number][]) {
    const enough = typeof least === 'number' ? least : limits[least]
    part[key] = Math.min(limits[key], Math.max(enough, shareOf(limits[key], worker)))
  }
  return part
}
