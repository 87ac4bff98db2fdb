import { RestError, type PluginContext } from '../../../kernel/index.ts'
import type { Actions } from './action.ts'
import { ActionRegistry } from './registry.ts'
import { ActionRunner } from './runner.ts'

/** A set of actions with names of its own, and what runs them. @param plugin whose hooks are run around each */
export function createActions(plugin: PluginContext): {
  actions: Actions
  registry: ActionRegistry
  runner: ActionRunner
} {
  const registry = new ActionRegistry()
  const runner = new ActionRunner(plugin)
  const actions: Actions = {
    register: (name, action) => void registry.add(name, action),
    get: (name) => registry.find(name)?.description,
    list: ({ category, namespace } = {}) =>
      registry
        .list()
        .map(({ description }) => description)
        .filter((one) => category === undefined || one.category === category)
        .filter(({ name }) => namespace === undefined || name.startsWith(`${namespace}/`)),
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
  return { actions, registry, runner }
}
