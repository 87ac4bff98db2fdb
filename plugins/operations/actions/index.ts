import { definePlugin } from '../../../kernel/index.ts'
import type { Actions } from './action.ts'
import { commandOf } from './command.ts'
import { createActions } from './create.ts'
import { actionHooks } from './hooks.ts'
import { registerRoutes } from './routes.ts'

export { createActions } from './create.ts'
export { toJsonSchema } from './json-schema.ts'
export { methodOf } from './routes.ts'
export type {
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
    /** What plugins and programs can do on this site, by name. */
    actions: Actions
  }
}

/** Actions of plugins: one declaration is a route, a command, and what programs find and run by its name. */
export default definePlugin({
  name: 'actions',
  needs: ['store', 'roles', 'users'],
  hooks: actionHooks,
  apply(plugin) {
    const { hooks, services, provide, addCommand } = plugin
    const { actions: plain, registry, runner } = createActions(plugin)
    const actions: Actions = {
      ...plain,
      register(name, action) {
        const registered = registry.add(name, action)
        addCommand(`action ${name}`, commandOf(registered, actions, services))
      },
    }
    provide('actions', actions)

    // After all others, which may register theirs in the same hook.
    hooks.rest_api_init.tap({ name: 'actions', stage: 1000 }, (server) =>
      registerRoutes(server, plugin, { registry, runner, actions }),
    )
    addCommand('actions', {
      summary: 'Lists the actions of the site; svc action NAME runs one.',
      flags: { category: { type: 'string', description: 'Lists those of a category.' } },
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
