import { availableParallelism } from 'node:os'
import type { SiteConfig } from '../../kernel/index.ts'

/** The most processes that a site is served by unless the config asks for more. */
const MOST = 4

/**
 * How many processes serve a site: as the config says, else as many as the machine has cores, up to four.
 * @throws Error where several are asked for and only one can have the database
 */
export function workerCount({ database, workers }: Pick<SiteConfig, 'database' | 'workers'>): number {
  if (database !== 'sqlite::memory:') return workers ?? Math.min(MOST, availableParallelism())
  if (workers !== null && workers > 1) {
    throw new Error('The config value workers must be 1 with sqlite::memory:, which other processes cannot see.')
  }
  return 1
}
