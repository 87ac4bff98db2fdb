import type { PluginContext } from '../../../kernel/index.ts'
import type { OptionalName } from '../../library/running-plugins/index.ts'
import { errors } from './errors.ts'

/** The option with the names of the optional plugins that are switched on. */
const OPTION = 'optional_plugins'

/** Switches optional plugins on and off. */
export interface OptionalPlugins {
  /** Returns whether an optional plugin is switched on, for its `startsIf`. */
  isOn(name: string): Promise<boolean>
  /** Returns the optional plugins of the site; the config has named none of them. */
  list(): Promise<readonly OptionalState[]>
  /**
   * Switches plugins on. The workers of a running server are replaced within seconds.
   * @returns the names that were off before
   * @throws OPTIONAL_PLUGIN_UNKNOWN
   */
  switchOn(names: readonly string[]): Promise<string[]>
  /**
   * Switches plugins off. Their data remain.
   * @returns the names that were on before
   * @throws OPTIONAL_PLUGIN_UNKNOWN
   */
  switchOff(names: readonly string[]): Promise<string[]>
}

/** An optional plugin and its state. */
export interface OptionalState extends OptionalName {
  /** Whether it is switched on; a running server starts or stops it within seconds. */
  readonly isOn: boolean
}

/** The service `optionalPlugins`. */
export class SwitchedPlugins implements OptionalPlugins {
  readonly #plugin: Pick<PluginContext, 'optional' | 'services'>

  constructor(plugin: Pick<PluginContext, 'optional' | 'services'>) {
    this.#plugin = plugin
  }

  async isOn(name: string): Promise<boolean> {
    return (await this.#names()).includes(name)
  }

  async list(): Promise<readonly OptionalState[]> {
    const names = await this.#names()
    return this.#plugin.optional().map((one) => ({ ...one, isOn: names.includes(one.name) }))
  }

  async switchOn(names: readonly string[]): Promise<string[]> {
    return await this.#change(names, (before) => [...before, ...names.filter((name) => !before.includes(name))])
  }

  async switchOff(names: readonly string[]): Promise<string[]> {
    return await this.#change(names, (before) => before.filter((name) => !names.includes(name)))
  }

  /** Returns a sentence about the plugins whose state differs from the list; null if none does. */
  async difference(): Promise<string | null> {
    const changed = (await this.list()).filter(({ isOn, isRunning }) => isOn !== isRunning)
    if (changed.length === 0) return null
    return changed.map(({ name, isOn }) => `the plugin ${name} was switched ${isOn ? 'on' : 'off'}`).join(' and ')
  }

  async #change(names: readonly string[], change: (before: readonly string[]) => string[]): Promise<string[]> {
    const known = this.#plugin.optional().map(({ name }) => name)
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined) throw errors.OPTIONAL_PLUGIN_UNKNOWN(unknown, known.join(', '))
    let before: readonly string[] = []
    let after: readonly string[] = []
    await this.#plugin.services.options.update<string[]>(OPTION, (stored = []) => {
      before = stored
      const next = change(stored)
      after = next
      return next.length === stored.length ? stored : next
    })
    return names.filter((name) => before.includes(name) !== after.includes(name))
  }

  #names(): Promise<readonly string[]> {
    return this.#plugin.services.options.get<readonly string[]>(OPTION, [])
  }
}
