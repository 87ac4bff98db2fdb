import { pino } from 'pino'
import { startKernel, type Kernel, type RequestNotes } from '../config/index.ts'
import type { SiteConfig, WorkerPlace } from '../../kernel/index.ts'
import { defaults, presets, revisions } from '../../plugins/index.ts'

/** Starts a site without listening on a port: `await using site = await startSite(config)`. */
export function startSite(
  config: SiteConfig,
  log = pino({ level: 'silent' }),
  worker?: WorkerPlace,
  requests?: RequestNotes,
): Promise<Kernel> {
  const places = { ...(worker !== undefined && { worker }), ...(requests !== undefined && { requests }) }
  return startKernel({ config, defaults, presets, revisions, log, ...places })
}
