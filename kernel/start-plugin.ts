import { withinSeconds } from './deadline.ts'
import { errors, RestError } from './errors.ts'
import type { HookRegistry } from './hooks/registry.ts'
import type { Migration, PluginContext, RunningPlugin } from './plugin.ts'
import { shown } from './text/shown.ts'
import type { ServiceRegistry } from './services.ts'
import { messageOf } from './text/message-of.ts'

/**
 * Declares the hooks of a plugin, runs its migrations and applies it. If it fails, the caller reverts its
 * registrations.
 * @throws PLUGIN_FAILED, PLUGIN_LATE, PLUGIN_NEEDS_DATABASE, HOOK_TAKEN, and any `RestError` that the plugin throws
 */
export async function applyPlugin(
  { definition, owner, options }: RunningPlugin,
  registry: HookRegistry,
  services: ServiceRegistry,
  context: PluginContext,
): Promise<void> {
  const { name, hooks = {}, migrations = [] } = definition
  try {
    await owner.run(async () => {
      for (const [hook, spec] of Object.entries(hooks)) registry.declare(hook, spec)
      if (migrations.length > 0) await migrate(name, migrations, services)
      const applied = definition.apply(context, options)
      const late = () => errors.PLUGIN_LATE(name, 'apply', owner.deadline)
      const returned: unknown = await withinSeconds(applied, owner.deadline, late)
      if (typeof returned === 'function')
        context.log.warn(`apply() of ${name} returns a function, which is never called: pass it to onRemove`)
    })
  } catch (cause) {
    if (cause instanceof RestError) throw cause
    throw errors.PLUGIN_FAILED(name, messageOf(cause), { cause })
  }
}

/** The service `migrations`, which the plugin `store` provides. */
interface MigrationRunner {
  migrate(plugin: string, migrations: readonly Migration[]): Promise<void>
}

/** Creates the tables of a plugin, without a time limit. @throws PLUGIN_NEEDS_DATABASE */
async function migrate(name: string, migrations: readonly Migration[], services: ServiceRegistry): Promise<void> {
  const runner = services.get('migrations') as MigrationRunner | undefined
  if (runner === undefined) throw errors.PLUGIN_NEEDS_DATABASE(name)
  await runner.migrate(name, migrations)
}

/** @throws PLUGIN_INVALID if `undo` is not a function */
export function checkUndo(plugin: string, undo: unknown): void {
  if (typeof undo !== 'function')
    throw errors.PLUGIN_INVALID(plugin, `calls onRemove with ${shown(undo)}: it must be a function`)
}
