import { HookMap } from 'tapable'
import { errors } from '../errors.ts'
import { currentOwner } from '../ownership.ts'
import { suggest } from '../text/suggest.ts'
import type { FailureLog, HookKind, Hooks, HookSpec } from './hook.ts'
import { createHook, takeTaps, tapsOf, type AnyHook } from './tapable-hook.ts'

/** A hook as `svc hooks` prints it. */
export interface HookListing {
  name: string
  kind: HookKind
  args: readonly string[]
  owner: string
  /** Name of the family that it is a member of (`rest_prepare_*`), or null. */
  family: string | null
  taps: { name: string; plugin: string; stage: number }[]
}

interface Declared {
  spec: HookSpec
  owner: string
  /** The text before and after the `*` of a family. */
  parts: readonly [string, string] | null
}

/**
 * The hooks of one kernel. Names are looked up as written, then in the families (`rest_prepare_*`), longest fixed part
 * first; names that carry the word may be written with `svc` or with the word in use.
 */
export class HookRegistry {
  /** Hooks by name, as plugins see them. Throws HOOK_UNKNOWN for a name nobody declared. */
  readonly hooks: Hooks
  readonly #word: string
  readonly #logFailure: FailureLog
  readonly #declared = new Map<string, Declared>()
  readonly #made = new Map<string, AnyHook>()
  readonly #families = new Map<string, HookMap<AnyHook>>()

  /**
   * @param specs the hooks that are there from the beginning, by name
   * @param logFailure told of taps that fail alone; without, their failures are thrown where nobody catches them
   */
  constructor(word = 'svc', specs: Readonly<Record<string, HookSpec>> = {}, logFailure: FailureLog = throwLater) {
    this.#word = word
    this.#logFailure = logFailure
    for (const [name, spec] of Object.entries(specs)) this.declare(name, spec)
    // A name that was asked for becomes a plain property, which costs nothing to read; the proxy behind the object is
    // asked for the others.
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
  }

  /**
   * Declares a hook, or with a `*` in its name a family, for the current owner.
   * @throws HOOK_TAKEN when another owner declared the name
   */
  declare(name: string, spec: HookSpec): void {
    const owner = currentOwner()
    const taken = this.#declared.get(name)
    if (taken !== undefined) throw errors.HOOK_TAKEN(name, taken.owner)
    const star = name.indexOf('*')
    const parts = star < 0 ? null : ([name.slice(0, star), name.slice(star + 1)] as const)
    this.#declared.set(name, { spec, owner: owner.name, parts })
    if (parts !== null) {
      const family = familyName(parts)
      this.#families.set(family, new HookMap((key) => this.find(`${parts[0]}${key}${parts[1]}`) as AnyHook))
    }
    owner.onRemove(() => this.#withdraw(name), { kind: 'hook', name })
  }

  /**
   * The hook or family of a name.
   * @throws HOOK_UNKNOWN with the nearest known name
   */
  find(name: string): AnyHook | HookMap<AnyHook> {
    const neutral = this.#neutral(name)
    const made = this.#made.get(neutral) ?? this.#families.get(neutral)
    if (made !== undefined) return made
    const declared = this.#resolve(neutral)
    if (declared === undefined) throw errors.HOOK_UNKNOWN(name, suggest(name, this.#declared.keys()))
    const hook = createHook(neutral, declared.spec, this.hooks, this.#logFailure)
    this.#made.set(neutral, hook)
    return hook
  }

  /** Every declared hook, and every member of a family that is in use, in order of declaration. */
  list(): HookListing[] {
    const listing: HookListing[] = []
    for (const [name, { spec, owner, parts }] of this.#declared) {
      const members =
        parts === null ? [name] : [...this.#made.keys()].filter((made) => this.#resolve(made)?.parts === parts)
      if (parts !== null) listing.push({ name, kind: spec.kind, args: spec.args, owner, family: null, taps: [] })
      for (const member of members) {
        const hook = this.#made.get(member)
        const made = hook === undefined ? [] : tapsOf(hook)
        const taps = made.map(({ name, registration, stage = 0 }) => ({ name, plugin: registration.owner.name, stage }))
        if (parts === null || taps.length > 0) {
          const family = parts === null ? null : name
          listing.push({ name: member, kind: spec.kind, args: spec.args, owner, family, taps })
        }
      }
    }
    return listing
  }

  /**
   * Takes taps away, also while the hook runs: a run under way ends with the taps it began with.
   * @returns how many were taken away
   */
  untap(name: string, tap: string): number {
    const hook = this.find(name)
    return hook instanceof HookMap ? 0 : takeTaps(hook, tap)
  }

  #neutral(name: string): string {
    return this.#word !== 'svc' && name.startsWith(`${this.#word}_`) ? `svc_${name.slice(this.#word.length + 1)}` : name
  }

  #resolve(name: string): Declared | undefined {
    const exact = this.#declared.get(name)
    if (exact !== undefined) return exact
    let best: Declared | undefined
    let length = -1
    for (const declared of this.#declared.values()) {
      if (declared.parts === null) continue
      const [before, after] = declared.parts
      const fixed = before.length + after.length
      if (fixed > length && name.length > fixed && name.startsWith(before) && name.endsWith(after)) {
        best = declared
        length = fixed
      }
    }
    return best
  }

  #withdraw(name: string): void {
    const declared = this.#declared.get(name)
    if (declared === undefined) return
    for (const made of [...this.#made.keys()].filter((one) => this.#resolve(one) === declared)) {
      this.#made.delete(made)
      delete (this.hooks as unknown as Record<string, unknown>)[made]
    }
    if (declared.parts !== null) {
      const family = familyName(declared.parts)
      this.#families.delete(family)
      delete (this.hooks as unknown as Record<string, unknown>)[family]
    }
    this.#declared.delete(name)
  }
}

function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error
  })
}

function familyName([before, after]: readonly [string, string]): string {
  return `${before.replace(/_$/, '')}${after}`
}
