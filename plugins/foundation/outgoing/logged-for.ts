import type { PluginContext } from '../../../kernel/index.ts'
import type { Outgoing } from './outgoing.ts'

/** Maximum number of origins per plugin that are logged. */
const MAX_ORIGINS = 1000

/** Wraps outgoing requests of an external plugin: each origin is logged once with the name of the plugin. */
export function loggedFor(outgoing: Outgoing, plugin: string, log: PluginContext['log']): Outgoing {
  const loggedOrigins = new Set<string>()
  const note = (url: string | URL) => {
    const { origin } = URL.parse(url) ?? { origin: null }
    if (origin === null || loggedOrigins.has(origin) || loggedOrigins.size >= MAX_ORIGINS) return
    loggedOrigins.add(origin)
    log.info({ by: plugin, origin }, 'a plugin sends requests to another server')
  }
  return {
    admits: (url) => outgoing.admits(url),
    request: (url, options) => {
      note(url)
      return outgoing.request(url, options)
    },
  }
}
