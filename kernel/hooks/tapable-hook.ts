import { SyncWaterfallHook, type Tap } from 'tapable'
import { isThenable } from '../awaitable.ts'
import { registeringOwner } from '../ownership.ts'
import { trace, tracing } from '../tracing.ts'
import type { Any } from './any.ts'
import { createRunTest, type KnownSubject } from './concern.ts'
import type { AnyHook, Interceptor } from './hook.ts'
import {
  isFilter,
  nameOf,
  wrapTap,
  type Call,
  type PartialTapOptions,
  type HookOfTap,
  type OwnedTap,
  type Registration,
} from './tap.ts'

/** Maximum number of types, and of methods of a type, for which a hook caches compiled taps. */
const MAX_SUBJECTS = 500

const returnValue: Call = (value: unknown) => value

/**
 * A hook as plugins use it. Async hooks of tapable always return a promise; this one does so only if a tap waits.
 * `#order` sorts the taps and is never called; a run calls a `SyncWaterfallHook` of the taps that match it. The value
 * passed on can be a promise, which the taps after a waiting one wait for. An action passes undefined.
 */
export class TapableHook implements HookOfTap {
  readonly name: string
  readonly spec: HookOfTap['spec']
  readonly site: HookOfTap['site']
  readonly logFailure: HookOfTap['logFailure']
  /** Whether the hook has been called. */
  hasRun = false
  /** The taps in the order in which they run. */
  taps: readonly OwnedTap[] = []
  readonly #order = new SyncWaterfallHook<Any>(['value'])
  readonly #isFilter: boolean
  /** Runs the taps; null from each change of taps until the next call. */
  #run: Call | null = null

  constructor({ name, spec, site, logFailure }: HookOfTap) {
    this.name = name
    this.spec = spec
    this.site = site
    this.logFailure = logFailure
    this.#isFilter = isFilter(spec)
  }

  /** Runs the hook. Returns its result, or a promise of it if a tap waits. */
  call(a?: Any, b?: Any, c?: Any, d?: Any, e?: Any, f?: Any): Any {
    const run = (this.#run ??= this.#compile())
    if (run === returnValue) return this.#isFilter ? a : undefined
    return this.#isFilter ? run(a, b, c, d, e, f) : run(undefined, a, b, c, d, e, f)
  }

  async promise(...args: unknown[]): Promise<unknown> {
    return this.call(...args)
  }

  tap(options: string | PartialTapOptions, tap: Call, ...beyond: unknown[]): void {
    this.#add('sync', options, tap, beyond)
  }

  tapPromise(options: string | PartialTapOptions, tap: Call, ...beyond: unknown[]): void {
    this.#add('promise', options, tap, beyond)
  }

  tapAsync(options: string | PartialTapOptions, tap: Call, ...beyond: unknown[]): void {
    this.#add('async', options, tap, beyond)
  }

  isUsed(): boolean {
    return this.taps.length > 0 || this.#order.interceptors.length > 0
  }

  /** Adds an interceptor as tapable documents it. `result`, `error` and `done` run after waiting taps have settled. */
  intercept(interceptor: Interceptor<Any[], Any>): void {
    this.#order.intercept(interceptor)
    this.#change()
  }

  get interceptors(): readonly object[] {
    return this.#order.interceptors
  }

  /**
   * Removes taps. A run in progress continues with the taps that it started with.
   * @returns the number of removed taps
   */
  remove(isMeant: (tap: OwnedTap) => boolean): number {
    const removed = this.taps.filter(isMeant)
    for (const { registration } of removed) {
      registration.isRemoved = true
      registration.forget()
    }
    this.#change()
    return removed.length
  }

  #change(): void {
    this.taps = (this.#order.taps as Tap[] as OwnedTap[]).filter(({ registration }) => !registration.isRemoved)
    this.#run = null
  }

  #add(
    tapType: Registration['tapType'],
    options: string | PartialTapOptions,
    fn: Call,
    beyond: readonly unknown[],
  ): void {
    const { name: hook, spec, taps } = this
    const owner = registeringOwner(() => `a tap of ${hook}`)
    const { registrant } = owner
    const tapOptions = typeof options === 'string' ? { name: options } : options
    const call = owner.trusted
      ? fn
      : owner.advice.checkTap({ hook, spec, taps, tapType, options: tapOptions, fn, registrant }, beyond)
    const { name = '', stage, before, ...facts } = tapOptions
    const isCached = spec.lasting === true || facts.cache !== false
    if (!isCached) owner.noteUncached(`${nameOf(name, hook)}: cache: false`)
    const { types, methods, fields, context, dependsOn } = facts
    const registration: Registration = {
      tapType,
      facts,
      owner,
      registrant,
      earlyTest: createRunTest({ types, methods }),
      lateTest: createRunTest({ fields, context }),
      isPerRequest: !owner.trusted && spec.lasting !== true && (dependsOn === undefined || !isCached),
      isRemoved: false,
      // `svc plugins NAME --owned` lists a tap by its hook, with its own name if that differs from the plugin's.
      forget: owner.onRemove(() => void this.remove((tap) => tap.registration === registration), {
        kind: 'tap',
        name: name === owner.name ? hook : `${hook} (${name})`,
      }),
    }
    const place = { ...(stage !== undefined && { stage }), ...(before !== undefined && { before }) }
    this.#order.tap({ name, ...place, registration } as Tap, call)
    this.#change()
  }

  /** Compiles the taps into a function, separately for each type and method if a tap has `types` or `methods`. */
  #compile(): Call {
    this.hasRun = true
    const { type, method, request } = this.spec.about ?? {}
    const hasTapsWith = (fact: 'types' | 'methods') =>
      this.taps.some((tap) => tap.registration.facts[fact] !== undefined)
    const typeOf = hasTapsWith('types') ? type : undefined
    const methodOf = hasTapsWith('methods')
      ? (method ?? ((...args: unknown[]) => request?.(...args)?.method))
      : undefined
    if (typeOf === undefined && methodOf === undefined) return this.#createRun(this.taps)
    const runs = new Map<unknown, Map<unknown, Call>>()
    const create = (subject: KnownSubject) => {
      const taps = this.taps.filter(({ registration: { earlyTest } }) => earlyTest === null || earlyTest(subject))
      return this.#createRun(taps)
    }
    const isFilter = this.#isFilter
    return (value, a, b, c, d, e, f) => {
      const ofType = typeOf && (isFilter ? typeOf(value, a, b, c, d, e) : typeOf(a, b, c, d, e, f))
      const ofMethod = methodOf && (isFilter ? methodOf(value, a, b, c, d, e) : methodOf(a, b, c, d, e, f))
      const runsOfType = runs.get(ofType) ?? cacheRun(runs, ofType, new Map<unknown, Call>())
      const run = runsOfType.get(ofMethod) ?? cacheRun(runsOfType, ofMethod, create({ type: ofType, method: ofMethod }))
      return run(value, a, b, c, d, e, f) as unknown
    }
  }

  /** Creates a tapable hook with these taps, and returns the function that calls it. */
  #createRun(taps: readonly OwnedTap[]): Call {
    if (taps.length === 0 && this.interceptors.length === 0) return returnValue
    const plain = this.#createHook(taps, false)
    let traced: typeof plain | null = null
    const fields = { hook: this.name, site: this.site }
    return (value, a, b, c, d, e, f) => {
      if (!tracing.hook.hasSubscribers && !tracing.tap.hasSubscribers) return plain.call(value, a, b, c, d, e, f)
      const hook = tracing.tap.hasSubscribers ? (traced ??= this.#createHook(taps, true)) : plain
      const run = () => hook.call(value, a, b, c, d, e, f)
      return tracing.hook.hasSubscribers ? trace(tracing.hook, fields, run) : run()
    }
  }

  #createHook(taps: readonly OwnedTap[], isTraced: boolean): SyncWaterfallHook<Any> {
    // Names of our own: tapable compiles them into code, and a declared argument may be called `class`.
    const hook = new SyncWaterfallHook<Any>(['value', 'a', 'b', 'c', 'd', 'e', 'f'], this.name)
    for (const one of this.#order.interceptors) hook.intercept(this.#adaptInterceptor(one as Interceptor<Any[], Any>))
    let mayWait = false
    for (const tap of taps) {
      const run = wrapTap(tap, this, isTraced)
      hook.tap(tap.name, mayWait ? this.#afterWaiting(run) : run)
      mayWait ||= tap.registration.tapType !== 'sync'
    }
    return hook
  }

  /** Makes a tap wait for earlier taps that return promises, except in actions whose taps fail alone (`failsAlone`). */
  #afterWaiting(run: Call): Call {
    const isAlone = !this.#isFilter && this.spec.failsAlone !== undefined
    return (value, a, b, c, d, e, f) => {
      if (!isThenable(value)) return run(value, a, b, c, d, e, f)
      if (isAlone) return Promise.all([value, run(undefined, a, b, c, d, e, f)]).then(() => {})
      return runAfter(run, value, [a, b, c, d, e, f])
    }
  }

  /** Adapts an interceptor of this hook to the tapable hook that runs the taps. */
  #adaptInterceptor({ tap, call, result, error, done }: Interceptor<Any[], Any>): object {
    const finish = (value: unknown) => (this.#isFilter ? result?.(value) : done?.())
    return {
      tap,
      error,
      call: this.#isFilter ? call : (_value: undefined, ...args: unknown[]) => call?.(...args),
      result: (value: unknown) => {
        if (!isThenable(value)) return finish(value)
        value.then(finish, error).then(undefined, (failure: Error) => this.logFailure(failure, { hook: this.name }))
      },
    }
  }
}

/** Runs a tap after a waiting one. No closure: it would be allocated on every run, also if no tap waits. */
async function runAfter(run: Call, value: PromiseLike<unknown>, args: readonly Any[]): Promise<unknown> {
  return run(await value, ...args)
}

/** Stores a value in a map. Keys are usually few: a map that reaches MAX_SUBJECTS entries is cleared first. */
function cacheRun<V>(values: Map<unknown, V>, key: unknown, value: V): V {
  if (values.size >= MAX_SUBJECTS) values.clear()
  values.set(key, value)
  return value
}

const isFor = ({ earlyTest, lateTest }: Registration, subject: KnownSubject) =>
  (earlyTest?.(subject) ?? true) && (lateTest?.(subject) ?? true)

/**
 * Returns whether a hook has an interceptor, or a tap that is called for runs with these facts:
 * `isUsed(hooks.rest_prepare.for('post'), { request })`. A fact that is left out matches every tap.
 */
export function isUsed(hook: AnyHook, subject: KnownSubject = {}): boolean {
  const { interceptors, taps } = hook as TapableHook
  return interceptors.length > 0 || taps.some(({ registration }) => isFor(registration, subject))
}

/**
 * Returns whether a hook has a tap that must run for each request even if the response is cached: a tap of a
 * third-party plugin that does not declare its dependencies. Such a tap may count or refuse requests.
 */
export function isPerRequest(hook: AnyHook, subject: KnownSubject = {}): boolean {
  return (hook as TapableHook).taps.some(
    ({ registration }) => registration.isPerRequest && isFor(registration, subject),
  )
}
