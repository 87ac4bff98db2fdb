import { isThenable, type Awaitable } from '../awaitable.ts'
import { withinSeconds } from '../deadline.ts'
import { declared, type DependsOn } from '../declared.ts'
import { keepBriefly } from '../dependencies.ts'
import { errors, RestError, thrownError } from '../errors.ts'
import { findPromise } from '../find-promise.ts'
import type { Owner, Registrant } from '../ownership.ts'
import { currentWork, type Waiting } from '../work.ts'
import type { Any } from './any.ts'
import { subjectOf, type About, type Concerns } from './concern.ts'
import { trace, tracing, type TapSpan } from '../tracing.ts'
import type { FailureLog, HookKind, Hooks, HookSpec } from './hook.ts'

export type Call = (...args: Any[]) => Any

/** Who made a tap, how its owner forgets it, and what it said of itself. */
export interface Registration {
  readonly owner: Owner
  /** Who made it, and where. */
  readonly registrant: Registrant
  /** The hook, and what has taken its place since. */
  readonly hooks: unknown[]
  forget: () => void
  /** Whether the tap is for a run by its type and method, which are known as it begins; null where it is for all. */
  readonly ahead: Concerns | null
  /** Whether it is by what the request asks for. */
  readonly late: Concerns | null
  /** Whether it has to be run for each request, as it does not say what it depends on. */
  readonly isPerRequest: boolean
}

/** A tap as tapable keeps it. */
export interface OwnedTap {
  name: string
  type: 'sync' | 'async' | 'promise'
  fn: Call
  stage?: number
  before?: string | string[]
  dependsOn?: DependsOn<Any>
  cache?: boolean
  required?: boolean
  /** The types of objects that it is for. */
  types?: string | readonly string[]
  registration: Registration
}

/** A tap as it is run. */
export interface Step {
  /** The tap; where it may wait it returns a promise, unless it was through at once. */
  readonly call: Call
  /** The error that names plugin and hook, made of what the tap threw. */
  readonly fail: (cause: unknown) => Error
  /** The error for a promise of a tap that may not wait; null for one that may. */
  readonly notAwaited: ((result: PromiseLike<unknown>) => Error) | null
  /** Gives back what a tap of a filter returned. Throws for a value that the filter cannot pass on; null takes any. */
  readonly accepted: ((value: unknown) => unknown) | null
  /** What it is called while a request waits for it. */
  readonly source: Waiting
}

/**
 * Makes a tap ready to be run: its errors name plugin and hook, its deadline is observed.
 * @param site the hooks that it is for, where subscribers of `svc-rest:tap` are told of it; else null
 * @param isChosen whether it is called for the types and methods alone that it is for
 */
export function stepOf(
  tap: OwnedTap,
  hook: string,
  spec: HookSpec,
  site: Hooks | null,
  logFailure: FailureLog,
  isChosen: boolean,
): Step {
  const { owner, registrant, ahead, late } = tap.registration
  const plugin = owner.name
  let call = tap.type === 'async' ? settled(tap.fn, spec.args.length) : tap.fn
  if (spec.starting === true) call = inTime(call, owner, hook)
  if (spec.mistakes !== undefined && !owner.trusted) call = withoutMistakes(call, spec.mistakes, registrant, hook)
  if (spec.json !== undefined && !owner.trusted) call = withoutPromises(call, spec.json, registrant, hook)
  if (site !== null) call = traced(call, { site, hook, plugin, tap: tap.name })
  if (spec.owning === true) call = owned(call, owner)
  if (spec.owning === 'lasting') call = ownedLastingly(call, owner)
  if (spec.lasting !== true) call = declared(call, nameOf(tap.name, hook), tap, owner)
  if (late !== null) call = concerned(call, late, spec.about ?? {})
  if (ahead !== null && !isChosen) call = concerned(call, ahead, spec.about ?? {})
  const fail = (cause: unknown) =>
    cause instanceof RestError
      ? cause
      : tappedAt(registrant, errors.TAP_FAILED(plugin, hook, { cause: thrownError(cause) }))
  const notAwaited = (result: PromiseLike<unknown>) => {
    result.then(undefined, () => {})
    return tappedAt(registrant, errors.HOOK_TAP_NOT_AWAITED(plugin, hook))
  }
  const { accepts } = spec
  const accepted = (value: unknown) => {
    if (value !== undefined && accepts?.(value) === false)
      throw tappedAt(registrant, errors.TAP_RETURNED_WRONG(plugin, hook))
    return value
  }
  const step: Step = {
    call,
    fail,
    notAwaited: tap.type === 'sync' ? notAwaited : null,
    accepted: accepts === undefined ? null : accepted,
    source: { hook, tap: tap.name, plugin },
  }
  const about = spec.failsAlone ?? (owner.trusted || tap.required === true ? undefined : spec.othersFailAlone)
  return about === undefined ? step : alone(step, spec.kind, about, logFailure)
}

/** An error that tells the log whose tap it is, and where that was made. */
function tappedAt(registrant: Registrant, error: RestError): RestError {
  const at = registrant.at()
  error.plugin = registrant.plugin
  return at === null ? error : Object.assign(error, { tapped_at: at })
}

/** The name of a tap in messages about caching. */
export const nameOf = (tap: string, hook: string) => `the tap ${tap} on ${hook}`

/** Runs one tap by itself. */
export function runStep({ call, fail, notAwaited, accepted, source }: Step, args: Any[]): unknown {
  const began = nextCall()
  let result: unknown
  try {
    result = call(...args)
  } catch (cause) {
    throw fail(cause)
  }
  if (!isThenable(result)) return accepted === null ? result : accepted(result)
  if (notAwaited !== null) throw notAwaited(result)
  const endWait = beginWait(source, began)
  return result.then(
    (late) => {
      endWait?.()
      return accepted === null ? late : accepted(late)
    },
    (cause: unknown) => {
      endWait?.()
      throw fail(cause)
    },
  )
}

/** Grows with each tap that is called, so that of two that wait it is known which has called the other. */
let calls = 0

/** A number for a tap that is about to be called. It stays one that V8 keeps without a place of its own in memory. */
const nextCall = () => (calls = (calls + 1) & 0x3f_ff_ff_ff)

/**
 * Notes what the work under way waits for, so that it can be named once that takes too long.
 * @returns what ends it
 */
function beginWait(tap: Waiting, began: number): (() => void) | undefined {
  const work = currentWork()
  if (work === undefined) return undefined
  const wait = work.beginWait(tap, began)
  return () => work.endWait(wait)
}

/**
 * Passes a value through taps, from one of them on. It does what tapable would do, without a callback for each run:
 * a run costs next to nothing beside its taps, and a promise is made only where a tap waits.
 */
export function runFilterSteps(
  steps: readonly Step[],
  from: number,
  first: Any,
  a: Any,
  b: Any,
  c: Any,
  d: Any,
  e: Any,
): Awaitable<Any> {
  let value = first
  for (let at = from; at < steps.length; at += 1) {
    const step = steps[at]!
    const began = nextCall()
    let result: Any
    try {
      result = step.call(value, a, b, c, d, e)
    } catch (cause) {
      throw step.fail(cause)
    }
    if (result === undefined || result === value) continue
    if (isThenable(result)) {
      if (step.notAwaited !== null) throw step.notAwaited(result)
      const before = value
      const endWait = beginWait(step.source, began)
      return result.then(
        (late) => {
          endWait?.()
          step.accepted?.(late)
          return runFilterSteps(steps, at + 1, late === undefined ? before : late, a, b, c, d, e)
        },
        (cause: unknown) => {
          endWait?.()
          throw step.fail(cause)
        },
      ) as Promise<Any>
    }
    step.accepted?.(result)
    value = result
  }
  return value
}

/** Tells taps, from one of them on. */
export function runActionSteps(steps: readonly Step[], from: number, args: Any[]): Awaitable<void> {
  for (let at = from; at < steps.length; at += 1) {
    const result = runStep(steps[at]!, args)
    if (isThenable(result)) return result.then(() => runActionSteps(steps, at + 1, args)) as Promise<void>
  }
}

/** Tells taps that fail alone: each at once, and none waits for another. */
export function runStepsAlone(steps: readonly Step[], args: Any[]): Awaitable<void> {
  const waiting = steps.map((step) => runStep(step, args)).filter(isThenable)
  if (waiting.length > 0) return Promise.all(waiting).then(() => {})
}

/** A step whose failure is logged, and which then counts as one that was not there. */
function alone(step: Step, kind: HookKind, aboutOf: (...args: Any) => object | null, log: FailureLog): Step {
  const isFilter = kind === 'filter' || kind === 'sync filter'
  const call: Call = (...args) => {
    const failed = (error: unknown) => {
      const isForClients = error instanceof RestError && !error.isInternal
      const about = aboutOf(...args)
      if (about === null || (isForClients && isFilter)) throw error
      keepBriefly()
      const { plugin, hook } = step.source
      const named = isForClients ? errors.TAP_FAILED(plugin, hook, { cause: error }) : (error as Error)
      log(named, { ...step.source, ...about })
    }
    try {
      const result = runStep(step, args)
      return isThenable(result) ? result.then(undefined, failed) : result
    } catch (error) {
      return failed(error)
    }
  }
  return { ...step, call, notAwaited: null, accepted: null }
}

/** A tap that fails when it takes longer than its plugin may. */
function inTime(call: Call, { name: plugin, deadline }: Owner, hook: string): Call {
  return (...args) => {
    const result: unknown = call(...args)
    if (!isThenable(result)) return result
    return withinSeconds(result, deadline, () => errors.PLUGIN_LATE(plugin, `hook ${hook}`, deadline))
  }
}

/** A tap of a filter that may not make mistakes in what it passes on. */
function withoutMistakes(
  call: Call,
  mistakesIn: NonNullable<HookSpec['mistakes']>,
  registrant: Registrant,
  hook: string,
): Call {
  return (value, ...args) => {
    const before = mistakesIn(value)
    const result: unknown = call(value, ...args)
    if (isThenable(result)) return result
    // A tap that returns nothing may have changed the value that it was given.
    const mistake = mistakesIn(result ?? value).find((one) => !before.includes(one))
    if (mistake !== undefined) {
      throw tappedAt(registrant, errors.TAP_RETURNED_MISTAKE(registrant.plugin, hook, mistake))
    }
    return result
  }
}

/** A tap of a filter that may leave no promise in what becomes JSON. */
function withoutPromises(call: Call, json: NonNullable<HookSpec['json']>, registrant: Registrant, hook: string): Call {
  return (value, ...args) => {
    const checked = (result: unknown) => {
      // A tap that returns nothing may have changed the value that it was given.
      const path = findPromise(json(result ?? value))
      if (path === null) return result
      throw tappedAt(registrant, errors.PROMISE_IN_RESPONSE(registrant.plugin, `its tap of ${hook}`, path))
    }
    const result: unknown = call(value, ...args)
    return isThenable(result) ? result.then(checked) : checked(result)
  }
}

/** A tap that subscribers are told of. */
function traced(call: Call, told: Pick<TapSpan, 'site' | 'hook' | 'plugin' | 'tap'>): Call {
  return (...args) => trace(tracing.tap, { ...told, args }, () => call(...args) as unknown)
}

/** A tap whose registrations belong to its plugin until the server is initialised again. */
function owned(call: Call, owner: Owner): Call {
  return (...args) => owner.run(() => call(...args))
}

/** A tap whose registrations belong to its plugin. */
function ownedLastingly(call: Call, owner: Owner): Call {
  return (...args) => owner.run(() => call(...args))
}

/** A tap that is called for what it is for; of the rest it lets everything be as it is. */
function concerned(call: Call, concerns: Concerns, about: Partial<About>): Call {
  return (...args) => (concerns(subjectOf(about, args)) ? call(...args) : undefined)
}

/** Makes a tap with a callback one that returns its result: at once where the callback is called at once. */
function settled(call: Call, count: number): Call {
  return (a, b, c, d, e, f) => {
    let state: 'open' | 'done' | 'waited for' = 'open'
    let failure: unknown
    let result: unknown
    let settle: (() => void) | undefined
    const done = (error: unknown, value?: unknown) => {
      if (state === 'done') return
      const waited = state === 'waited for'
      state = 'done'
      failure = error
      result = value
      if (waited) settle!()
    }
    if (count === 3) call(a, b, c, done)
    else if (count === 2) call(a, b, done)
    else call(...[a, b, c, d, e, f].slice(0, count), done)
    const finish = () => {
      if (failure) throw failure as Error
      return result
    }
    if ((state as string) === 'done') return finish()
    state = 'waited for'
    return new Promise<void>((resolve) => (settle = resolve)).then(finish)
  }
}
