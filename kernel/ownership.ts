import { AsyncLocalStorage } from 'node:async_hooks'
import { START_SECONDS } from './deadline.ts'
import { errors } from './errors.ts'
import type { Any } from './hooks/any.ts'
import { currentWork } from './work.ts'

/** Undoes a registration. */
export type Undo = () => void | Promise<void>

/** What a registration is, and which: `{ kind: 'route', name: 'GET /shop/v1/prices' }`. */
export interface Label {
  readonly kind: string
  readonly name: string
}

/** A registration as `svc plugins NAME --owned` lists it, with those that were made for it. */
export interface Owned extends Label {
  readonly parts?: readonly Owned[]
}

/** A tap that is checked before it is added. */
export interface CheckedTap {
  readonly hook: string
  /** What the hook is, a `HookSpec`. */
  readonly spec: Any
  /** The taps that the hook has already. */
  readonly taps: readonly { readonly name: string }[]
  readonly way: 'sync' | 'promise' | 'async'
  /** Its name and its other options, a `GivenTap`. */
  readonly given: Any
  readonly fn: (...args: Any[]) => Any
  readonly registrant: Registrant
}

/** Finds mistakes in what plugins register. */
export interface OwnerAdvice {
  /**
   * Checks a tap of a plugin before it is added, and returns the function to call, which may check its results.
   * @param beyond the arguments after the function
   * @throws HOOK_TAP_INVALID and the other errors of taps
   */
  checkTap(tap: CheckedTap, beyond: readonly unknown[]): CheckedTap['fn']
  /** Logs a registration that replaces another plugin's, or an earlier one of the same plugin, without `override`. */
  collided(label: Label, by: Registrant, earlier: Registrant): void
  /** Remembers which code of a plugin runs. The returned function finds its place: `/site/garden.ts:12:7`. */
  rememberPlace(this: void): () => string | null
}

/** Accepts every registration. */
export const noOwnerAdvice: OwnerAdvice = {
  checkTap: ({ fn }) => fn,
  collided: () => {},
  rememberPlace: () => () => null,
}

/** Who registered something, and where. */
export interface Registrant {
  readonly plugin: string
  /** Whether it is one of the defaults. */
  readonly trusted: boolean
  /** Where in the plugin's code: `/site/garden.ts:12:7`. Null for defaults, and where nobody knows. */
  at(): string | null
}

interface Entry extends Label {
  readonly undo: Undo
  /** Who owns what was made for it. */
  readonly part: Owner | null
  /** Whether responses may depend on it. */
  readonly shapes: boolean
}

/** The source of values that depend on all registrations. Its edition is the number that `registrations` returns. */
export const everything = { edition: 0 }

/**
 * A number that changes when a registration is added or removed: a plugin, a tap, a route, a service, an entry of a registry.
 * Cached results that depend on registrations stay valid while it is the same.
 */
export function registrations(): number {
  return everything.edition
}

/**
 * The owner of registrations: a plugin, or the kernel. Everything registered while an owner is current belongs to it and is
 * undone, newest first, when the owner is removed.
 */
export class Owner {
  readonly name: string
  /** Seconds that each thing it does at the start may take. */
  readonly deadline: number
  /** Whether it need not say what its callbacks depend on, as the defaults. */
  readonly trusted: boolean
  /** The owner that this is a part of: the plugin's own; itself where it is none. */
  readonly root: Owner
  /** Checks what it registers. */
  readonly advice: OwnerAdvice
  readonly #entries = new Set<Entry>()
  #isRemoved = false
  /** Why responses that it takes part in are not stored, for the log. Its parts note theirs here, too. */
  readonly uncached = new Set<string>()

  /** @param root the owner that it is a part of */
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

  /** Notes a registration because of which responses are not stored. */
  noteUncached(reason: string): void {
    this.root.uncached.add(reason)
  }

  /** Who registers, and where: right now. */
  get registrant(): Registrant {
    const { name: plugin, trusted } = this
    return { plugin, trusted, at: (trusted ? noOwnerAdvice : this.advice).rememberPlace() }
  }

  /**
   * Remembers how to undo a registration.
   * @param shapes whether responses may depend on it, so that cached ones are out of date
   * @returns a function that forgets it again
   */
  onRemove(undo: Undo, label: Label, shapes = true): () => void {
    return this.#add({ ...label, undo, part: null, shapes })
  }

  /** Creates an owner for the registrations of one thing; it is removed with this one. */
  part(label: Label, trusted = this.trusted): Owner {
    const part = new Owner(this.name, this.deadline, trusted, this.advice, this.root)
    this.#add({ ...label, undo: () => part.remove(), part, shapes: false })
    return part
  }

  #add(entry: Entry): () => void {
    // Its plugin was removed during a promise that could not be stopped.
    if (this.#isRemoved) {
      queueMicrotask(() => void Promise.resolve(entry.undo()).catch(() => {}))
      return () => {}
    }
    this.#entries.add(entry)
    if (entry.shapes) everything.edition += 1
    return () => {
      if (this.#entries.delete(entry) && entry.shapes) everything.edition += 1
    }
  }

  /** Runs `work` with this owner as the current one, through all that it awaits. */
  run<T>(work: () => T): T {
    return current.run(this, work)
  }

  /** Undoes everything, newest first. A failing undo does not keep the others from running; the first failure is thrown at the end. */
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
      if (entry.shapes) everything.edition += 1
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Its registrations in their order, with what was made for each of them. */
  owned(): Owned[] {
    return [...this.#entries].map(({ kind, name, part }) =>
      part === null ? { kind, name } : { kind, name, parts: part.owned() },
    )
  }
}

const current = new AsyncLocalStorage<Owner>()
const KERNEL = new Owner('kernel')

/** The owner of what is registered now: the plugin that is being applied, or whose tap runs; else the kernel. */
export function currentOwner(): Owner {
  return current.getStore() ?? KERNEL
}

/**
 * The owner of what is registered now, where a request may not register anything: nobody would take it back.
 * @throws REGISTERED_IN_REQUEST
 */
export function registeringOwner(what: () => string): Owner {
  const owner = current.getStore()
  if (owner === undefined && currentWork() !== undefined) throw errors.REGISTERED_IN_REQUEST(what())
  return owner ?? KERNEL
}
