import { definePlugin, RestError, type PluginContext } from '../../../kernel/index.ts'
import type { Actions } from './action.ts'
import { commandOf } from './command.ts'
import { actionHooks } from './hooks.ts'
import { ActionRegistry } from './registry.ts'
import { registerRoutes } from './routes.ts'
import { ActionRunner } from './runner.ts'

export { methodOf } from './routes.ts'
export type {
  Ability,
  ActionSpec,
  ActionCall,
  ActionDescription,
  Actions,
  Annotations,
  Caller,
  InputOf,
  NoInput,
} from './action.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Operations of plugins that users and programs can run by name. */
    actions: Actions
  }
}

/**
 * Actions of plugins: one declaration creates a route, a command, and an operation that programs can find and run by
 * name.
 */
export default definePlugin({
  name: 'actions',
  needs: ['store', 'roles', 'users'],
  hooks: actionHooks,
  apply(plugin) {
    const { hooks, provide, addCommand } = plugin
    const registry = new ActionRegistry()
    const runner = new ActionRunner(plugin)
    const actions = createActions(plugin, registry, runner)
    provide('actions', actions)

    // Runs last, because other plugins may register actions in the same hook.
    hooks.rest_api_init.tap({ name: 'actions', stage: 1000 }, (server) =>
      registerRoutes(server, plugin, { registry, runner, actions }),
    )
    addCommand('actions', {
      summary: 'Lists the actions of the site. Run one with svc action NAME.',
      flags: { category: { type: 'string', description: 'Lists only actions of this category.' } },
      json: true,
      run({ flags: { category }, printData }) {
        const listed = actions.list({ category })
        printData(
          listed,
          listed.map(({ name, label }) => [name, label]),
        )
      },
    })
  },
})

function createActions(plugin: PluginContext, registry: ActionRegistry, runner: ActionRunner): Actions {
  const actions: Actions = {
    register(name, action) {
      const registered = registry.add(name, action)
      if (action.ability_only !== true) plugin.addCommand(`action ${name}`, commandOf(registered, actions, plugin))
    },
    get(name) {
      const found = registry.find(name)
      return found?.action.ability_only === true ? undefined : found?.description
    },
    list: ({ category, namespace } = {}) =>
      registry
        .list()
        .map(({ description }) => description)
        .filter((one) => category === undefined || one.category === category)
        .filter(({ name }) => namespace === undefined || name.startsWith(`${namespace}/`)),
    abilities: () =>
      registry.abilities().map(({ action, description }) => ({ ...description, public: action.public ?? false })),
    async mayExecute(name, input, caller) {
      const registered = registry.get(name)
      try {
        return (await runner.refusal(await runner.prepare(registered, input, caller))) ?? true
      } catch (error) {
        if (error instanceof RestError) return error
        throw error
      }
    },
    async execute(name, input, caller) {
      const prepared = await runner.prepare(registry.get(name), input, caller)
      const refusal = await runner.refusal(prepared)
      if (refusal !== null) throw refusal
      return runner.run(prepared)
    },
  }
  return actions
}
