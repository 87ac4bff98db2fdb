import { definePlugin } from '../../../kernel/index.ts'
import { AbilitiesController, CategoriesController } from './controllers.ts'
import { registerCore } from './core.ts'
import { abilityHooks } from './hooks.ts'
import { Abilities } from './registry.ts'

export type { Ability, AbilityAnnotations, AbilityCaller, AbilityCategory, AbilitySpec } from './ability.ts'
export type { Abilities } from './registry.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * What the plugins of the site can do, for programs that ask what there is. Actions that have a route are among them.
     * @example
     * const caller = { user: request.user, scope: request.scope }
     * const site = await services.abilities.execute('core/get-site-info', {}, caller)
     */
    abilities: Abilities
  }
}

/** What the plugins of the site can do, for programs that ask what there is. */
export default definePlugin({
  name: 'abilities',
  since: '6.9',
  needs: ['store', 'settings', 'roles', 'users'],
  provides: ['abilities'],
  uses: ['actions'],
  hooks: abilityHooks,
  apply(plugin) {
    const abilities = new Abilities(plugin)
    plugin.provide('abilities', abilities)
    registerCore(plugin, abilities)
    plugin.hooks.rest_api_init.tap('abilities', (server) => {
      new CategoriesController(plugin, abilities).register(server)
      new AbilitiesController(plugin, abilities).register(server)
    })
  },
})
