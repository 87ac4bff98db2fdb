import { AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook, SyncWaterfallHook } from 'tapable'
import type { Awaitable } from '../awaitable.ts'
import { refusalOf } from '../declared.ts'
import { errors } from '../errors.ts'
import { currentOwner, type Owner } from '../ownership.ts'
import type { Any } from './any.ts'
import { concernsKnown, concernsOf, concernsUsed, type Concern, type KnownSubject } from './concern.ts'
import { shapeMistake, type Shapes } from '../shapes.ts'
import { trace, tracing } from '../tracing.ts'
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

/** What plugins say of a tap. */
type GivenTap = Partial<OwnedTap> & Concern

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
 * @param site the hooks that it is one of
 * @param logFailure told of taps that fail alone
 */
export function createHook(name: string, spec: HookSpec, site: Hooks, logFailure: FailureLog): AnyHook {
  // Names of our own: tapable makes code of them, and a plugin may well call an argument `class`.
  const names = spec.args.map((_, index) => `a${index}`)
  // Only tapable's hooks for synchronous taps are compiled for `call`.
  const hook = new SyncHook<Any>(names as Any, name) as unknown as Tapable
  hook.compile = (options) => {
    const makeStep = (tap: OwnedTap, of: Hooks | null) => stepOf(tap, name, spec, of, logFailure)
    const steps = new Steps(options.taps, name, site, makeStep)
    if (options.type === 'sync' && options.interceptors.length === 0) return callOf(spec, steps)
    if (options.type === 'sync' && !isSync(spec)) return (...args) => hook.promise(...args)
    return Reflect.apply(KINDS[spec.kind].compile, hook, [{ ...options, taps: options.taps.map(asRun(steps)) }])
  }
  for (const way of ['tap', 'tapAsync', 'tapPromise'] as const) {
    hook[way] = (options: string | GivenTap, tap: Call) => {
      const owner = currentOwner()
      if (way !== 'tap' && isSync(spec)) throw errors.HOOK_SYNC_ONLY(owner.name, name)
      const given = typeof options === 'string' ? { name: options } : options
      const mistake = owner.trusted ? null : tapMistake(given, tap)
      if (mistake !== null) throw errors.HOOK_TAP_INVALID(owner.name, name, mistake)
      for (const before of [given.before ?? []].flat()) {
        if (!hook.taps.some((one) => one.name === before)) throw errors.HOOK_TAP_UNKNOWN(name, before)
      }
      const known = concernsKnown(spec.about)
      const unknown = concernsUsed(given).find((concern) => !known.includes(concern))
      if (unknown !== undefined) throw errors.HOOK_FILTER_UNKNOWN(owner.name, name, unknown, known.join(', '))
      const undeclared = spec.lasting === true ? null : refusalOf(nameOf(given.name!, name), given.dependsOn, owner)
      const registration: Registration = { owner, forget: () => {}, concerns: concernsOf(given), undeclared }
      // To tapable a context is something else.
      const { context: _, ...kept } = given
      Reflect.apply(KINDS[spec.kind][way], hook, [{ ...kept, registration }, tap])
      const undo = () => void take(hook, (one) => one.registration === registration)
      registration.forget = owner.onRemove(undo, { kind: 'tap', name: tapName(name, given.name!, owner) })
    }
  }
  return hook as unknown as AnyHook
}

/** How a tap is listed: by its hook, and by its own name where that is not the plugin's. */
const tapName = (hook: string, tap: string, owner: Owner) => (tap === owner.name ? hook : `${hook} (${tap})`)

const TAP: Shapes<Omit<GivenTap, 'type' | 'fn' | 'registration'>> = {
  name: 'text',
  stage: 'number',
  before: ['text', 'list'],
  dependsOn: ['text', 'list', 'function'],
  types: ['text', 'list'],
  methods: ['text', 'list'],
  fields: ['text', 'list'],
  context: ['text', 'list'],
}
/** Words for them elsewhere. */
const MEANT = { priority: 'stage', order: 'stage', type: 'types', method: 'methods', field: 'fields' }

/** What is wrong with how a plugin taps; null where nothing is. */
function tapMistake(given: GivenTap, tap: unknown): string | null {
  if (typeof given === 'function') return "its own name comes first: tap('my-plugin', (value) => …)"
  const wrong = shapeMistake(given, TAP, MEANT)
  if (wrong !== null) return `the tap ${wrong}`
  if (given.name === undefined || given.name.trim() === '') return 'the tap has no name: give it that of the plugin'
  return typeof tap === 'function' ? null : `the tap ${given.name} has no function`
}

const isSync = ({ kind }: HookSpec) => kind === 'sync action' || kind === 'sync filter'

/** The taps of a hook as they are run: as they are, and, once somebody listens, with what tells of each. */
class Steps {
  readonly plain: readonly Step[]
  readonly #make: (site: Hooks | null) => readonly Step[]
  readonly #hook: string
  readonly #site: Hooks
  #traced: readonly Step[] | null = null

  constructor(taps: readonly OwnedTap[], hook: string, site: Hooks, make: (tap: OwnedTap, site: Hooks | null) => Step) {
    this.#make = (of) => taps.map((tap) => make(tap, of))
    this.plain = this.#make(null)
    this.#hook = hook
    this.#site = site
  }

  get traced(): readonly Step[] {
    return (this.#traced ??= this.#make(this.#site))
  }

  /** Tells subscribers of a run. */
  trace(run: (steps: readonly Step[]) => Awaitable<Any>): Awaitable<Any> {
    const act = () => run(tracing.tap.hasSubscribers ? this.traced : this.plain)
    return tracing.hook.hasSubscribers ? trace(tracing.hook, { hook: this.#hook, site: this.#site }, act) : act()
  }
}

/** Whether somebody listens: looked at in each run, which takes less time than can be measured. */
const isTraced = () => tracing.tap.hasSubscribers || tracing.hook.hasSubscribers

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
    const step = () => (tracing.tap.hasSubscribers ? steps.traced : steps.plain)[at]!
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
 * Why nothing may be kept that a hook takes part in: the first tap for such runs, of another plugin than a default, that
 * does not say what it depends on. Null where there is none. For hooks that run before it is known whether anything is kept.
 */
export function undeclaredTap(hook: AnyHook, subject: KnownSubject = {}): string | null {
  for (const { registration } of tapsOf(hook)) {
    if (registration.undeclared !== null && isFor(registration, subject)) return registration.undeclared
  }
  return null
}

const isFor = ({ concerns }: Registration, subject: KnownSubject) => concerns === null || concerns(subject)

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

/** Has a hook compiled anew when it is next called: tapable does so when an interceptor comes; this one goes at once. */
function anew(hook: Tapable): void {
  hook.intercept({})
  hook.interceptors.pop()
}
