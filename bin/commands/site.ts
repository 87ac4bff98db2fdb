import { pino } from 'pino'
import { startKernel, type Kernel } from '../../kernel/host.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { defaults, presets } from '../../plugins/index.ts'

/** Starts the site of a config, without listening and without a log: `await using site = await startSite(config)`. */
export function startSite(config: SiteConfig): Promise<Kernel> {
  return startKernel({ config, defaults, presets, log: pino({ level: 'silent' }) })
}
