import { definePlugin } from '../../../kernel/index.ts'
import type { Abilities } from './ability.ts'
import { AbilitiesController, AbilityCategoriesController } from './controller.ts'
import { registerCore } from './core.ts'
import { createAbilities } from './registry.ts'

export type { Abilities, AbilityCategory, AbilitySpec } from './ability.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * What the plugins of the site can do, for programs that ask what there is.
     * @example
     * services.abilities.registerCategory('garden', { label: 'Garden', description: 'What there is to do.' })
     */
    abilities: Abilities
  }
}

/** What the plugins of the site can do, for programs that ask what there is: actions under the names that clients know. */
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
