import { definePlugin } from '../../../kernel/index.ts'
import type { Abilities } from './ability.ts'
import { AbilitiesController, AbilityCategoriesController } from './controller.ts'
import { registerCore } from './core.ts'
import { createAbilities } from './registry.ts'

export type { Abilities, AbilityCategory, AbilitySpec } from './ability.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Operations of plugins that programs can discover and run.
     * @example
     * services.abilities.registerCategory('garden', { label: 'Garden', description: 'Operations on plants.' })
     */
    abilities: Abilities
  }
}

/** Abilities: actions of plugins that programs can discover and run under the names that clients know. */
export default definePlugin({
  name: 'abilities',
  since: '6.9',
  needs: ['resources', 'actions', 'roles', 'settings', 'store', 'users'],
  provides: ['abilities'],
  apply(plugin) {
    const abilities = createAbilities(plugin.services.actions)
    plugin.provide('abilities', abilities)
    registerCore(abilities, plugin)
    plugin.hooks.rest_api_init.tap('abilities', (server) => {
      new AbilitiesController(plugin, abilities).register(server)
      new AbilityCategoriesController(plugin, abilities).register(server)
    })
  },
})
