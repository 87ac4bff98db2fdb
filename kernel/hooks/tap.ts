import type { Tap } from 'tapable'
import { isThenable } from '../awaitable.ts'
import { withinSeconds } from '../deadline.ts'
import { errors, RestError, thrownError } from '../errors.ts'
import type { Owner, Registrant } from '../ownership.ts'
import { reads } from '../reads.ts'
import { trace, tracing } from '../tracing.ts'
import { currentWork, type Waiting } from '../work.ts'
import type { Any } from './any.ts'
import { subjectOf, type Concerns } from './concern.ts'
import type { FailureLog, Fact, Hooks, HookSpec, TapFacts, TapPlace } from './hook.ts'

export type Call = (...args: Any[]) => Any
/** The options of a tap as plugins pass them. */
export type GivenTap = Partial<TapPlace> & TapFacts<Any, Fact>

/** A tap as tapable stores it, with what the kernel adds. */
export interface OwnedTap extends Tap {
  readonly fn: Call
  readonly registration: Registration
}

export interface Registration {
  /** The method that it was registered by: `async` is a tap with a callback. */
  readonly way: 'sync' | 'promise' | 'async'
  readonly facts: TapFacts<Any, Fact>
  readonly owner: Owner
  readonly registrant: Registrant
  /** Whether the type and method of a run, known as it begins, are those of the tap; null for a tap of all runs. */
  readonly ahead: Concerns | null
  /** The same for the fields and the context of the request. */
  readonly late: Concerns | null
  /** Whether it must run for each request although the response is stored, as it does not say what it depends on. */
  readonly isPerRequest: boolean
  isRemoved: boolean
  /** Has its owner forget it. */
  readonly forget: () => void
}

/** The hook of a tap. */
export interface HookOfTap {
  readonly name: string
  readonly spec: HookSpec
  readonly site: Hooks
  /** Called for a tap whose failure is logged and skipped. */
  readonly logFailure: FailureLog
}

/** The name of a tap in messages about caching. */
export const nameOf = (tap: string, hook: string) => `the tap ${tap} on ${hook}`

export const isFilter = ({ kind }: HookSpec) => kind === 'filter' || kind === 'sync filter'

/**
 * Wraps the function of a tap for `SyncWaterfallHook`. The result is called with the value of a filter, or undefined for an
 * action, and the arguments of the hook. It returns the next value, or a promise of it if the tap waits. Errors name the
 * plugin and the hook.
 */
export function wrapTap(tap: OwnedTap, { name: hook, spec, site, logFailure }: HookOfTap, isTraced: boolean): Call {
  const { owner, registrant, way, late, facts } = tap.registration
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
    let late: unknown
    try {
      late = await result
    } catch (cause) {
      throw fail(cause)
    } finally {
      if (wait !== undefined) work?.endWait(wait)
    }
    return passOn(value, late)
  }
  const listed: Call = (...args) => (passesValue ? args : args.slice(1)).slice(0, spec.args.length)
  // Arguments one by one: V8 would create an array of them for each call.
  const run: Call = (value, a, b, c, d, e, f) => {
    if (late !== null && !late(subjectOf(spec.about, listed(value, a, b, c, d, e, f)))) return value as unknown
    const began = (calls = (calls + 1) & 0x3f_ff_ff_ff)
    let result: unknown
    try {
      result = passesValue ? call(value, a, b, c, d, e) : call(...listed(value, a, b, c, d, e, f))
    } catch (cause) {
      throw fail(cause)
    }
    if (result === undefined || result === value) return value as unknown
    if (!isThenable(result)) return passOn(value, result)
    if (way !== 'sync') return waitFor(value, result, began)
    result.then(undefined, () => {})
    throw blame(errors.HOOK_TAP_NOT_AWAITED(plugin, hook))
  }
  const about = spec.failsAlone ?? (owner.trusted || facts.required === true ? undefined : spec.othersFailAlone)
  if (about === undefined) return run
  return (value, ...args) => {
    const failed = (error: unknown) => {
      const isForClients = error instanceof RestError && !error.isInternal
      const told = passesValue ? about(value, ...args) : about(...args)
      if (told === null || (isForClients && passesValue)) throw error
      reads.current()?.addFailure()
      const named = isForClients ? errors.TAP_FAILED(plugin, hook, { cause: error }) : (error as Error)
      logFailure(named, { ...source, ...told })
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

/** Sets on an error which plugin's tap it is about and where the tap was registered, for the log. */
export function blamed(registrant: Registrant, error: RestError): RestError {
  const at = registrant.at()
  error.plugin = registrant.plugin
  return at === null ? error : Object.assign(error, { tapped_at: at })
}

/** A number that grows with each call of a tap: of two taps that wait, it shows which one called the other. */
let calls = 0

/** Adds to the function of a tap what the specification of its hook asks for. */
function withRules({ name, fn, registration }: OwnedTap, hook: string, spec: HookSpec): Call {
  const { owner, way, facts } = registration
  let call = way === 'async' ? withCallback(fn, spec.args.length) : fn
  if (spec.starting === true) call = inTime(call, owner, hook)
  if (spec.owning === true) call = owned(call, owner)
  return spec.lasting === true ? call : reads.declared(call, nameOf(name, hook), facts, owner)
}

/** Fails a tap that takes longer than its plugin may. */
function inTime(call: Call, { name: plugin, deadline }: Owner, hook: string): Call {
  return (...args) => {
    const result: unknown = call(...args)
    if (!isThenable(result)) return result
    return withinSeconds(result, deadline, () => errors.PLUGIN_LATE(plugin, `hook ${hook}`, deadline))
  }
}

/** Lets the plugin of a tap own the registrations that the tap makes. */
function owned(call: Call, owner: Owner): Call {
  return (...args) => owner.run(() => call(...args) as unknown)
}

/** Makes of a function that takes a callback one that returns a promise. */
function withCallback(call: Call, count: number): Call {
  return (...args) =>
    new Promise((resolve, reject) => {
      call(...args.slice(0, count), (error: Error | null | undefined, result: unknown) =>
        error ? reject(error) : resolve(result),
      )
    })
}
