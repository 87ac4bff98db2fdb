import { availableParallelism } from 'node:os'
import type { SiteConfig } from '../../kernel/index.ts'

/** The most processes that a site is served by unless the config asks for more. */
const MAX_DEFAULT_WORKERS = 4

/**
 * How many processes serve a site: as the config says, else as many as the machine has cores, up to four; and one where
 * requests are traced, since each process knows its own traces alone.
 * @throws Error where several are asked for and only one can have the database
 */
export function workerCount({ database, workers, trace }: Pick<SiteConfig, 'database' | 'workers' | 'trace'>): number {
  if (database !== 'sqlite::memory:')
    return workers ?? (trace ? 1 : Math.min(MAX_DEFAULT_WORKERS, availableParallelism()))
  if (workers !== null && workers > 1) {
    throw new Error('The config value workers must be 1 with sqlite::memory:, which other processes cannot see.')
  }
  return 1
}
