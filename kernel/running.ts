import type { PluginDetails, RunningName, RunningPlugin } from './plugin.ts'
import { withoutSecrets } from './secrets.ts'
import { pluginFile } from './trust.ts'

/** A plugin that runs, as others may know of it. */
export function runningName(
  { slot: name, ...plugin }: Omit<RunningPlugin, 'replaces'>,
  isDefault: boolean,
): RunningName {
  return { name, isDefault, details: () => detailsOf(plugin) }
}

function detailsOf({ definition, options, given, owner }: Omit<RunningPlugin, 'slot' | 'replaces'>): PluginDetails {
  const declared: Readonly<Record<string, { default: unknown }>> = definition.options ?? {}
  const shown = (values: object) => withoutSecrets({ properties: declared }, values) as Record<string, unknown>
  const [values, defaults] = [
    shown(options),
    shown(Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, one.default]))),
  ]
  return {
    definedAs: definition.name,
    file: pluginFile(definition),
    description: definition.description ?? '',
    needs: definition.needs ?? [],
    options: Object.keys(values).map((name) => ({
      name,
      value: values[name],
      default: defaults[name],
      isSet: Object.hasOwn(given, name),
    })),
    migrations: definition.migrations?.map((migration) => migration.name) ?? null,
    owned: owner.owned(),
    uncached: [...owner.uncached],
  }
}
