import { FormerNames } from '../../bin/config/index.ts'
import type { AnyPlugin } from '../../kernel/index.ts'
import type { PluginSetting } from '../../plugins/library/site-config/index.ts'

type Settings = Readonly<Record<string, PluginSetting>>

/** The plugins of a site, and their settings. */
export interface ChosenPlugins {
  readonly started: readonly AnyPlugin[]
  readonly settings: Record<string, PluginSetting>
}

/**
 * Chooses the default plugins in `named`, the ones that the settings configure, and all that these and the added
 * plugins need, directly or indirectly. Settings that switch off other defaults are dropped, because these do not start
 * anyway.
 * @throws Error if `named` contains a name that is not a default plugin
 */
export function choosePlugins(
  defaults: readonly AnyPlugin[],
  named: readonly string[],
  configuredSettings: Settings,
  added: readonly AnyPlugin[],
): ChosenPlugins {
  const formerNames = new FormerNames(defaults)
  const only = named.map((name) => formerNames.plugin(name, '"only"'))
  const settings = formerNames.settings(configuredSettings)
  const byName = new Map(defaults.map((plugin) => [plugin.name, plugin]))
  const unknown = only.find((name) => !byName.has(name))
  if (unknown !== undefined) throw new Error(`"only" names ${unknown}, which is not a default plugin.`)
  const configured = Object.keys(settings).filter((name) => settings[name] !== false)
  // Plugins can rely on these without naming them in `needs`.
  const needed = added.flatMap((plugin) => formerNames.definition(plugin).needs ?? [])
  const always = ['resources', 'conditional', 'limits', 'bodies', 'request-hooks', 'site-requests']
  const queue = [...always, ...only, ...configured, ...needed]
  const chosen = new Set<string>()
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const plugin = byName.get(name)
    if (plugin === undefined || chosen.has(name)) continue
    chosen.add(name)
    queue.push(...(plugin.needs ?? []))
  }
  const isIdle = (name: string) => byName.has(name) && !chosen.has(name)
  return {
    started: defaults.filter(({ name }) => chosen.has(name)),
    settings: Object.fromEntries(Object.entries(settings).filter(([name]) => !isIdle(name))),
  }
}
