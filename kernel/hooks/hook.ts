import type { SyncHook, Tap } from 'tapable'
import type { Awaitable } from '../awaitable.ts'
import type { CacheHints } from '../reads.ts'
import type { Any } from './any.ts'
import type { About, ConcernOf, Subject } from './concern.ts'

export type HookKind = 'action' | 'filter' | 'sync action' | 'sync filter'

/** All hooks by name. The plugin that owns a hook merges its type in. */
export interface Hooks {}

/**
 * The types of values that taps of hook families get, by the names of object types: `shown` is the object that a
 * response shows, `item` the stored row, `change` the values that a write stores, `query` the arguments of a list.
 * Plugins merge theirs in: `{ plant: PostTypes }`. Taps for object types that are missing here get `unknown`.
 */
export interface ItemTypes {}
/** The type under key `K` that `ItemTypes` has for object type `N`, else `unknown`. */
export type ItemTypeOf<N extends keyof ItemTypes, K extends string> =
  ItemTypes[N] extends Record<K, infer T> ? T : unknown

/** The facts about a run that taps can be limited by, with `types`, `methods`, `fields` and `context`. */
export type Fact = keyof Subject

/** An event. Taps may be async. `S`: the facts by which taps can limit the runs they are called for. */
export interface Action<A extends unknown[] = [], S extends Fact = never>
  extends Tappable<'action', A, S, void>, Waitable<A, S, void, void> {}
/** A value passes through the taps in order; a tap that returns undefined leaves it unchanged. Taps may be async. */
export interface Filter<V, A extends unknown[] = [], S extends Fact = never>
  extends Tappable<'filter', [value: V, ...args: A], S, V | void>, Waitable<[value: V, ...args: A], S, V | void, V> {}
/** An event with synchronous taps only. */
export interface SyncAction<A extends unknown[] = [], S extends Fact = never> extends Tappable<
  'sync action',
  A,
  S,
  void
> {
  call(...args: A): void
}
/** A value passes through synchronous taps in order; a tap that returns undefined leaves it unchanged. */
export interface SyncFilter<V, A extends unknown[] = [], S extends Fact = never> extends Tappable<
  'sync filter',
  [value: V, ...args: A],
  S,
  V | void
> {
  call(value: V, ...args: A): V
}

/** The methods of every hook, as in tapable. `R`: the return type of taps. */
export interface Tappable<K extends HookKind, A extends unknown[], S extends Fact, R> extends HookShape<K, A, S> {
  readonly name: string
  readonly taps: readonly Tap[]
  tap(options: string | TapOptions<A, S>, tap: (...args: A) => R): void
  intercept(interceptor: Interceptor<A, R>): void
  isUsed(): boolean
}
/** The methods of hooks whose taps may wait. A tap of `tapPromise` can return a plain value if it need not wait. */
export interface Waitable<A extends unknown[], S extends Fact, R, V> {
  tapPromise(options: string | TapOptions<A, S>, tap: (...args: A) => Awaitable<R>): void
  tapAsync(options: string | TapOptions<A, S>, tap: (...args: [...args: A, done: TapCallback<V>]) => void): void
  promise(...args: A): Promise<V>
}
export type TapCallback<V> = (error?: Error | null | false, result?: V) => void
/** An interceptor as tapable documents it. */
export type Interceptor<A extends unknown[], R> = Parameters<SyncHook<A, R>['intercept']>[0]
/** A hook of any kind. */
export type AnyHook = Pick<Tappable<Any, Any, never, Any>, 'name' | 'taps' | 'isUsed'>

/**
 * Hooks that differ in one part of their name: `hooks.rest_prepare.for('post')` is `hooks.rest_prepare_post`. `P` is
 * the pattern of their names. Members that `Hooks` declares have the type declared there; all others have type `H`.
 */
export interface Family<P, H = P> {
  readonly name: string
  for<N extends string>(name: N): MemberNamed<P, N, H>
  get<N extends string>(name: N): MemberNamed<P, N, H> | undefined
  // For `MemberOf`, which cannot look `H` up in `Hooks`: its index signatures refer to `MemberOf`.
  readonly [member]?: H
}
declare const member: unique symbol
type MemberNamed<P, N extends string, H> = P extends `${infer B}*${infer E}` ? Named<`${B}${N}${E}`, H> : H
// `keyof Hooks` would be resolved before plugins merge their hooks in.
type Named<F extends string, H> = Hooks extends Record<F, infer T> ? T : H
/** The type of a family's members whose names are only known at run time. */
export type MemberOf<F> = F extends { readonly [member]?: infer H } ? NonNullable<H> : never

/** Name of a tap, and its position: lower `stage` first (default 0), or `before` other taps; else as registered. */
export type TapPlace = Tap
export type TapOptions<A extends unknown[], S extends Fact> = TapPlace & TapFacts<A, S>
/** The options of a tap apart from name and position: the runs it is called for, and the data it depends on. */
export type TapFacts<A extends unknown[], S extends Fact> = ConcernOf<S> &
  CacheHints<A> & {
    /**
     * Whether a failure of the tap fails the request even if failed taps are skipped, as in lists. Set it for a tap
     * that hides data. False by default.
     */
    required?: boolean
  }

declare const shape: unique symbol
/** Type-level only: the kind, the arguments and the facts of a hook. */
export interface HookShape<K extends HookKind, A extends unknown[], S extends Fact> {
  // A function type, so that a hook with more facts is assignable to one with fewer.
  readonly [shape]?: { kind: K; args: A; tells: (fact: S) => void }
}

/** The declaration of a hook of type `H` by its owner: its kind, a name for each argument, and its rules. */
export type HookSpec<H = Any> = HookSpecFields<H> & HookSpecFacts<H>

export interface HookSpecFields<H> {
  readonly kind: H extends HookShape<infer K, Any, never> ? K : HookKind
  readonly args: H extends HookShape<HookKind, infer A, never> ? { readonly [I in keyof A]: string } : readonly string[]
  /** Whether registrations made by a tap belong to the plugin of the tap. */
  readonly owning?: boolean
  /** Whether the hook runs only at the start: a tap that exceeds the deadline of its plugin fails the start. */
  readonly starting?: boolean
  /**
   * Whether dependencies of its taps need not be recorded: the result is used until the next registration, or is part
   * of no cached response.
   */
  readonly lasting?: boolean
  /**
   * Returns the mistakes in the value of a synchronous filter, such as a schema. Mistakes that a tap adds are the error
   * TAP_RETURNED_MISTAKE, which names the plugin. Taps of default plugins are not checked.
   */
  readonly mistakes?: (value: unknown) => readonly string[]
  /**
   * Returns the part of a filter's value that becomes JSON of a response. A promise that a tap leaves in it is the
   * error PROMISE_IN_RESPONSE, which names the plugin. Taps of default plugins are not checked.
   */
  readonly json?: (value: Any) => unknown
  /**
   * Makes the hook log and skip failed taps; by default, a run ends with the error of the first one. Returns the fields
   * of the log line. An error for clients still ends a filter. Taps of such an action do not wait for each other.
   */
  readonly failsAlone?: (...args: Any) => object
  /** As `failsAlone`, but for taps of third-party plugins only. Returns null if the error must end the run. */
  readonly othersFailAlone?: (...args: Any) => object | null
  /** Whether a tap of a filter can return a value; others are the error TAP_RETURNED_WRONG, which names the plugin. */
  readonly accepts?: (value: unknown) => boolean
}

/** Functions that return the facts that the type of a hook declares; hooks without facts have no `about`. */
export type HookSpecFacts<H> = 0 extends 1 & H
  ? { readonly about?: Partial<About> }
  : H extends HookShape<HookKind, infer A, infer S>
    ? [S] extends [never]
      ? { readonly about?: never }
      : { readonly about: About<A, S> }
    : never

/** A specification for each hook of an interface, by name; for each family by its pattern: `rest_prepare_*`. */
export type HookSpecs<H> = { readonly [K in keyof H as SpecName<H, K>]: HookSpec<HookOf<H, K>> }
/** The hooks that a plugin declares: hooks of `Hooks`, and families. */
export type PluginHooks = Partial<HookSpecs<Hooks>> & { readonly [family: `${string}*${string}`]: HookSpec }

/** The name under which a hook is declared; for a family, the pattern of its members: `rest_prepare_${string}`. */
type SpecName<H, K extends keyof H> = H[K] extends { for(name: string): unknown } ? never : Pattern<K>
/** The type of the hook with a name; for the pattern of a family, the type of its members. */
type HookOf<H, K extends keyof H> =
  FamilyName<Pattern<K>> extends infer F extends keyof H ? ([F] extends [never] ? H[K] : MemberOf<H[F]>) : H[K]
/** The template type `rest_${string}_query` as a pattern, `rest_*_query`. */
type Pattern<K> = K extends `${infer Char}${infer Rest}`
  ? string extends Char
    ? `*${Rest}`
    : `${Char}${Pattern<Rest>}`
  : string extends K
    ? '*'
    : K
/** The property under which plugins find a family: `rest_query` for `rest_*_query`. */
type FamilyName<P> = P extends `${infer Before}_*${infer After}` ? `${Before}${After}` : never

/** A kind and the names of the arguments, which the compiler compares with the type of the hook. */
interface Declared<K extends HookKind, N extends readonly string[]> {
  readonly kind: K
  readonly args: N
}

/** Declares an action. @param args a name for each argument */
export function action<const N extends readonly string[]>(...args: N): Declared<'action', N> {
  return { kind: 'action', args }
}

/** Declares a filter. @param args a name for the value, then for each further argument */
export function filter<const N extends readonly string[]>(...args: N): Declared<'filter', N> {
  return { kind: 'filter', args }
}

/** Declares an action with synchronous taps. @param args a name for each argument */
export function syncAction<const N extends readonly string[]>(...args: N): Declared<'sync action', N> {
  return { kind: 'sync action', args }
}

/** Declares a filter with synchronous taps. @param args a name for the value, then for each further argument */
export function syncFilter<const N extends readonly string[]>(...args: N): Declared<'sync filter', N> {
  return { kind: 'sync filter', args }
}

/** Logs a failed tap that is skipped. @param about fields of the log line that describe the run */
export type FailureLog = (error: Error, about: object) => void
