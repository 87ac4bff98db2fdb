import { AsyncLocalStorage } from 'node:async_hooks'
import { START_SECONDS } from './deadline.ts'
import { errors } from './errors.ts'
import type { Any } from './hooks/any.ts'
import { currentWork } from './work.ts'

/** Reverts a registration. */
export type Undo = () => void | Promise<void>

/** Identifies a registration: `{ kind: 'route', name: 'GET /shop/v1/prices' }`. */
export interface Label {
  readonly kind: string
  readonly name: string
}

/** A registration as `svc plugins NAME --owned` lists it, with the registrations that are parts of it. */
export interface Owned extends Label {
  readonly parts?: readonly Owned[]
}

/** A tap that is checked before it is added. */
export interface CheckedTap {
  readonly hook: string
  /** The `HookSpec` of the hook. */
  readonly spec: Any
  /** The earlier taps of the hook. */
  readonly taps: readonly { readonly name: string }[]
  readonly tapType: 'sync' | 'promise' | 'async'
  /** Name and further options of the tap, a `PartialTapOptions`. */
  readonly options: Any
  readonly fn: (...args: Any[]) => Any
  readonly registrant: Registrant
}

/** Checks the registrations of plugins for mistakes. */
export interface OwnerAdvice {
  /**
   * Checks a tap of a plugin before it is added, and returns the function to call, which may also check the tap's
   * results.
   * @param beyond arguments that the plugin passed after the function
   * @throws HOOK_TAP_INVALID and the other errors of taps
   */
  checkTap(tap: CheckedTap, beyond: readonly unknown[]): CheckedTap['fn']
  /** Logs a registration that replaces an earlier one, of another or the same plugin, without `override`. */
  collided(label: Label, by: Registrant, earlier: Registrant): void
  /** Captures the call stack. The returned function finds the line of plugin code in it: `/site/garden.ts:12:7`. */
  rememberPlace(this: void): () => string | null
}

/** Accepts every registration. */
export const noOwnerAdvice: OwnerAdvice = {
  checkTap: ({ fn }) => fn,
  collided: () => {},
  rememberPlace: () => () => null,
}

/** The plugin that made a registration, and the place in its code. */
export interface Registrant {
  readonly plugin: string
  /** Whether it is a default plugin. */
  readonly trusted: boolean
  /** Returns the place in the plugin's code: `/site/garden.ts:12:7`; null for default plugins, and if it is unknown. */
  at(): string | null
}

interface Entry extends Label {
  readonly undo: Undo
  /** Owner of the registrations that are parts of this one. */
  readonly part: Owner | null
  /** Whether responses can depend on it. */
  readonly shapes: boolean
}

/** Source (for `derived`) of values that depend on all registrations. `registrations` returns its edition. */
export const allRegistrations = { edition: 0 }

/**
 * Returns a number that changes when a registration is added or removed: a plugin, a tap, a route, a service, an entry
 * of a registry. Cached results that depend on registrations stay valid while the number is the same.
 */
export function registrations(): number {
  return allRegistrations.edition
}

/**
 * The owner of registrations: a plugin, or the kernel. Registrations made while an owner is current belong to it and
 * are reverted, newest first, when the owner is removed.
 */
export class Owner {
  readonly name: string
  /** Seconds that each of its steps at the start may take. */
  readonly deadline: number
  /** Whether its callbacks need no `dependsOn`, such as callbacks of default plugins. */
  readonly trusted: boolean
  /** The owner of the whole plugin, if this is a part of one, else this owner. */
  readonly root: Owner
  /** Checks its registrations. */
  readonly advice: OwnerAdvice
  readonly #entries = new Set<Entry>()
  #isRemoved = false
  /** Reasons why responses that it takes part in are not cached, for the log; includes the reasons of its parts. */
  readonly uncached = new Set<string>()

  /** @param root owner of the plugin that it is a part of */
  constructor(
    name: string,
    deadline = START_SECONDS,
    trusted = false,
    advice = noOwnerAdvice,
    root: Owner | null = null,
  ) {
    this.name = name
    this.deadline = deadline
    this.trusted = trusted
    this.advice = advice
    this.root = root ?? this
  }

  /** Adds a registration that keeps responses out of the cache to `uncached`. */
  noteUncached(reason: string): void {
    this.root.uncached.add(reason)
  }

  /** This owner as a registrant, with the place of the running code. */
  get registrant(): Registrant {
    const { name: plugin, trusted } = this
    return { plugin, trusted, at: (trusted ? noOwnerAdvice : this.advice).rememberPlace() }
  }

  /**
   * Adds a registration.
   * @param undo reverts the registration; called when the owner is removed
   * @param shapes whether responses can depend on it, so that a change invalidates cached responses
   * @returns a function that removes the entry without calling `undo`
   */
  onRemove(undo: Undo, label: Label, shapes = true): () => void {
    return this.#add({ ...label, undo, part: null, shapes })
  }

  /** Creates an owner for the registrations that are parts of one; it is removed with this owner. */
  part(label: Label, trusted = this.trusted): Owner {
    const part = new Owner(this.name, this.deadline, trusted, this.advice, this.root)
    this.#add({ ...label, undo: () => part.remove(), part, shapes: false })
    return part
  }

  #add(entry: Entry): () => void {
    // The plugin was removed while its code waited for a promise.
    if (this.#isRemoved) {
      queueMicrotask(() => void Promise.resolve(entry.undo()).catch(() => {}))
      return () => {}
    }
    this.#entries.add(entry)
    if (entry.shapes) allRegistrations.edition += 1
    return () => {
      if (this.#entries.delete(entry) && entry.shapes) allRegistrations.edition += 1
    }
  }

  /** Runs `work`, and the asynchronous code that it starts, with this owner as the current one. */
  run<T>(work: () => T): T {
    return current.run(this, work)
  }

  /** Reverts all registrations, newest first, also after failures. @throws the first error, after all of them */
  async remove(): Promise<void> {
    const failures: unknown[] = []
    this.#isRemoved = true
    for (const entry of [...this.#entries].toReversed()) {
      this.#entries.delete(entry)
      try {
        await entry.undo()
      } catch (error) {
        failures.push(error)
      }
      if (entry.shapes) allRegistrations.edition += 1
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Returns its registrations in order, each with its parts. */
  owned(): Owned[] {
    return [...this.#entries].map(({ kind, name, part }) =>
      part === null ? { kind, name } : { kind, name, parts: part.owned() },
    )
  }
}

const current = new AsyncLocalStorage<Owner>()
const KERNEL = new Owner('kernel')

/** Returns the owner of registrations made now: the plugin being applied, or whose tap is running, else the kernel. */
export function currentOwner(): Owner {
  return current.getStore() ?? KERNEL
}

/**
 * Returns the current owner of registrations. Requests cannot register, because nothing would revert their
 * registrations.
 * @param describe returns a description of the registration for the error
 * @throws REGISTERED_IN_REQUEST
 */
export function registeringOwner(describe: () => string): Owner {
  const owner = current.getStore()
  if (owner === undefined && currentWork() !== undefined) throw errors.REGISTERED_IN_REQUEST(describe())
  return owner ?? KERNEL
}
