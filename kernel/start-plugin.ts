import { withinSeconds } from './deadline.ts'
import { errors, RestError } from './errors.ts'
import type { HookRegistry } from './hooks/registry.ts'
import { Owner } from './ownership.ts'
import type { ConfiguredPlugin, PluginContext, RunningPlugin } from './plugin.ts'
import { isTrusted } from './trust.ts'

/** Makes a configured plugin one that can be applied. @param place in the order of the start */
export function withOwner(plugin: ConfiguredPlugin, place: number): RunningPlugin {
  const { name, deadline } = plugin.definition
  const owner = new Owner(name, deadline, isTrusted(plugin.definition))
  owner.place = place
  return { ...plugin, owner }
}

/**
 * Declares the hooks of a plugin and applies it. What it has registered until it fails is for the caller to undo.
 * @throws PLUGIN_FAILED, PLUGIN_LATE, HOOK_TAKEN, what else names the plugin
 */
export async function applyPlugin(
  { definition, owner, options }: RunningPlugin,
  registry: HookRegistry,
  context: PluginContext,
): Promise<void> {
  const { name, hooks = {} } = definition
  try {
    await owner.run(async () => {
      for (const [hook, spec] of Object.entries(hooks)) registry.declare(hook, spec)
      const applied = definition.apply(context, options)
      await withinSeconds(applied, owner.deadline, () => errors.PLUGIN_LATE(name, 'apply', owner.deadline))
    })
  } catch (cause) {
    if (cause instanceof RestError) throw cause
    throw errors.PLUGIN_FAILED(name, (cause as Error).message, { cause })
  }
}
