import { action, filter, type Action, type Filter, type HookSpecs, type RestError } from '../../../kernel/index.ts'
import type { ActionCall } from './action.ts'

interface ActionHooks {
  /**
   * Filter: the validated input of an action, before the permission check. The returned input is validated again.
   * @since 0.1.0
   */
  action_input: Filter<unknown, [call: ActionCall]>
  /**
   * Filter: whether a user may run an action, after its permission check; only `true` permits. Never allow more than it
   * does without looking at all of the input. @since 0.1.0
   */
  action_permission: Filter<boolean | RestError, [input: unknown, call: ActionCall]>
  /** Filter: the output of an action, before its validation and within its transaction, if any. @since 0.1.0 */
  action_output: Filter<unknown, [input: unknown, call: ActionCall]>
  /** Action: an action has run, and its transaction is committed. Does not run for failed actions. @since 0.1.0 */
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
