import { AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook, SyncWaterfallHook } from 'tapable'
import { errors } from '../errors.ts'
import { registeringOwner, type Owner } from '../ownership.ts'
import type { Any } from './any.ts'
import { chosen } from './chosen.ts'
import { aheadOf, concernsKnown, concernsOf, concernsUsed, lateOf, type KnownSubject } from './concern.ts'
import { hint } from '../text/unknown-key.ts'
import type { FailureLog, HookKind, Hooks, HookSpec } from './hook.ts'
import {
  nameOf,
  runActionSteps,
  runFilterSteps,
  runStep,
  runStepsAlone,
  stepOf,
  type Call,
  type OwnedTap,
  type Registration,
  type Step,
} from './steps.ts'
import { isTraced, Steps } from './traced-steps.ts'
import { tapMistake, type GivenTap } from './tap-mistake.ts'

export type AnyHook = SyncHook<Any> | SyncWaterfallHook<Any> | AsyncSeriesHook<Any> | AsyncSeriesWaterfallHook<Any>

/** A hook's ways in, and the method by which tapable makes a function of its taps when it is first called after a change. */
interface Tapable {
  taps: OwnedTap[]
  own: Own
  isUsed(): boolean
  _insert(tap: OwnedTap): void
  readonly interceptors: unknown[]
  intercept(interceptor: object): void
  promise: Call
  tap: Call
  tapAsync: Call
  tapPromise: Call
  compile: (options: CompileOptions) => Call
}

/** What a hook has beside what tapable knows of it. */
interface Own {
  readonly name: string
  readonly spec: HookSpec
  readonly site: Hooks
  readonly logFailure: FailureLog
}

interface CompileOptions {
  readonly taps: readonly OwnedTap[]
  readonly interceptors: readonly unknown[]
  readonly args: readonly string[]
  /** By which method the hook is called: `call`, `callAsync` or `promise`. */
  readonly type: 'sync' | 'async' | 'promise'
}

/** Hooks that have been run at all. */
const ran = new WeakSet<object>()

/** Whether anybody has run a hook yet. */
export const hasRun = (hook: AnyHook): boolean => ran.has(hook)

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
 * @param site the hooks that it is one of
 * @param logFailure told of taps that fail alone
 */
export function createHook(name: string, spec: HookSpec, site: Hooks, logFailure: FailureLog): AnyHook {
  // Names of our own: tapable makes code of them, and a plugin may well call an argument `class`.
  const names = spec.args.map((_, index) => `a${index}`)
  // Only tapable's hooks for synchronous taps are compiled for `call`.
  const hook = new SyncHook<Any>(names as Any, name) as unknown as Tapable
  const own: Own = { name, spec, site, logFailure }
  hook.own = own
  hook.isUsed = () => hook.interceptors.length > 0 || hook.taps.length > 0
  hook._insert = (tap) => {
    hook.taps.splice(placeAmong(hook.taps, tap), 0, tap)
    anew(hook)
  }
  hook.compile = (options) => {
    ran.add(hook)
    return compiled(hook, options, hook.taps)
  }
  for (const way of ['tap', 'tapAsync', 'tapPromise'] as const) {
    hook[way] = (options: string | GivenTap, tap: Call, ...beyond: unknown[]) => {
      const owner = registeringOwner(() => `a tap of ${name}`)
      if (way !== 'tap' && isSync(spec)) throw errors.HOOK_SYNC_ONLY(owner.name, name)
      const given = typeof options === 'string' ? { name: options } : options
      const mistake = owner.trusted ? null : tapMistake(given, tap, beyond)
      if (mistake !== null) throw errors.HOOK_TAP_INVALID(owner.name, name, mistake)
      for (const before of [given.before ?? []].flat()) {
        const there = hook.taps.map((one) => one.name)
        if (!there.includes(before)) throw errors.HOOK_TAP_UNKNOWN(name, before, hint(before, there))
      }
      const known = concernsKnown(spec.about)
      const unknown = concernsUsed(given).find((concern) => !known.includes(concern))
      if (unknown !== undefined) throw errors.HOOK_FILTER_UNKNOWN(owner.name, name, unknown, known.join(', '))
      const isPerRequest =
        !owner.trusted && spec.lasting !== true && (given.dependsOn === undefined || given.cache === false)
      if (given.cache === false && spec.lasting !== true)
        owner.noteUncached(`${nameOf(given.name!, name)}: cache: false`)
      const { registrant } = owner
      const registration: Registration = {
        owner,
        hooks: [hook],
        registrant,
        forget: () => {},
        ahead: concernsOf(aheadOf(given)),
        late: concernsOf(lateOf(given)),
        isPerRequest,
      }
      // To tapable a context is something else.
      const { context: _, ...kept } = given
      Reflect.apply(KINDS[spec.kind][way], hook, [{ ...kept, registration }, tap])
      const undo = () => {
        for (const one of registration.hooks) take(one as Tapable, (tap) => tap.registration === registration)
      }
      registration.forget = owner.onRemove(undo, { kind: 'tap', name: tapName(name, given.name!, owner) })
    }
  }
  return hook as unknown as AnyHook
}

/** How a tap is listed: by its hook, and by its own name where that is not the plugin's. */
const tapName = (hook: string, tap: string, owner: Owner) => (tap === owner.name ? hook : `${hook} (${tap})`)

const isSync = ({ kind }: HookSpec) => kind === 'sync action' || kind === 'sync filter'

function stepsOf({ name, spec, site, logFailure }: Own, taps: readonly OwnedTap[], isChosen = false): Steps {
  return new Steps(taps, name, site, (tap, of) => stepOf(tap, name, spec, of, logFailure, isChosen))
}

/** What runs a hook with these taps, in one of tapable's ways. */
function compiled(hook: Tapable, options: CompileOptions, taps: readonly OwnedTap[]): Call {
  const { spec } = hook.own
  if (options.type === 'sync' && options.interceptors.length === 0)
    return chosen(spec.about ?? {}, taps, (some) => callOf(spec, stepsOf(hook.own, some, true)))
  const steps = stepsOf(hook.own, taps)
  if (options.type === 'sync' && !isSync(spec)) return (...args) => hook.promise(...args)
  // tapable leaves the taps with the hook: each function gets one of its own.
  const host = Object.create(hook) as Tapable
  const call: Call = Reflect.apply(KINDS[spec.kind].compile, host, [{ ...options, taps: taps.map(asRun(steps)) }])
  return call.bind(host)
}

/** Where a tap stands: before those that it names, behind those of its stage and lower ones. */
function placeAmong(taps: readonly OwnedTap[], { stage = 0, before = [] }: OwnedTap): number {
  const named = [before].flat()
  let at = Math.min(taps.length, ...named.map((name) => taps.findLastIndex((tap) => tap.name === name)))
  while (at > 0 && (taps[at - 1]!.stage ?? 0) > stage) at -= 1
  return at
}

/** What runs a hook that nobody intercepts. */
function callOf({ kind, failsAlone }: HookSpec, steps: Steps): Call {
  const isFilter = kind === 'filter' || kind === 'sync filter'
  const { plain } = steps
  if (plain.length === 0) return isFilter ? (value) => value : () => {}
  if (isFilter) {
    return (value, a, b, c, d, e) =>
      isTraced()
        ? steps.trace((traced) => runFilterSteps(traced, 0, value, a, b, c, d, e))
        : runFilterSteps(plain, 0, value, a, b, c, d, e)
  }
  const run =
    failsAlone === undefined
      ? (taps: readonly Step[], args: Any[]) => runActionSteps(taps, 0, args)
      : (taps: readonly Step[], args: Any[]) => runStepsAlone(taps, args)
  return (...args) => (isTraced() ? steps.trace((traced) => run(traced, args)) : run(plain, args))
}

/** Taps as tapable is to call them: as steps. */
const asRun =
  (steps: Steps) =>
  (tap: OwnedTap, at: number): OwnedTap => {
    const step = () => steps.now[at]!
    if (tap.type === 'sync') return { ...tap, fn: (...args) => runStep(step(), args) }
    return { ...tap, type: 'promise', fn: async (...args) => runStep(step(), args) }
  }

/**
 * Whether anybody who taps a hook, or listens to it, is for such runs: `isUsed(hooks.rest_prepare.for('post'), { request })`.
 * What is not said of the run may be anything.
 */
export function isUsed(hook: AnyHook, subject: KnownSubject = {}): boolean {
  return hook.interceptors.length > 0 || tapsOf(hook).some(({ registration }) => isFor(registration, subject))
}

/**
 * Whether a hook has a tap that must be run for each request, though the response is stored: one of a plugin that is no
 * default and does not say what it depends on. It may count requests, or refuse them.
 */
export function isPerRequest(hook: AnyHook, subject: KnownSubject = {}): boolean {
  return tapsOf(hook).some(({ registration }) => registration.isPerRequest && isFor(registration, subject))
}

const isFor = ({ ahead, late }: Registration, subject: KnownSubject) =>
  (ahead?.(subject) ?? true) && (late?.(subject) ?? true)

/** The taps of a hook that the running code sees, in order. */
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

/** tapable does so when an interceptor comes; this one goes at once. */
function anew(hook: Tapable): void {
  hook.intercept({})
  hook.interceptors.pop()
}
