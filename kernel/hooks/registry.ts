import { HookMap } from 'tapable'
import { errors } from '../errors.ts'
import { derived, OwnedMap } from '../owned-map.ts'
import { currentOwner, Owner } from '../ownership.ts'
import { suggest } from '../text/suggest.ts'
import type { FailureLog, Hooks, HookSpec } from './hook.ts'
import { TapableHook } from './tapable-hook.ts'

/** A hook, or a family of hooks, that a plugin owns. */
export interface DeclaredHook {
  readonly name: string
  readonly spec: HookSpec
  readonly owner: Owner
  /** The text before and after the `*` of a family. */
  readonly parts: readonly [string, string] | null
  /** The hook, or the members of the family that were asked for, by name. */
  readonly created: Map<string, TapableHook>
}

type Family = HookMap<TapableHook>
/** Creates a family of hooks: one for each name of a type, created when it is first asked for. */
export type FamilyMaker = (create: (key: string) => TapableHook, name: string) => Family

/**
 * The hooks of one kernel. Names are looked up as written, then in the families (`rest_prepare_*`), longest fixed part
 * first; names that carry the word may be written with `svc` or with the word in use.
 */
export class HookRegistry {
  /** Hooks by name, as plugins see them. Throws HOOK_UNKNOWN for a name that is not declared. */
  readonly hooks: Hooks
  /** Returns a better error for an unknown hook, or null. */
  missing: (name: string) => Error | null = () => null
  /** Creates the families, whose wrong use the advice may refuse. */
  createFamily: FamilyMaker = (create, name) => new HookMap(create, name)
  readonly #word: string
  readonly #logFailure: FailureLog
  readonly #declared = new OwnedMap<DeclaredHook>('hook', () => this.#forget())
  /** The families and their objects by the names that plugins use: `rest_prepare` for `rest_prepare_*`. */
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
   * @param logFailure called for failures that do not end a run; by default they are thrown in a microtask
   */
  constructor(word = 'svc', specs: Readonly<Record<string, HookSpec>> = {}, logFailure: FailureLog = throwLater) {
    this.#word = word
    this.#logFailure = logFailure
    // A name that was asked for becomes a plain property, which costs nothing to read; others are looked up by the proxy.
    const unknown = new Proxy(Object.prototype, {
      get: (_, name) => {
        if (typeof name !== 'string') return undefined
        const found = this.find(name)
        Object.defineProperty(this.hooks, name, { value: found, configurable: true })
        return found
      },
      has: (_, name) => typeof name === 'string' && this.#resolve(this.#neutral(name)) !== undefined,
    })
    this.hooks = Object.create(unknown) as Hooks
    new Owner('kernel').run(() => {
      for (const [name, spec] of Object.entries(specs)) this.declare(name, spec)
    })
  }

  /**
   * Declares a hook, or with a `*` in its name a family, for the current owner.
   * @throws HOOK_TAKEN when another owner declared the name
   */
  declare(name: string, spec: HookSpec): void {
    const taken = this.#declared.ownerOf(name)
    if (taken !== undefined) throw errors.HOOK_TAKEN(name, taken)
    const star = name.indexOf('*')
    const parts = star < 0 ? null : ([name.slice(0, star), name.slice(star + 1)] as const)
    // A member of a family that was asked for before it had a declaration of its own.
    const known = parts === null ? this.#resolve(name)?.created.get(name) : undefined
    const created = new Map(known === undefined ? [] : [[name, known]])
    this.#declared.set(name, { name, spec, owner: currentOwner(), parts, created })
  }

  /**
   * The hook or family of a name.
   * @throws HOOK_UNKNOWN with the nearest known name
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
      const near = suggest(written, this.#declared.keys())
      throw this.missing(name) ?? errors.HOOK_UNKNOWN(written, near, currentOwner().name)
    }
    let hook = declared.created.get(name)
    if (hook === undefined) {
      hook = new TapableHook({ name, spec: declared.spec, site: this.hooks, logFailure: this.#logFailure })
      declared.created.set(name, hook)
    }
    return hook
  }

  /** Whether a hook, or a family, of exactly this name is declared. */
  isDeclared(name: string): boolean {
    return this.#declared.has(name)
  }

  /** Every declared hook and family, in order of declaration. */
  get declared(): readonly DeclaredHook[] {
    return this.#declared.values()
  }

  /**
   * Removes taps, also while the hook runs: a run in progress ends with the taps that it began with.
   * @returns how many were removed
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

  /** Has names looked up again, as a hook was declared or removed. */
  #forget(): void {
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
