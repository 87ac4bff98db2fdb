import { HookMap } from 'tapable'
import { errors } from '../errors.ts'
import { derived, OwnedMap } from '../owned-map.ts'
import { currentOwner, Owner, type Registrant } from '../ownership.ts'
import { suggest } from '../text/suggest.ts'
import { Family } from './family.ts'
import type { FailureLog, HookKind, Hooks, HookSpec } from './hook.ts'
import { createHook, hasRun, takeTaps, tapsOf, type AnyHook } from './tapable-hook.ts'

/** A hook as `svc hooks` prints it. */
export interface HookListing {
  name: string
  kind: HookKind
  args: readonly string[]
  owner: string
  /** Name of the family that it is a member of (`rest_prepare_*`), or null. */
  family: string | null
  /** `at`: where the tap was made, in the code of a plugin that is no default. */
  taps: { name: string; plugin: string; stage: number; at: string | null }[]
}

interface Declared {
  readonly name: string
  readonly spec: HookSpec
  readonly owner: Owner
  /** The text before and after the `*` of a family. */
  readonly parts: readonly [string, string] | null
  /** The hook, or those of its family that somebody has asked for, by name. */
  readonly made: Map<string, AnyHook>
  readonly family: Family | null
}

/**
 * The hooks of one kernel. Names are looked up as written, then in the families (`rest_prepare_*`), longest fixed part
 * first; names that carry the word may be written with `svc` or with the word in use.
 */
export class HookRegistry {
  /** Hooks by name, as plugins see them. Throws HOOK_UNKNOWN for a name nobody declared. */
  readonly hooks: Hooks
  /** Says more of a hook that nobody declares; null where there is no more to say. */
  missing: (name: string) => Error | null = () => null
  readonly #word: string
  readonly #logFailure: FailureLog
  readonly #declared = new OwnedMap<Declared>('hook', (name) => this.#forget(name))
  /** By the names that they are reached by: `rest_prepare` for `rest_prepare_*`. */
  readonly #families = derived(this.#declared, () => {
    const families = this.#declared.values().filter((one) => one.parts !== null)
    return new Map(families.map((one) => [familyName(one.parts!), one]))
  })

  /**
   * @param specs the hooks that are there from the beginning, by name
   * @param logFailure told of taps that fail alone; without, their failures are thrown where nobody catches them
   */
  constructor(word = 'svc', specs: Readonly<Record<string, HookSpec>> = {}, logFailure: FailureLog = throwLater) {
    this.#word = word
    this.#logFailure = logFailure
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
    new Owner('kernel').run(() => {
      for (const [name, spec] of Object.entries(specs)) this.declare(name, spec)
    })
  }

  /**
   * Declares a hook, or with a `*` in its name a family, for the current owner.
   * @throws HOOK_TAKEN when another owner declared the name
   */
  declare(name: string, spec: HookSpec): void {
    const owner = currentOwner()
    const taken = this.#declared.ownerOf(name)
    if (taken !== undefined) throw errors.HOOK_TAKEN(name, taken)
    const parts = partsOf(name)
    const family =
      parts === null
        ? null
        : new Family(familyName(parts), (key) => this.find(`${parts[0]}${key}${parts[1]}`) as AnyHook)
    const declared: Declared = { name, spec, owner, parts, made: new Map(), family }
    // A member of a family that somebody has asked for before it had a declaration of its own.
    const known = parts === null ? this.#resolve(name)?.made.get(name) : undefined
    if (known !== undefined) declared.made.set(name, known)
    this.#declared.set(name, declared)
  }

  /**
   * The hook or family of a name.
   * @throws HOOK_UNKNOWN with the nearest known name
   */
  find(name: string): AnyHook | HookMap<AnyHook> {
    const neutral = this.#neutral(name)
    const family = this.#declared.has(neutral) ? undefined : this.#families().get(neutral)?.family
    if (family !== undefined && family !== null) return family
    const declared = this.#resolve(neutral)
    if (declared === undefined)
      throw (
        this.missing(neutral) ?? errors.HOOK_UNKNOWN(name, suggest(name, this.#declared.keys()), currentOwner().name)
      )
    return declared.made.get(neutral) ?? this.#make(declared, neutral)
  }

  #make(declared: Declared, name: string): AnyHook {
    const hook = createHook(name, declared.spec, this.hooks, this.#logFailure)
    declared.made.set(name, hook)
    return hook
  }

  /** Whether somebody declares a hook, or a family, of exactly this name. */
  isDeclared(name: string): boolean {
    return this.#declared.has(name)
  }

  /** Every declared hook, and every member of a family that is in use, in order of declaration. */
  list(): HookListing[] {
    const listing: HookListing[] = []
    for (const { name, spec, owner: declarer, parts, made } of this.#declared.values()) {
      const owner = declarer.name
      const members = parts === null ? [name] : [...made.keys()]
      if (parts !== null) listing.push({ name, kind: spec.kind, args: spec.args, owner, family: null, taps: [] })
      for (const member of members) {
        const hook = made.get(member)
        const all = hook === undefined ? [] : tapsOf(hook)
        const taps = all.map(({ name, registration: { owner, registrant }, stage = 0 }) => ({
          name,
          plugin: owner.name,
          stage,
          at: registrant.at(),
        }))
        if (parts === null || taps.length > 0) {
          const family = parts === null ? null : name
          listing.push({ name: member, kind: spec.kind, args: spec.args, owner, family, taps })
        }
      }
    }
    return listing
  }

  #allMade(): [name: string, hook: AnyHook][] {
    return this.#declared.values().flatMap(({ made }) => [...made])
  }

  /** The taps of members of families, by plugins that are no defaults. */
  familyTaps(): { hook: string; family: string; key: string; hasRun: boolean; taps: Registrant[] }[] {
    return this.#allMade().flatMap(([hook, made]) => {
      const taps = strangersOf(made).map(({ registration }) => registration.registrant)
      const parts = taps.length === 0 ? null : (this.#resolve(hook)?.parts ?? null)
      if (parts === null) return []
      const key = hook.slice(parts[0].length, hook.length - parts[1].length)
      return [{ hook, family: parts.join('*'), key, hasRun: hasRun(made), taps }]
    })
  }

  /** The taps, by plugins that are no defaults, that are for some types. */
  typedTaps(): { hook: string; types: readonly string[]; registrant: Registrant }[] {
    return this.#allMade().flatMap(([hook, made]) =>
      strangersOf(made).flatMap(({ types, registration: { registrant } }) =>
        types === undefined ? [] : [{ hook, types: [types].flat(), registrant }],
      ),
    )
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
    for (const declared of this.#families().values()) {
      const [before, after] = declared.parts!
      const fixed = before.length + after.length
      if (fixed > length && isMember(name, declared.parts!)) {
        best = declared
        length = fixed
      }
    }
    return best
  }

  /** Forgets what names stood for that a hook has come or gone under. */
  #forget(name: string): void {
    const parts = partsOf(name)
    const names = parts === null ? [name] : Object.getOwnPropertyNames(this.hooks).filter((one) => isMember(one, parts))
    if (parts !== null) names.push(familyName(parts))
    for (const one of names) {
      const written = [one, one.replace(/^svc_/, `${this.#word}_`)]
      for (const spelling of written)
        if (Object.hasOwn(this.hooks, spelling)) Reflect.deleteProperty(this.hooks, spelling)
    }
    for (const { family } of this.#families().values()) family?.forget()
  }
}

/** The taps of a hook by plugins that are no defaults. */
const strangersOf = (hook: AnyHook) => tapsOf(hook).filter(({ registration }) => !registration.registrant.trusted)

function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error
  })
}

/** The text before and after the `*` of a family; null for the name of a single hook. */
function partsOf(name: string): readonly [string, string] | null {
  const star = name.indexOf('*')
  return star < 0 ? null : [name.slice(0, star), name.slice(star + 1)]
}

const isMember = (name: string, [before, after]: readonly [string, string]) =>
  name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after)

function familyName([before, after]: readonly [string, string]): string {
  return `${before.replace(/_$/, '')}${after}`
}
