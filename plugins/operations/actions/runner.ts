import {
  applyFilter,
  currentWork,
  forbidden,
  RequestCache,
  RestError,
  runAction,
  runWork,
  Work,
  type Guard,
  type PluginContext,
} from '../../../kernel/index.ts'
import { refusePromise } from '../../library/advice/index.ts'
import { parseValue } from '../../requests/arguments/index.ts'
import type { ActionCall, Caller } from './action.ts'
import { errors } from './errors.ts'
import { pickListed } from './listed.ts'
import type { Registered } from './registry.ts'

/** A run with validated input. */
export interface Prepared {
  readonly registered: Registered
  readonly input: unknown
  readonly call: ActionCall
  readonly work: Work
}

/** Runs actions: input, permission, handler, output. */
export class ActionRunner {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /**
   * Validates the input.
   * @param outer work that the run belongs to, unless other work is in progress
   * @throws rest_missing_callback_param, rest_invalid_param
   */
  async prepare(registered: Registered, input: unknown, caller: Caller, outer?: Work): Promise<Prepared> {
    const { name, action, input: checker } = registered
    const running = currentWork() ?? outer ?? new Work()
    const isRead = action.annotations?.readonly === true
    const work = isRead ? running.part() : running
    if (isRead) work.guard = refuseWrites(name)
    const { user, scope = new RequestCache(), via = 'service' } = caller
    const call = new RunningCall({ name, user, scope, via }, work)
    const checked = await checker.check(input)
    const filtered = await applyFilter(this.#plugin.hooks.action_input, checked, call)
    return { registered, input: filtered === checked ? checked : await checker.check(filtered), call, work }
  }

  /** The error that prevents the user from running the action; null if it is permitted. */
  async refusal({ registered: { action }, input, call, work }: Prepared): Promise<RestError | null> {
    const own = await runWork(work, () => action.permission(input, call))
    const permitted = await applyFilter(this.#plugin.hooks.action_permission, own, input, call)
    if (permitted === true) return null
    return permitted instanceof RestError ? permitted : forbidden(call, errors.action_forbidden, call.name)
  }

  /** Runs a permitted action. @throws action_output_invalid, action_has_written, errors of the action */
  async run({ registered, input, call, work }: Prepared): Promise<unknown> {
    const { action } = registered
    const { hooks, services } = this.#plugin
    const act = async () => {
      const returned = await action.run(input, call)
      if (returned instanceof RestError) throw returned
      return this.#checked(registered, await applyFilter(hooks.action_output, returned, input, call))
    }
    const whole = action.transaction === true ? () => services.store.inTurn(act) : act
    const output = await runWork(work, whole)
    await runAction(hooks.action_executed, output, input, call)
    return output
  }

  /** Validates the output and removes unlisted properties. @throws action_output_invalid */
  #checked({ name, action: { output_schema: schema }, owner }: Registered, output: unknown): unknown {
    refusePromise(output, owner.name, `the output of the action ${name}`)
    if (schema === undefined) return output ?? null
    try {
      return pickListed(parseValue(output, schema, 'output'), schema)
    } catch (cause) {
      this.#plugin.log.error(
        { action: name, plugin: owner.name, err: cause },
        'the output of an action does not match its schema',
      )
      throw errors.action_output_invalid(name, { cause })
    }
  }
}

/** Context of a run. The signal is a getter because most actions never need one. */
class RunningCall implements ActionCall {
  readonly name: string
  readonly user: ActionCall['user']
  readonly scope: RequestCache
  readonly via: string
  readonly #work: Work

  constructor({ name, user, scope, via }: Omit<ActionCall, 'signal'>, work: Work) {
    this.name = name
    this.user = user
    this.scope = scope
    this.via = via
    this.#work = work
  }

  get signal(): AbortSignal {
    return this.#work.signal
  }
}

/** Rejects each write of a run, including nested runs. */
function refuseWrites(name: string): Guard {
  return { isPending: true, write: () => Promise.reject(errors.action_has_written(name)) }
}
