import { findConfig, LocalModules } from '../../kernel/host.ts'
import { configFrom } from './config-flags.ts'
import { serveSite } from './serve-site.ts'
import type { StopRequest } from './stop-request.ts'
import { SiteWatcher } from './watch.ts'

/**
 * Serves a site in this one process and reloads its plugins as their files change.
 * @param flags as `configFrom` takes them
 * @param stop request to stop the process
 * @returns the exit code, as that of `serveSite`
 * @throws the errors of `loadConfig`
 */
export async function serveWatched(flags: Readonly<Record<string, unknown>>, stop: StopRequest): Promise<number> {
  // Before anything of the site is imported, its config included.
  using modules = new LocalModules()
  const config = await configFrom(flags)
  const configFile = await findConfig(flags['config'] as string | undefined)
  return await serveSite({ ...config, workers: 1 }, null, stop, async (kernel) => {
    await new SiteWatcher({ kernel, modules, config, configFile, reread: () => configFrom(flags) }).start()
    const one = config.workers === 1 ? '' : ' in one process'
    console.log(`Watching the files of its plugins${one}: what changes is reloaded.`)
  })
}
