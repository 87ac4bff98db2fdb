import { SyncWaterfallHook, type Tap } from 'tapable'
import { isThenable } from '../awaitable.ts'
import { registeringOwner } from '../ownership.ts'
import { trace, tracing } from '../tracing.ts'
import type { Any } from './any.ts'
import { concernsOf, type KnownSubject } from './concern.ts'
import type { AnyHook, Interceptor } from './hook.ts'
import {
  isFilter,
  nameOf,
  wrapTap,
  type Call,
  type GivenTap,
  type HookOfTap,
  type OwnedTap,
  type Registration,
} from './tap.ts'

/** Maximum number of types, or of methods, for which a hook keeps the taps that are for them. */
const MAX_SUBJECTS = 500

const returnValue: Call = (value: unknown) => value

/**
 * A hook as plugins use it. tapable has no hook that returns at once unless a tap waits, so this one holds tapable hooks:
 * `#order` keeps the taps in order and is never called; a run calls a `SyncWaterfallHook` of the taps that are for it. The
 * value that passes through may be a promise, for which taps behind a waiting one wait. An action passes undefined.
 */
export class TapableHook implements HookOfTap {
  readonly name: string
  readonly spec: HookOfTap['spec']
  readonly site: HookOfTap['site']
  readonly logFailure: HookOfTap['logFailure']
  /** Whether it has been run. */
  hasRun = false
  /** In the order in which they run. */
  taps: readonly OwnedTap[] = []
  readonly #order = new SyncWaterfallHook<Any>(['value'])
  readonly #isFilter: boolean
  /** Runs the taps; null until it is first called after a change. */
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

  tap(options: string | GivenTap, tap: Call, ...beyond: unknown[]): void {
    this.#add('sync', options, tap, beyond)
  }

  tapPromise(options: string | GivenTap, tap: Call, ...beyond: unknown[]): void {
    this.#add('promise', options, tap, beyond)
  }

  tapAsync(options: string | GivenTap, tap: Call, ...beyond: unknown[]): void {
    this.#add('async', options, tap, beyond)
  }

  isUsed(): boolean {
    return this.taps.length > 0 || this.#order.interceptors.length > 0
  }

  /** Adds an interceptor as tapable documents it; `result`, `error` and `done` are called once waiting taps have ended. */
  intercept(interceptor: Interceptor<Any[], Any>): void {
    this.#order.intercept(interceptor)
    this.#change()
  }

  get interceptors(): readonly object[] {
    return this.#order.interceptors
  }

  /**
   * Removes taps, also while the hook runs: a run in progress ends with the taps that it began with.
   * @returns how many were removed
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

  #add(way: Registration['way'], options: string | GivenTap, fn: Call, beyond: readonly unknown[]): void {
    const { name: hook, spec, taps } = this
    const owner = registeringOwner(() => `a tap of ${hook}`)
    const { registrant } = owner
    const given = typeof options === 'string' ? { name: options } : options
    const call = owner.trusted ? fn : owner.advice.checkTap({ hook, spec, taps, way, given, fn, registrant }, beyond)
    const { name = '', stage, before, ...facts } = given
    const isCached = spec.lasting === true || facts.cache !== false
    if (!isCached) owner.noteUncached(`${nameOf(name, hook)}: cache: false`)
    const { types, methods, fields, context, dependsOn } = facts
    const registration: Registration = {
      way,
      facts,
      owner,
      registrant,
      ahead: concernsOf({ types, methods }),
      late: concernsOf({ fields, context }),
      isPerRequest: !owner.trusted && spec.lasting !== true && (dependsOn === undefined || !isCached),
      isRemoved: false,
      // How a tap is listed: by its hook, and by its own name where that is not the plugin's.
      forget: owner.onRemove(() => void this.remove((tap) => tap.registration === registration), {
        kind: 'tap',
        name: name === owner.name ? hook : `${hook} (${name})`,
      }),
    }
    const place = { ...(stage !== undefined && { stage }), ...(before !== undefined && { before }) }
    this.#order.tap({ name, ...place, registration } as Tap, call)
    this.#change()
  }

  /** Creates what runs the taps: for each type and method those that are for them, if taps ask for types or methods. */
  #compile(): Call {
    this.hasRun = true
    const { type, method, request } = this.spec.about ?? {}
    const asks = (fact: 'types' | 'methods') => this.taps.some((tap) => tap.registration.facts[fact] !== undefined)
    const typeOf = asks('types') ? type : undefined
    const methodOf = asks('methods') ? (method ?? ((...args: unknown[]) => request?.(...args)?.method)) : undefined
    if (typeOf === undefined && methodOf === undefined) return this.#runOf(this.taps)
    const runs = new Map<unknown, Map<unknown, Call>>()
    const create = (subject: KnownSubject) => {
      const taps = this.taps.filter(({ registration: { ahead } }) => ahead === null || ahead(subject))
      return this.#runOf(taps)
    }
    const isFilter = this.#isFilter
    return (value, a, b, c, d, e, f) => {
      const ofType = typeOf && (isFilter ? typeOf(value, a, b, c, d, e) : typeOf(a, b, c, d, e, f))
      const ofMethod = methodOf && (isFilter ? methodOf(value, a, b, c, d, e) : methodOf(a, b, c, d, e, f))
      const runsOfType = runs.get(ofType) ?? kept(runs, ofType, new Map<unknown, Call>())
      const run = runsOfType.get(ofMethod) ?? kept(runsOfType, ofMethod, create({ type: ofType, method: ofMethod }))
      return run(value, a, b, c, d, e, f) as unknown
    }
  }

  /** Creates a hook of tapable with these taps, and returns what calls it. */
  #runOf(taps: readonly OwnedTap[]): Call {
    if (taps.length === 0 && this.interceptors.length === 0) return returnValue
    const plain = this.#hookOf(taps, false)
    let traced: typeof plain | null = null
    const told = { hook: this.name, site: this.site }
    return (value, a, b, c, d, e, f) => {
      if (!tracing.hook.hasSubscribers && !tracing.tap.hasSubscribers) return plain.call(value, a, b, c, d, e, f)
      const hook = tracing.tap.hasSubscribers ? (traced ??= this.#hookOf(taps, true)) : plain
      const run = () => hook.call(value, a, b, c, d, e, f)
      return tracing.hook.hasSubscribers ? trace(tracing.hook, told, run) : run()
    }
  }

  #hookOf(taps: readonly OwnedTap[], isTraced: boolean): SyncWaterfallHook<Any> {
    // tapable compiles these names; a plugin may call an argument `class`.
    const hook = new SyncWaterfallHook<Any>(['value', 'a', 'b', 'c', 'd', 'e', 'f'], this.name)
    for (const one of this.#order.interceptors) hook.intercept(this.#adapted(one as Interceptor<Any[], Any>))
    let mayWait = false
    for (const tap of taps) {
      const run = wrapTap(tap, this, isTraced)
      hook.tap(tap.name, mayWait ? this.#behind(run) : run)
      mayWait ||= tap.registration.way !== 'sync'
    }
    return hook
  }

  /** Has a tap wait for those before it, if one of them waits. Taps of an action that fail alone do not wait. */
  #behind(run: Call): Call {
    const isAlone = !this.#isFilter && this.spec.failsAlone !== undefined
    return (value, a, b, c, d, e, f) => {
      if (!isThenable(value)) return run(value, a, b, c, d, e, f)
      if (isAlone) return Promise.all([value, run(undefined, a, b, c, d, e, f)]).then(() => {})
      return runAfter(run, value, [a, b, c, d, e, f])
    }
  }

  /** An interceptor of the hook as one of the hook of tapable that runs its taps. */
  #adapted({ tap, call, result, error, done }: Interceptor<Any[], Any>): object {
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

/** Runs a tap after one that waits. Where a closure held the arguments, V8 would store them for each run that need not wait. */
async function runAfter(run: Call, value: PromiseLike<unknown>, args: readonly Any[]): Promise<unknown> {
  return run(await value, ...args)
}

/** Keeps a value. The key is one of few: the map is cleared when it has unexpectedly many. */
function kept<V>(values: Map<unknown, V>, key: unknown, value: V): V {
  if (values.size >= MAX_SUBJECTS) values.clear()
  values.set(key, value)
  return value
}

const isFor = ({ ahead, late }: Registration, subject: KnownSubject) =>
  (ahead?.(subject) ?? true) && (late?.(subject) ?? true)

/**
 * Whether a hook has an interceptor, or a tap that is called for such runs: `isUsed(hooks.rest_prepare.for('post'),
 * { request })`. Facts that are left out may have any value.
 */
export function isUsed(hook: AnyHook, subject: KnownSubject = {}): boolean {
  const { interceptors, taps } = hook as TapableHook
  return interceptors.length > 0 || taps.some(({ registration }) => isFor(registration, subject))
}

/**
 * Whether a hook has a tap that must run for each request although the response is stored: one of a plugin that is no
 * default and does not say what it depends on. It may count requests, or refuse them.
 */
export function isPerRequest(hook: AnyHook, subject: KnownSubject = {}): boolean {
  return (hook as TapableHook).taps.some(
    ({ registration }) => registration.isPerRequest && isFor(registration, subject),
  )
}
