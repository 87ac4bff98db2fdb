import type { Tap } from 'tapable'
import { isThenable } from '../awaitable.ts'
import { withinSeconds } from '../deadline.ts'
import { errors, RestError, thrownError } from '../errors.ts'
import type { Owner, Registrant } from '../ownership.ts'
import { reads } from '../reads.ts'
import { trace, tracing } from '../tracing.ts'
import { currentWork, type Waiting } from '../work.ts'
import type { Any } from './any.ts'
import { subjectOf, type RunTest } from './concern.ts'
import type { FailureLog, Fact, Hooks, HookSpec, TapFacts, TapPlace } from './hook.ts'

export type Call = (...args: Any[]) => Any
/** Options of a tap as the plugin passes them. */
export type PartialTapOptions = Partial<TapPlace> & TapFacts<Any, Fact>

/** A tap as tapable stores it, with the kernel's registration. */
export interface OwnedTap extends Tap {
  readonly fn: Call
  readonly registration: Registration
}

export interface Registration {
  /** The method that registered the tap: `tap`, `tapPromise`, or `tapAsync` with a callback. */
  readonly tapType: 'sync' | 'promise' | 'async'
  readonly facts: TapFacts<Any, Fact>
  readonly owner: Owner
  readonly registrant: Registrant
  /** Tests type and method of a run, which are known before the first tap; null without `types` and `methods`. */
  readonly earlyTest: RunTest | null
  /** Tests fields and context of the request, right before the tap is called; null without `fields` and `context`. */
  readonly lateTest: RunTest | null
  /** Whether the tap must run for each request even if the response is cached: it declares no dependencies. */
  readonly isPerRequest: boolean
  isRemoved: boolean
  /** Removes the tap from its owner's registrations. */
  readonly forget: () => void
}

/** The hook that a tap belongs to. */
export interface HookOfTap {
  readonly name: string
  readonly spec: HookSpec
  readonly site: Hooks
  /** Logs a failed tap that is skipped. */
  readonly logFailure: FailureLog
}

/** Formats the name of a tap for messages about caching. */
export const nameOf = (tap: string, hook: string) => `the tap ${tap} on ${hook}`

export const isFilter = ({ kind }: HookSpec) => kind === 'filter' || kind === 'sync filter'

/**
 * Wraps the function of a tap for `SyncWaterfallHook`. The wrapper takes the value of a filter (undefined for an
 * action) and the arguments of the hook. It returns the next value, or a promise of it if the tap waits. Errors name
 * plugin and hook.
 */
export function wrapTap(tap: OwnedTap, { name: hook, spec, site, logFailure }: HookOfTap, isTraced: boolean): Call {
  const { owner, registrant, tapType, lateTest, facts } = tap.registration
  const { name: plugin } = owner
  const source: Waiting = { hook, tap: tap.name, plugin }
  const passesValue = isFilter(spec)
  const ruled = withRules(tap, hook, spec)
  const traced: Call = (...args) => trace(tracing.tap, { site, ...source, args }, () => ruled(...args) as unknown)
  const call = isTraced ? traced : ruled
  const blame = (error: RestError) => blamed(registrant, error)
  const fail = (cause: unknown) =>
    cause instanceof RestError ? cause : blame(errors.TAP_FAILED(plugin, hook, { cause: thrownError(cause) }))
  const passOn = (value: unknown, result: unknown) => {
    if (!passesValue || result === undefined) return value
    if (spec.accepts?.(result) === false) throw blame(errors.TAP_RETURNED_WRONG(plugin, hook))
    return result
  }
  const waitFor = async (value: unknown, result: PromiseLike<unknown>, began: number) => {
    const work = currentWork()
    const wait = work?.beginWait(source, began)
    let resolved: unknown
    try {
      resolved = await result
    } catch (cause) {
      throw fail(cause)
    } finally {
      if (wait !== undefined) work?.endWait(wait)
    }
    return passOn(value, resolved)
  }
  const hookArguments: Call = (...args) => (passesValue ? args : args.slice(1)).slice(0, spec.args.length)
  // Separate parameters: rest parameters would allocate an array for each call.
  const run: Call = (value, a, b, c, d, e, f) => {
    if (lateTest !== null && !lateTest(subjectOf(spec.about, hookArguments(value, a, b, c, d, e, f))))
      return value as unknown
    const began = (calls = (calls + 1) & 0x3f_ff_ff_ff)
    let result: unknown
    try {
      result = passesValue ? call(value, a, b, c, d, e) : call(...hookArguments(value, a, b, c, d, e, f))
    } catch (cause) {
      throw fail(cause)
    }
    if (result === undefined || result === value) return value as unknown
    if (!isThenable(result)) return passOn(value, result)
    if (tapType !== 'sync') return waitFor(value, result, began)
    result.then(undefined, () => {})
    throw blame(errors.HOOK_TAP_NOT_AWAITED(plugin, hook))
  }
  const about = spec.failsAlone ?? (owner.trusted || facts.required === true ? undefined : spec.othersFailAlone)
  if (about === undefined) return run
  return (value, ...args) => {
    const failed = (error: unknown) => {
      const isForClients = error instanceof RestError && !error.isInternal
      const runFacts = passesValue ? about(value, ...args) : about(...args)
      if (runFacts === null || (isForClients && passesValue)) throw error
      reads.current()?.addFailure()
      const logged = isForClients ? errors.TAP_FAILED(plugin, hook, { cause: error }) : (error as Error)
      logFailure(logged, { ...source, ...runFacts })
      return value as unknown
    }
    try {
      const result: unknown = run(value, ...args)
      return isThenable(result) ? result.then(undefined, failed) : result
    } catch (error) {
      return failed(error)
    }
  }
}

/** Adds the plugin of the failed tap and the place of its registration to an error, for the log. */
export function blamed(registrant: Registrant, error: RestError): RestError {
  const at = registrant.at()
  error.plugin = registrant.plugin
  return at === null ? error : Object.assign(error, { tapped_at: at })
}

/** Counts calls of taps, so that `Work.waiting` can list waiting taps in the order in which they were called. */
let calls = 0

/** Wraps the function of a tap as its hook requires: callback, deadline, owner of registrations, recorded reads. */
function withRules({ name, fn, registration }: OwnedTap, hook: string, spec: HookSpec): Call {
  const { owner, tapType, facts } = registration
  let call = tapType === 'async' ? withCallback(fn, spec.args.length) : fn
  if (spec.starting === true) call = withDeadline(call, owner, hook)
  if (spec.owning === true) call = withOwner(call, owner)
  return spec.lasting === true ? call : reads.declared(call, nameOf(name, hook), facts, owner)
}

/** Makes a tap fail after the deadline of its plugin. @throws (by its promise) PLUGIN_LATE */
function withDeadline(call: Call, { name: plugin, deadline }: Owner, hook: string): Call {
  return (...args) => {
    const result: unknown = call(...args)
    if (!isThenable(result)) return result
    return withinSeconds(result, deadline, () => errors.PLUGIN_LATE(plugin, `hook ${hook}`, deadline))
  }
}

/** Makes the plugin of a tap the owner of the tap's registrations. */
function withOwner(call: Call, owner: Owner): Call {
  return (...args) => owner.run(() => call(...args) as unknown)
}

/** Converts a function with a callback into one that returns a promise. @param count arguments before the callback */
function withCallback(call: Call, count: number): Call {
  return (...args) =>
    new Promise((resolve, reject) => {
      call(...args.slice(0, count), (error: Error | null | undefined, result: unknown) =>
        error ? reject(error) : resolve(result),
      )
    })
}
