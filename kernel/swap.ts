import { countedRegistrations, countRegistrations, currentOwner, Owner, type OwnerSwap } from './ownership.ts'
import type { Eras } from './era.ts'
import { currentWork } from './work.ts'

/**
 * The number of swaps in progress in this process. It is nearly always 0, and then all code sees the same registrations.
 */
export let openSwaps = 0
let swaps = 0
const open = new Set<Swap>()
/** Grows with all that plugins register before they take over. */
let arrivals = 0

/** Another number whenever a swap has begun, has been taken, or is over. */
export function swapEdition(): number {
  return swaps
}

/**
 * A number that changes when a registration is added or removed: a plugin, a tap, a route, a service, an entry of a registry.
 * Cached results that depend on registrations stay valid while it is the same. During an exchange of plugins, code that
 * sees the new plugins gets another number than code that sees the old ones.
 */
export function registrations(): number {
  if (openSwaps > 0) {
    for (const swap of open) {
      const seen = swap.registrations
      if (seen !== null) return seen
    }
  }
  return countedRegistrations()
}

/**
 * The exchange of plugins in a running site. First the new plugins register next to the old ones, and only they see their
 * registrations. When all have started without an error, they take over at one moment. Requests that began before end with
 * the old plugins, whose registrations are undone afterwards. After an error before that moment, the site is unchanged.
 */
export class Swap implements OwnerSwap {
  /** The owner of what is done for the swap itself: what runs for it sees what comes. */
  readonly #stage = new Owner('kernel')
  readonly #arriving = new Set<Owner>()
  readonly #leaving = new Set<Owner>()
  /** What plugins that stay register while the server is initialised, by plugin; once it is taken, what they had before. */
  readonly #initials = new Map<Owner, Owner | null>()
  #entering: (() => void)[] = []
  #state: 'preparing' | 'taken' | 'over' = 'preparing'
  #isTaken = false
  /** What `registrations` was when those that come took over. */
  #before = 0
  readonly #eras: Eras

  constructor(eras: Eras) {
    this.#eras = eras
    openSwaps += 1
    swaps += 1
    arrivals += 1
    open.add(this)
    this.#stage.arrives = this
  }

  get isPreparing(): boolean {
    return this.#state === 'preparing'
  }

  get showsArriving(): boolean {
    const owner = currentOwner()
    if (this.#state === 'preparing') return owner.arrives === this
    if (this.#state !== 'taken') return this.#isTaken
    if (owner.leaves === this) return false
    return currentWork()?.era?.isPast !== true
  }

  /** What `registrations` is for the running code; null where it is what it is without this exchange. */
  get registrations(): number | null {
    if (this.#state === 'preparing') return this.showsArriving ? -arrivals : null
    return this.showsArriving ? null : this.#before
  }

  /** Has an owner and its parts go. */
  leave(owner: Owner): void {
    swaps += 1
    for (const part of owner.withParts()) {
      part.leaves = this
      this.#leaving.add(part)
    }
  }

  /** Has an owner come. */
  arrive(owner: Owner): void {
    owner.arrives = this
    this.#arriving.add(owner)
  }

  /** Has what a plugin that stays registered while the server was initialised go; it is registered anew. */
  stay(plugin: Owner): void {
    const initial = plugin.newInitial(this)
    this.#initials.set(plugin, initial)
    this.#arriving.add(initial)
    if (plugin.lastInitial !== null) this.leave(plugin.lastInitial)
  }

  initialOf(plugin: Owner): Owner {
    return this.#initials.get(plugin) ?? this.#stage
  }

  /** Runs `work` so that it sees what comes. */
  run<T>(work: () => T): T {
    return this.#stage.run(work)
  }

  whenTaken(enter: () => void): void {
    this.#entering.push(enter)
  }

  noteArrival(): void {
    arrivals += 1
  }

  /**
   * Makes the new plugins take over. This is synchronous, so that no code sees a part of it.
   * @returns resolves when all requests that began before have ended
   */
  take(): Promise<void> {
    for (const [plugin, initial] of this.#initials) {
      this.#initials.set(plugin, plugin.lastInitial)
      plugin.lastInitial = initial
    }
    for (const owner of [...this.#leaving].toReversed()) owner.stepBack()
    this.#state = 'taken'
    this.#isTaken = true
    swaps += 1
    this.#before = countedRegistrations()
    countRegistrations()
    for (const enter of this.#entering) enter()
    this.#entering = []
    return this.#eras.next().over()
  }

  /** Undoes what plugins that stay had registered before; those that go are removed by whoever has them. */
  async finish(): Promise<void> {
    for (const before of this.#initials.values()) await before?.remove()
    await this.#close()
  }

  /** Undoes what has been prepared, as if nothing had happened. */
  async abandon(): Promise<void> {
    this.#entering = []
    for (const initial of this.#initials.values()) await initial?.remove()
    await this.#close()
  }

  async #close(): Promise<void> {
    for (const owner of this.#arriving) for (const part of owner.withParts()) part.arrives = null
    for (const owner of this.#leaving) for (const part of owner.withParts()) part.leaves = null
    this.#stage.arrives = null
    this.#state = 'over'
    open.delete(this)
    openSwaps -= 1
    swaps += 1
    await this.#stage.remove()
  }
}

/** Whether the running code sees what an owner registers. */
export function isVisible({ arrives, leaves }: Owner): boolean {
  return (arrives === null || arrives.showsArriving) && (leaves === null || !leaves.showsArriving)
}

/** Whether what an owner registers is there once a swap is over (`arriving`), or was there before it. */
export function isThere({ arrives, leaves }: Owner, arriving: boolean): boolean {
  return (arriving ? leaves : arrives) === null
}
