import type { SyncHook, Tap } from 'tapable'
import type { Awaitable } from '../awaitable.ts'
import type { CacheHints } from '../reads.ts'
import type { Any } from './any.ts'
import type { About, ConcernOf, Subject } from './concern.ts'

export type HookKind = 'action' | 'filter' | 'sync action' | 'sync filter'

/** Every hook by name. The plugin that runs a hook merges its type in. */
export interface Hooks {}

/**
 * The types of values that taps of hook families get, by the names of object types: `shown` is the object that a response
 * shows, `item` the stored row, `change` the values that a write stores, `query` the arguments of a list. Plugins merge
 * theirs in: `{ plant: PostTypes }`. Taps for object types that are missing here get `unknown`.
 */
export interface ItemTypes {}
/** What `ItemTypes` has of an object type. */
export type Known<N extends keyof ItemTypes, K extends string> = ItemTypes[N] extends Record<K, infer T> ? T : unknown

/** The facts about a run by which taps can limit the runs they are called for: `types`, `methods`, `fields`, `context`. */
export type Fact = keyof Subject

/** An event. Taps may wait. `S`: the facts about a run that taps can ask for. */
export interface Action<A extends unknown[] = [], S extends Fact = never>
  extends Tappable<'action', A, S, void>, Waitable<A, S, void, void> {}
/** A value passes through the taps in order; a tap that returns nothing leaves it as it is. Taps may wait. */
export interface Filter<V, A extends unknown[] = [], S extends Fact = never>
  extends Tappable<'filter', [value: V, ...args: A], S, V | void>, Waitable<[value: V, ...args: A], S, V | void, V> {}
/** An event for which no tap can wait. */
export interface SyncAction<A extends unknown[] = [], S extends Fact = never> extends Tappable<
  'sync action',
  A,
  S,
  void
> {
  call(...args: A): void
}
/** A value passes through taps that cannot wait; a tap that returns nothing leaves it as it is. */
export interface SyncFilter<V, A extends unknown[] = [], S extends Fact = never> extends Tappable<
  'sync filter',
  [value: V, ...args: A],
  S,
  V | void
> {
  call(value: V, ...args: A): V
}

/** The methods of every hook, those of tapable. `R`: what a tap returns. */
export interface Tappable<K extends HookKind, A extends unknown[], S extends Fact, R> extends HookShape<K, A, S> {
  readonly name: string
  readonly taps: readonly Tap[]
  tap(options: string | TapOptions<A, S>, tap: (...args: A) => R): void
  intercept(interceptor: Interceptor<A, R>): void
  isUsed(): boolean
}
/** What hooks have whose taps may wait. A tap that has to wait for some values only returns the others at once. */
export interface Waitable<A extends unknown[], S extends Fact, R, V> {
  tapPromise(options: string | TapOptions<A, S>, tap: (...args: A) => Awaitable<R>): void
  tapAsync(options: string | TapOptions<A, S>, tap: (...args: [...args: A, done: TapCallback<V>]) => void): void
  promise(...args: A): Promise<V>
}
export type TapCallback<V> = (error?: Error | null | false, result?: V) => void
/** As tapable documents it. */
export type Interceptor<A extends unknown[], R> = Parameters<SyncHook<A, R>['intercept']>[0]
/** Any hook. */
export type AnyHook = Pick<Tappable<Any, Any, never, Any>, 'name' | 'taps' | 'isUsed'>

/**
 * Hooks that differ in one part of their name: `hooks.rest_prepare.for('post')` is `hooks.rest_prepare_post`. With the
 * pattern `P` of their names, those that `Hooks` has get their type from there; `H` is the type of all others.
 */
export interface Family<P, H = P> {
  readonly name: string
  for<N extends string>(name: N): MemberNamed<P, N, H>
  get<N extends string>(name: N): MemberNamed<P, N, H> | undefined
  // Has `MemberOf` find `H` without a look at `Hooks`, which has index signatures of that type.
  readonly [member]?: H
}
declare const member: unique symbol
type MemberNamed<P, N extends string, H> = P extends `${infer B}*${infer E}` ? Named<`${B}${N}${E}`, H> : H
// `keyof Hooks` would be resolved before plugins have merged their hooks in.
type Named<F extends string, H> = Hooks extends Record<F, infer T> ? T : H
/** The hook of a name that is known at run time alone. */
export type MemberOf<F> = F extends { readonly [member]?: infer H } ? NonNullable<H> : never

/** The name of a tap, and its place among the others. */
export type TapPlace = Tap
export type TapOptions<A extends unknown[], S extends Fact> = TapPlace & TapFacts<A, S>
/** The options of a tap besides its name and place: the runs that it is called for, and the data that it depends on. */
export type TapFacts<A extends unknown[], S extends Fact> = ConcernOf<S> &
  CacheHints<A> & {
    /**
     * Whether its failure ends the request also where a tap that fails is skipped, as in a list: for one that hides
     * something. False by default.
     */
    required?: boolean
  }

declare const shape: unique symbol
/** For the compiler alone: the kind, the arguments and the facts of a hook. */
export interface HookShape<K extends HookKind, A extends unknown[], S extends Fact> {
  // A hook that tells more can stand for one that tells less.
  readonly [shape]?: { kind: K; args: A; tells: (told: S) => void }
}

/** What a hook is, as its owner declares it; of a hook of type `H`, its kind and a name for each of its arguments. */
export type HookSpec<H = Any> = Outline<H> & Telling<H>

export interface Outline<H> {
  readonly kind: H extends HookShape<infer K, Any, never> ? K : HookKind
  readonly args: H extends HookShape<HookKind, infer A, never> ? { readonly [I in keyof A]: string } : readonly string[]
  /** Whether registrations that taps make belong to their plugin. */
  readonly owning?: boolean
  /** Whether it runs at the start alone: a tap that does not come to an end within its plugin's deadline fails it. */
  readonly starting?: boolean
  /**
   * Whether it does not matter what its taps depend on: what it gives is used until something is registered, or is in
   * nothing that is kept.
   */
  readonly lasting?: boolean
  /**
   * What is wrong with the value of a synchronous filter, such as a schema: mistakes that a tap adds are the error
   * TAP_RETURNED_MISTAKE, naming the plugin. The taps of defaults are not asked.
   */
  readonly mistakes?: (value: unknown) => readonly string[]
  /**
   * What of the value of a filter becomes JSON of a response: a promise that a tap leaves in it is the error
   * PROMISE_IN_RESPONSE, naming the plugin. The taps of defaults are not checked.
   */
  readonly json?: (value: Any) => unknown
  /**
   * What the log says about a run in which a tap fails: everything else goes on as if the tap were not there. A tap of a
   * filter fails by throwing anything but an error for clients. The taps of an action do not wait for each other.
   */
  readonly failsAlone?: (...args: Any) => object
  /** The same for taps of plugins that are no defaults alone; null for a run that ends with the failure. */
  readonly othersFailAlone?: (...args: Any) => object | null
  /** Whether a value can be what a tap of a filter returns; another is the error TAP_RETURNED_WRONG, naming the plugin. */
  readonly accepts?: (value: unknown) => boolean
}

/** Functions that return the type, the method or the request of a run; a hook whose type declares none of them has no such property. */
export type Telling<H> = 0 extends 1 & H
  ? { readonly about?: Partial<About> }
  : H extends HookShape<HookKind, infer A, infer S>
    ? [S] extends [never]
      ? { readonly about?: never }
      : { readonly about: About<A, S> }
    : never

/** A specification for each hook of an interface, by name; for each family of it by its pattern: `rest_prepare_*`. */
export type HookSpecs<H> = { readonly [K in keyof H as SpecName<H, K>]: HookSpec<HookOf<H, K>> }
/** What a plugin may own: hooks that are in `Hooks`, and families. */
export type PluginHooks = Partial<HookSpecs<Hooks>> & { readonly [family: `${string}*${string}`]: HookSpec }

/** The name that a hook is declared by. A family has two: that of its members, `rest_prepare_${string}`, counts. */
type SpecName<H, K extends keyof H> = H[K] extends { for(name: string): unknown } ? never : Pattern<K>
/** The hook of a name; where many names belong to a family, its member. */
type HookOf<H, K extends keyof H> =
  FamilyName<Pattern<K>> extends infer F extends keyof H ? ([F] extends [never] ? H[K] : MemberOf<H[F]>) : H[K]
/** The names `rest_${string}_query` as a pattern, `rest_*_query`. */
type Pattern<K> = K extends `${infer Char}${infer Rest}`
  ? string extends Char
    ? `*${Rest}`
    : `${Char}${Pattern<Rest>}`
  : string extends K
    ? '*'
    : K
/** What a family is reached by: `rest_query` for `rest_*_query`. */
type FamilyName<P> = P extends `${infer Before}_*${infer After}` ? `${Before}${After}` : never

/** A kind and the names of arguments, which the compiler compares with the hook's type. */
interface Declared<K extends HookKind, N extends readonly string[]> {
  readonly kind: K
  readonly args: N
}

/** Declares an action and names its arguments. */
export function action<const N extends readonly string[]>(...args: N): Declared<'action', N> {
  return { kind: 'action', args }
}

/** Declares a filter; the first name is that of the value. */
export function filter<const N extends readonly string[]>(...args: N): Declared<'filter', N> {
  return { kind: 'filter', args }
}

/** Declares a synchronous action. */
export function syncAction<const N extends readonly string[]>(...args: N): Declared<'sync action', N> {
  return { kind: 'sync action', args }
}

/** Declares a synchronous filter; the first name is that of the value. */
export function syncFilter<const N extends readonly string[]>(...args: N): Declared<'sync filter', N> {
  return { kind: 'sync filter', args }
}

/** Called for a tap whose failure is logged and skipped. @param about facts about the run, for the log */
export type FailureLog = (error: Error, about: object) => void
