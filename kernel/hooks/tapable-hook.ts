import { AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook, SyncWaterfallHook } from 'tapable'
import { errors } from '../errors.ts'
import { currentOwner } from '../ownership.ts'
import type { Any } from './any.ts'
import type { HookKind, HookSpec, TapTracer } from './hook.ts'
import {
  runActionSteps,
  runFilterSteps,
  runStep,
  stepOf,
  type Call,
  type OwnedTap,
  type Registration,
  type Step,
} from './steps.ts'

export type AnyHook = SyncHook<Any> | SyncWaterfallHook<Any> | AsyncSeriesHook<Any> | AsyncSeriesWaterfallHook<Any>

/** A hook's ways in, and the method by which tapable makes a function of its taps when it is first called after a change. */
interface Tapable {
  taps: OwnedTap[]
  readonly interceptors: unknown[]
  intercept(interceptor: object): void
  promise: Call
  tap: Call
  tapAsync: Call
  tapPromise: Call
  compile: (options: CompileOptions) => Call
}

interface CompileOptions {
  readonly taps: readonly OwnedTap[]
  readonly interceptors: readonly unknown[]
  readonly args: readonly string[]
  /** By which method the hook is called: `call`, `callAsync` or `promise`. */
  readonly type: 'sync' | 'async' | 'promise'
}

/** What tapable has for each kind. */
const KINDS = {
  action: new AsyncSeriesHook<Any>(),
  filter: new AsyncSeriesWaterfallHook<Any>(['value']),
  'sync action': new SyncHook<Any>(),
  'sync filter': new SyncWaterfallHook<Any>(['value']),
} as unknown as Readonly<Record<HookKind, Tapable>>

/**
 * Makes a hook. Each is called by `call`, also one whose taps may wait: it waits only for taps that do. For interceptors,
 * `promise` and `callAsync`, tapable does it in its own way.
 * @param tracer what calls the taps, if anything, asked for whenever the hook is compiled
 */
export function createHook(name: string, spec: HookSpec, tracer: () => TapTracer | undefined): AnyHook {
  // Names of our own: tapable makes code of them, and a plugin may well call an argument `class`.
  const names = spec.args.map((_, index) => `a${index}`)
  // Only tapable's hooks for synchronous taps are compiled for `call`.
  const hook = new SyncHook<Any>(names as Any, name) as unknown as Tapable
  hook.compile = (options) => {
    const steps = options.taps.map((tap) => stepOf(tap, name, spec, tracer()))
    if (options.type === 'sync' && options.interceptors.length === 0) return callOf(spec.kind, steps)
    if (options.type === 'sync' && !isSync(spec)) return (...args) => hook.promise(...args)
    return Reflect.apply(KINDS[spec.kind].compile, hook, [{ ...options, taps: options.taps.map(asRun(steps)) }])
  }
  for (const way of ['tap', 'tapAsync', 'tapPromise'] as const) {
    hook[way] = (options: string | Partial<OwnedTap>, tap: Call) => {
      const owner = currentOwner()
      if (way !== 'tap' && isSync(spec)) throw errors.HOOK_SYNC_ONLY(owner.name, name)
      const given = typeof options === 'string' ? { name: options } : options
      for (const before of [given.before ?? []].flat()) {
        if (!hook.taps.some((one) => one.name === before)) throw errors.HOOK_TAP_UNKNOWN(name, before)
      }
      const registration: Registration = { owner, forget: () => {} }
      Reflect.apply(KINDS[spec.kind][way], hook, [{ ...given, registration }, tap])
      registration.forget = owner.onRemove(() => void take(hook, (one) => one.registration === registration))
    }
  }
  return hook as unknown as AnyHook
}

const isSync = ({ kind }: HookSpec) => kind === 'sync action' || kind === 'sync filter'

/** What runs a hook that nobody intercepts. */
function callOf(kind: HookKind, steps: readonly Step[]): Call {
  const isFilter = kind === 'filter' || kind === 'sync filter'
  if (steps.length === 0) return isFilter ? (value) => value : () => {}
  return isFilter
    ? (value, a, b, c, d, e) => runFilterSteps(steps, 0, value, a, b, c, d, e)
    : (...args) => runActionSteps(steps, 0, args)
}

/** Taps as tapable is to call them: as steps. */
const asRun =
  (steps: readonly Step[]) =>
  (tap: OwnedTap, at: number): OwnedTap => {
    const step = steps[at]!
    if (tap.type === 'sync') return { ...tap, fn: (...args) => runStep(step, args) }
    return { ...tap, type: 'promise', fn: async (...args) => runStep(step, args) }
  }

/** Whether any tap of a hook is none of a default plugin. */
export function isTappedByOthers(hook: object): boolean {
  return tapsOf(hook as AnyHook).some(({ registration }) => !registration.owner.isDefault)
}

/** The taps of a hook in order. */
export const tapsOf = (hook: AnyHook): readonly OwnedTap[] => (hook as unknown as Tapable).taps

/**
 * Takes the taps of a name away, also while their hook runs: a run under way ends with the taps it began with.
 * @returns how many were taken away
 */
export const takeTaps = (hook: AnyHook, name: string): number =>
  take(hook as unknown as Tapable, (tap) => tap.name === name)

function take(hook: Tapable, matches: (tap: OwnedTap) => boolean): number {
  const taken = hook.taps.filter(matches)
  if (taken.length === 0) return 0
  for (const { registration } of taken) registration.forget()
  hook.taps = hook.taps.filter((tap) => !taken.includes(tap))
  anew(hook)
  return taken.length
}

/** Has a hook compiled anew when it is next called. */
export const compileAnew = (hook: AnyHook): void => anew(hook as unknown as Tapable)

/** tapable does so when an interceptor comes; this one goes at once. */
function anew(hook: Tapable): void {
  hook.intercept({})
  hook.interceptors.pop()
}
