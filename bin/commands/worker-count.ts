import { availableParallelism } from 'node:os'
import type { SiteConfig } from '../../kernel/index.ts'

/** Maximum number of processes unless the config sets more. */
const MAX_DEFAULT_WORKERS = 4

/**
 * Returns the number of processes that serve a site: always one for a database in memory; otherwise the number in the
 * config. If the config sets none: one while requests are traced, because each process has only its own traces, else
 * one per core, up to four.
 * @throws Error if the config sets several for a database in memory
 */
export function workerCount({ database, workers, trace }: Pick<SiteConfig, 'database' | 'workers' | 'trace'>): number {
  if (database !== 'sqlite::memory:')
    return workers ?? (trace ? 1 : Math.min(MAX_DEFAULT_WORKERS, availableParallelism()))
  if (workers !== null && workers > 1) {
    throw new Error(
      'The config value workers must be 1 with sqlite::memory:, because processes cannot share a database in memory.',
    )
  }
  return 1
}
