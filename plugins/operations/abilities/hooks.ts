import { action, filter, type Action, type Filter, type HookSpecs, type RestError } from '../../../kernel/index.ts'
import type { AbilityCaller } from './ability.ts'

/** The hooks of abilities. */
interface AbilityHooks {
  /** Filter: the input of an ability before it is checked. @since 0.2.0 */
  ability_input: Filter<unknown, [name: string, caller: AbilityCaller]>
  /** Filter: whether a user may run an ability, after its own permission; only `true` permits. @since 0.2.0 */
  ability_permission: Filter<boolean | RestError, [name: string, input: unknown, caller: AbilityCaller]>
  /** Action: an ability is about to run; what is thrown refuses it. @since 0.2.0 */
  before_execute_ability: Action<[name: string, input: unknown, caller: AbilityCaller]>
  /** Filter: the output of an ability before it is checked. @since 0.2.0 */
  ability_output: Filter<unknown, [name: string, input: unknown, caller: AbilityCaller]>
  /** Action: an ability was run. Not told of one that failed. @since 0.2.0 */
  after_execute_ability: Action<[name: string, input: unknown, output: unknown, caller: AbilityCaller]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends AbilityHooks {}
}

export const abilityHooks: HookSpecs<AbilityHooks> = {
  ability_input: filter('input', 'name', 'caller'),
  ability_permission: filter('permitted', 'name', 'input', 'caller'),
  before_execute_ability: action('name', 'input', 'caller'),
  ability_output: filter('output', 'name', 'input', 'caller'),
  after_execute_ability: action('name', 'input', 'output', 'caller'),
}
