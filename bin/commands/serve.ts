import cluster from 'node:cluster'
import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'
import { findConfig } from '../config/index.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { ownVersion } from '../../plugins/operations/installed-plugins/own-version.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { printFailure } from './failure.ts'
import { keepHeapSmall } from './memory.ts'
import { StopRequest } from './stop-request.ts'
import { workerCount } from './worker-count.ts'
import { ownPlace, Primary } from './worker.ts'

export const usage = () => `Usage: svc-serve [FLAGS]

Serves the site of the config file in this folder, or a new site. Writes log lines to stderr, one JSON object each.

${configUsage()}
  --watch               Restarts the site when its config or a file of its plugins changes; for development.
  --version, -v         Prints the version of svc-rest.
  --help                This text.`

/**
 * Runs `svc-serve` until SIGTERM or SIGINT, in this process or in workers.
 * @param argv arguments after the command's name
 * @returns exit code: 0 after a signal, 1 when the site could not start or continue
 */
export async function main(argv: readonly string[]): Promise<number> {
  // V8 rejects cached code that was compiled with other flags, so save the code loaded so far before changing flags.
  flushCompileCache()
  // Before the site is loaded, which alone would enlarge the space for new objects.
  keepHeapSmall()
  const primary = ownPlace() === null ? null : new Primary()
  const stop = new StopRequest(primary)
  let config: SiteConfig
  let workers: number
  let watches: boolean
  let configFile: string | null = null
  try {
    const ownFlags = {
      version: { type: 'boolean', short: 'v' },
      help: { type: 'boolean' },
      watch: { type: 'boolean' },
    } as const
    const { values } = parseArgs({ args: [...argv], options: { ...configFlags, ...ownFlags } })
    if (values.version === true) {
      console.log(ownVersion())
      return 0
    }
    if (values['help'] === true) {
      console.log(usage())
      return 0
    }
    watches = values['watch'] === true
    // Before the first module of the site is imported: its config.
    if (watches) primary?.watch()
    config = await configFrom(values)
    // --watch restarts the workers of this primary. It cannot work in a process that is itself a worker of a process
    // manager.
    if (watches && cluster.isWorker && primary === null) throw new Error('--watch cannot be used in a cluster worker.')
    workers = cluster.isWorker ? 1 : workerCount(watches ? { ...config, workers: config.workers ?? 1 } : config)
    if (watches && primary === null)
      configFile = await findConfig((values as Record<string, unknown>)['config'] as string | undefined)
  } catch (error) {
    return primary?.fail(error) ?? printFailure(error)
  }
  // Each process loads only the code of its part: a worker serves, the primary manages workers.
  if (workers === 1 && (!watches || primary !== null))
    return await (await import('./serve-site.ts')).serveSite(config, primary, stop)
  return await (
    await import('./serve-by-workers.ts')
  ).serveByWorkers(config, workers, stop, watches ? { configFile } : null)
}
