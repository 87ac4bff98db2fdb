import { HookMap } from 'tapable'
import { errors } from '../errors.ts'
import { derived, OwnedMap } from '../owned-map.ts'
import { currentOwner, Owner } from '../ownership.ts'
import type { FailureLog, Hooks, HookSpec } from './hook.ts'
import { TapableHook } from './tapable-hook.ts'

/** A declared hook, or a declared family of hooks. */
export interface DeclaredHook {
  readonly name: string
  readonly spec: HookSpec
  readonly owner: Owner
  /** The text before and after the `*` of a family. */
  readonly parts: readonly [string, string] | null
  /** The hook, or the members of the family that have been looked up, by name. */
  readonly created: Map<string, TapableHook>
}

type Family = HookMap<TapableHook>
/** Creates a family of hooks. @param create creates a member at its first use */
type CreateFamily = (create: (key: string) => TapableHook, name: string) => Family

/**
 * The hooks of one kernel. Names are looked up exactly, then in the families (`rest_prepare_*`), the longest pattern
 * first. Names that begin with the word of the branding can also be written with `svc`.
 */
export class HookRegistry {
  /** Hooks by name, as plugins see them. Throws HOOK_UNKNOWN for a name that is not declared. */
  readonly hooks: Hooks
  /** Returns a more helpful error for an unknown hook, or null. */
  missing: (name: string, written: string, hookNames: readonly string[]) => Error | null = () => null
  /** Creates a family. The advice replaces it with one whose families refuse wrong use. */
  createFamily: CreateFamily = (create, name) => new HookMap(create, name)
  readonly #word: string
  readonly #logFailure: FailureLog
  readonly #declared = new OwnedMap<DeclaredHook>('hook', () => this.#resetProperties())
  /** The families by their property names: `rest_prepare` for `rest_prepare_*`. */
  readonly #families = derived(this.#declared, () => {
    const families = this.#declared.values().filter(isFamily)
    return new Map(
      families.map((declared) => {
        const [before, after] = declared.parts
        const name = `${before.replace(/_$/, '')}${after}`
        return [name, { declared, family: this.createFamily((key) => this.#hook(`${before}${key}${after}`), name) }]
      }),
    )
  })

  /**
   * @param specs the hooks of the kernel, by name
   * @param logFailure logs failures that do not end a run; by default, throws them in a microtask
   */
  constructor(word = 'svc', specs: Readonly<Record<string, HookSpec>> = {}, logFailure: FailureLog = throwLater) {
    this.#word = word
    this.#logFailure = logFailure
    // A hook becomes a plain property at its first use; the proxy in the prototype looks up all others.
    const unknown = new Proxy(Object.prototype, {
      get: (_, name) => {
        if (typeof name !== 'string') return undefined
        const hook = this.find(name)
        Object.defineProperty(this.hooks, name, { value: hook, configurable: true })
        return hook
      },
      has: (_, name) => typeof name === 'string' && this.#resolve(this.#neutral(name)) !== undefined,
    })
    this.hooks = Object.create(unknown) as Hooks
    new Owner('kernel').run(() => {
      for (const [name, spec] of Object.entries(specs)) this.declare(name, spec)
    })
  }

  /**
   * Declares a hook, or a family if the name has a `*`, for the current owner.
   * @throws HOOK_TAKEN if the name is declared already
   */
  declare(name: string, spec: HookSpec): void {
    const declaringPlugin = this.#declared.ownerOf(name)
    if (declaringPlugin !== undefined) throw errors.HOOK_TAKEN(name, declaringPlugin)
    const star = name.indexOf('*')
    const parts = star < 0 ? null : ([name.slice(0, star), name.slice(star + 1)] as const)
    // A family member with this name may exist from before this declaration.
    const existing = parts === null ? this.#resolve(name)?.created.get(name) : undefined
    const created = new Map(existing === undefined ? [] : [[name, existing]])
    this.#declared.set(name, { name, spec, owner: currentOwner(), parts, created })
  }

  /**
   * Returns the hook or family of a name.
   * @throws HOOK_UNKNOWN with the most similar declared name
   */
  find(name: string): TapableHook | Family {
    const neutral = this.#neutral(name)
    return (
      (this.#declared.has(neutral) ? undefined : this.#families().get(neutral)?.family) ?? this.#hook(neutral, name)
    )
  }

  #hook(name: string, written = name): TapableHook {
    const declared = this.#resolve(name)
    if (declared === undefined) {
      const error = this.missing(name, written, this.#declared.keys())
      throw error ?? errors.HOOK_UNKNOWN(written, '', currentOwner().name)
    }
    let hook = declared.created.get(name)
    if (hook === undefined) {
      hook = new TapableHook({ name, spec: declared.spec, site: this.hooks, logFailure: this.#logFailure })
      declared.created.set(name, hook)
    }
    return hook
  }

  /** Whether a hook or family is declared under exactly this name. */
  isDeclared(name: string): boolean {
    return this.#declared.has(name)
  }

  /** All declared hooks and families, in order of declaration. */
  get declared(): readonly DeclaredHook[] {
    return this.#declared.values()
  }

  /**
   * Removes the taps with a name from a hook. A run in progress continues with the taps that it started with.
   * @returns the number of removed taps
   */
  untap(name: string, tap: string): number {
    const hook = this.find(name)
    return hook instanceof HookMap ? 0 : hook.remove((one) => one.name === tap)
  }

  #neutral(name: string): string {
    return this.#word !== 'svc' && name.startsWith(`${this.#word}_`) ? `svc_${name.slice(this.#word.length + 1)}` : name
  }

  #resolve(name: string): DeclaredHook | undefined {
    const exact = this.#declared.get(name)
    if (exact !== undefined) return exact
    const isMember = ({ parts: [before, after] }: DeclaredFamily) =>
      name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after)
    const families = [...this.#families().values()].map(({ declared }) => declared).filter(isMember)
    return families.reduce<DeclaredFamily | undefined>(
      (best, one) => (best !== undefined && best.name.length >= one.name.length ? best : one),
      undefined,
    )
  }

  /** Deletes the properties of `hooks`, so that names are looked up again after a change of declarations. */
  #resetProperties(): void {
    for (const name of Object.getOwnPropertyNames(this.hooks)) Reflect.deleteProperty(this.hooks, name)
  }
}

type DeclaredFamily = DeclaredHook & { readonly parts: readonly [string, string] }
const isFamily = (declared: DeclaredHook): declared is DeclaredFamily => declared.parts !== null

function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error
  })
}
