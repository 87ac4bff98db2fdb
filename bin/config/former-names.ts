import type { Logger } from 'pino'
import type { AnyPlugin, ConfiguredPlugin } from '../../kernel/index.ts'
import type { PluginSetting } from '../../plugins/library/site-config/index.ts'
import { isTrusted } from '../../kernel/trust.ts'
import type { FormerLimit } from './former-limits.ts'

type Settings = Readonly<Record<string, PluginSetting>>

/**
 * Former names of plugins, services, options and config keys. They still work; the first worker logs the first use of
 * each with the current name. If a config sets a plugin or an option by both names, the current name wins; for a limit,
 * `completeConfig` throws.
 */
export class FormerNames {
  readonly #plugins = new Map<string, string>()
  readonly #services = new Map<string, { readonly current: string; readonly plugin: string }>()
  readonly #warned = new Set<string>()
  readonly #log: Logger | undefined

  /**
   * @param plugins default plugins: definitions with `formerNames` and `formerServices`
   * @param log receives the warnings; without it there are none
   */
  constructor(plugins: readonly AnyPlugin[], log?: Logger) {
    this.#log = log
    for (const plugin of plugins) this.add(plugin, plugin.name)
  }

  /**
   * Adds the former names of a plugin and its services.
   * @param slot name under which the plugin runs, which differs from its own name if it replaces a default
   */
  add({ formerNames = [], formerServices = {} }: AnyPlugin, slot: string): void {
    for (const former of formerNames) this.#plugins.set(former, slot)
    for (const [former, current] of Object.entries(formerServices))
      this.#services.set(former, { current, plugin: slot })
  }

  /** Returns the current name of a plugin. @param user what uses the name: a plugin, or `the config` */
  plugin(name: string, user: string): string {
    const current = this.#plugins.get(name)
    if (current !== undefined) this.#warn('plugin', name, current, user)
    return current ?? name
  }

  /**
   * Returns the current name of a service.
   * @param provider slot of the plugin that provides the service: the former name refers only to the service of the plugin
   *   that declares it, or of its replacement
   */
  service(name: string, user: string, provider?: string): string {
    const found = this.#services.get(name)
    if (found === undefined || (provider ?? found.plugin) !== found.plugin) return name
    this.#warn('service', name, found.current, user)
    return found.current
  }

  /**
   * Returns the settings of plugins under current names. If a plugin is set by both names, the value under the current
   * name is used.
   */
  settings(settings: Settings): Settings {
    const entries = Object.entries(settings)
    const isFormer = ([name]: readonly [string, PluginSetting]) => this.#plugins.has(name)
    const renamed = entries.filter(isFormer).map(([name, one]) => [this.plugin(name, 'the config'), one] as const)
    return Object.fromEntries([...renamed, ...entries.filter((entry) => !isFormer(entry))])
  }

  /** Returns the options of a plugin under their current names. An option under its current name wins. */
  options(
    { name: plugin, formerOptions = {} }: Pick<AnyPlugin, 'name' | 'formerOptions'>,
    options: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const names: Readonly<Record<string, string>> = formerOptions
    const isFormer = ([option]: readonly [string, unknown]) => Object.hasOwn(names, option)
    const entries = Object.entries(options)
    const renamed = entries.filter(isFormer).map(([option, value]) => {
      const current = names[option]!
      this.#warn('option', `${plugin}.${option}`, `${plugin}.${current}`, 'the config')
      return [current, value] as const
    })
    return Object.fromEntries([...renamed, ...entries.filter((entry) => !isFormer(entry))])
  }

  /** Logs the limits that the config sets by a former name. */
  limits(used: readonly FormerLimit[]): void {
    for (const { former, current } of used) this.#warn('key', `limits.${former}`, `limits.${current}`, 'the config')
  }

  /** Returns the plugins of a site with current names in their definitions, except names that another plugin now has. */
  inPlugins(plugins: readonly ConfiguredPlugin[]): ConfiguredPlugin[] {
    for (const { slot } of plugins) this.#plugins.delete(slot)
    return plugins.map((plugin) => ({ ...plugin, definition: this.definition(plugin.definition) }))
  }

  /** Returns the definition of a plugin with current names in `needs`, `after` and `uses`. */
  definition(definition: AnyPlugin): AnyPlugin {
    const { name, needs = [], after = [], uses = [] } = definition
    if (isTrusted(definition) || ![...needs, ...after, ...uses].some((one) => this.#plugins.has(one))) return definition
    const current = (names: readonly string[]) => names.map((one) => this.plugin(one, name))
    return { ...definition, needs: current(needs), after: current(after), uses: current(uses) }
  }

  #warn(kind: string, former: string, current: string, user: string): void {
    const key = `${kind} ${former}`
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.#log?.warn(
      { former, current },
      `${user} uses the ${kind} ${former}, which is now named ${current}. Rename it.`,
    )
  }
}
