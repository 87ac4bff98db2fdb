import { action, filter, type Action, type Filter, type HookSpecs, type RestError } from '../../../kernel/index.ts'
import type { ActionCall } from './action.ts'

/** The hooks of actions. */
interface ActionHooks {
  /**
   * Filter: the input of an action, checked, before the permission is asked. What a tap returns is checked again.
   * @since 0.1.0
   */
  action_input: Filter<unknown, [call: ActionCall]>
  /**
   * Filter: whether a user may run an action, after its own permission; only `true` permits. Never allow more than it
   * does without looking at all of the input. @since 0.1.0
   */
  action_permission: Filter<boolean | RestError, [input: unknown, call: ActionCall]>
  /** Filter: the output of an action, before it is checked. Within its transaction, if it has one. @since 0.1.0 */
  action_output: Filter<unknown, [input: unknown, call: ActionCall]>
  /** Action: an action was run, and its transaction closed. Not told of one that failed. @since 0.1.0 */
  action_executed: Action<[output: unknown, input: unknown, call: ActionCall]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends ActionHooks {}
}

export const actionHooks: HookSpecs<ActionHooks> = {
  action_input: filter('input', 'call'),
  action_permission: filter('permitted', 'input', 'call'),
  action_output: filter('output', 'input', 'call'),
  action_executed: action('output', 'input', 'call'),
}
