import { partOf, type Limits, type WorkerPlace } from '../../kernel/index.ts'

/** Limits on what all requests of a machine may take together, and on what one of them may: each has room for that much. */
const SHARED = {
  connections: 4,
  atOnce: 1,
  bodies: 'bodyLimit',
  visitorBodies: 'visitor',
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
