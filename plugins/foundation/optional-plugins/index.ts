import { definePlugin } from '../../../kernel/index.ts'
import { addOptionalCommands } from './commands.ts'
import './errors.ts'
import { SwitchedPlugins, type OptionalPlugins } from './switched-plugins.ts'

export type { OptionalPlugins, OptionalState } from './switched-plugins.ts'

/** Options of optional plugins. */
export interface OptionalPluginsOptions {
  /** Seconds between two checks whether another process has switched plugins on or off. */
  interval: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Switches default plugins on that do not start by themselves.
     * @example
     * await services.optionalPlugins.switchOn(['acf'])
     */
    optionalPlugins: OptionalPlugins
  }
}

/**
 * Switches optional default plugins on and off. An optional plugin declares `startsIf`; a list in the database decides
 * whether it starts, unless the config names it.
 */
export default definePlugin<OptionalPluginsOptions>({
  name: 'optional-plugins',
  needs: ['settings'],
  provides: ['optionalPlugins'],
  options: { interval: { default: 2, type: 'number', minimum: 0.05 } },
  apply(plugin, { interval }) {
    const { hooks, log, onRemove, provide, requestRestart, worker } = plugin
    const switched = new SwitchedPlugins(plugin)
    provide('optionalPlugins', switched)
    addOptionalCommands(plugin, switched)
    // The primary replaces all of its workers, so one of them checks.
    if (worker.number !== 1) return
    hooks.server_listening.tap('optional-plugins', () => {
      let reported = ''
      const check = async () => {
        const reason = await switched.difference()
        if (reason !== null && reason !== reported) requestRestart(reason)
        reported = reason ?? ''
      }
      const timer = setInterval(() => {
        check().catch((err: unknown) => log.warn({ err }, 'reading the list of optional plugins failed'))
      }, interval * 1000).unref()
      onRemove(() => clearInterval(timer), 'timer of the check for switched plugins')
    })
  },
})
