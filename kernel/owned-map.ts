import { currentOwner, registeringOwner, type OwnerSwap, type Owner, type Registrant } from './ownership.ts'
import { isThere, openSwaps, registrations, swapEdition } from './swap.ts'

/** What belongs to an owner. */
interface Held {
  readonly owner: Owner
}

/**
 * Where among others an entry stands: behind all of them. One of a plugin that comes in the place of another stands where
 * that one's stand, so that the order is that of a start.
 */
function placeOf({ arrives, place }: Owner, entries: readonly Held[]): number {
  return arrives === null ? entries.length : entries.findLastIndex(({ owner }) => owner.place <= place) + 1
}

/** An entry of a map. */
interface Entry<V> extends Held {
  readonly name: string
  readonly value: V
  readonly registrant: Registrant
}

/** What a registry has: entries in order, of which code sees those before a swap, or those after it. */
class Entries<E extends Held> {
  readonly all: E[] = []
  #edition = 0
  /** The swap that any of them comes or goes with, as of an edition of swaps. */
  #swap: OwnerSwap | null = null
  #swapEdition = -1

  add(entry: E): void {
    this.all.splice(placeOf(entry.owner, this.all), 0, entry)
    this.#change()
  }

  remove(entry: E): void {
    const at = this.all.indexOf(entry)
    if (at < 0) return
    this.all.splice(at, 1)
    this.#change()
  }

  /** Another number whenever an entry has come or gone, for what the running code sees of them. */
  get edition(): number {
    const view = openSwaps === 0 ? 0 : this.#view()
    return this.#edition * 3 + view
  }

  /** Those that the running code sees. */
  get seen(): readonly E[] {
    const view = openSwaps === 0 ? 0 : this.#view()
    return view === 0 ? this.all : this.all.filter(({ owner }) => isThere(owner, view === 2))
  }

  /** 0 where no swap concerns them, 1 for code that sees what was there before it, 2 for what comes with it. */
  #view(): 0 | 1 | 2 {
    if (this.#swapEdition !== swapEdition()) {
      this.#swapEdition = swapEdition()
      const swapped = this.all.find(({ owner }) => owner.arrives !== null || owner.leaves !== null)?.owner
      this.#swap = swapped?.arrives ?? swapped?.leaves ?? null
      // What it shows in this swap is not what it showed in the one before.
      if (this.#swap !== null) this.#edition += 1
    }
    if (this.#swap === null) return 0
    return this.#swap.showsArriving ? 2 : 1
  }

  #change(): void {
    this.#edition += 1
    this.#swapEdition = -1
  }
}

/**
 * What is made of something with editions, kept until there is another one. While plugins are exchanged there are two at a
 * time: both are kept.
 */
export function derived<T>(source: { readonly edition: number }, make: () => T): (() => T) & { forget(): void } {
  interface Kept {
    readonly edition: number
    readonly value: T
  }
  let kept = null as Kept | null
  let other = null as Kept | null
  const get = () => {
    const { edition } = source
    if (kept?.edition === edition) return kept.value
    const found = other?.edition === edition ? other : { edition, value: make() }
    other = openSwaps === 0 ? null : kept
    kept = found
    return found.value
  }
  return Object.assign(get, { forget: () => void (kept = other = null) })
}

/** What is made of anything that plugins register, kept until something else is registered. */
export function derivedOfAll<T>(make: () => T): ReturnType<typeof derived<T>> {
  return derived(
    {
      get edition() {
        return registrations()
      },
    },
    make,
  )
}

/**
 * A map whose entries belong to the plugin that set them. A later entry of the same name replaces the earlier one; when
 * its owner is removed, the earlier one is back.
 */
export class OwnedMap<V> implements Iterable<[string, V]> {
  /** What an entry is, in the words of those who register it: `content type`. */
  readonly kind: string
  readonly #changed: (name: string) => void
  readonly #entries = new Entries<Entry<V>>()
  /** The entry in force of each name, in the order of the first of each. Asked for many times in each request. */
  readonly #inForce = derived(
    this.#entries,
    (): ReadonlyMap<string, Entry<V>> => new Map(this.#entries.seen.map((entry) => [entry.name, entry])),
  )

  /** @param changed called whenever an entry of a name has come or gone; also as it is there for all, where it was prepared */
  constructor(kind: string, changed: (name: string) => void = () => {}) {
    this.kind = kind
    this.#changed = changed
  }

  /** Another number whenever an entry has come or gone. */
  get edition(): number {
    return this.#entries.edition
  }

  /**
   * Sets an entry for the current owner and returns a function that takes it back.
   * @param shown how the entry is listed, where its name in the map is not for readers
   * @param override whether it may replace another entry; otherwise a warning is logged
   * @throws REGISTERED_IN_REQUEST
   */
  set(name: string, value: V, shown = name, override = false): () => void {
    const owner = registeringOwner(() => `the ${this.kind} ${shown}`)
    const { registrant } = owner
    const entry = { name, value, owner, registrant }
    const there = this.registrantOf(name)
    // Default plugins may set an entry again.
    const isMeant = override || there === undefined || (there.plugin === owner.name && owner.trusted)
    if (!isMeant)
      owner.collide({ kind: this.kind, name: shown, of: there.plugin, at: registrant.at(), first: there.at() })
    this.#entries.add(entry)
    this.#changed(name)
    // Until its plugin has taken over nobody else sees it.
    if (owner.arrives?.isPreparing === true) owner.arrives.whenTaken(() => this.#changed(name))
    const take = () => {
      this.#entries.remove(entry)
      this.#changed(name)
    }
    const forget = owner.onRemove(take, { kind: this.kind, name: shown })
    return () => {
      forget()
      take()
    }
  }

  /** What goes with a plugin that is being exchanged, under a name; undefined for nothing. */
  leaving(name: string): V | undefined {
    return this.#entries.all.findLast((entry) => entry.name === name && entry.owner.leaves !== null)?.value
  }

  /** All that goes with plugins that are being exchanged. */
  allLeaving(): [string, V][] {
    return this.#entries.all
      .filter(({ owner }) => owner.leaves !== null)
      .map(({ name, value }): [string, V] => [name, value])
  }

  get(name: string): V | undefined {
    return this.#inForce().get(name)?.value
  }

  /** All entries of a name, in their order: the last is in force. */
  allOf(name: string): V[] {
    return this.#entries.seen.filter((entry) => entry.name === name).map(({ value }) => value)
  }

  has(name: string): boolean {
    return this.#inForce().has(name)
  }

  /** Name of the plugin whose entry is in force. */
  ownerOf(name: string): string | undefined {
    return this.registrantOf(name)?.plugin
  }

  /** Who set the entry that is in force. */
  registrantOf(name: string): Registrant | undefined {
    return this.#inForce().get(name)?.registrant
  }

  keys(): IterableIterator<string> {
    return this.#inForce().keys()
  }

  values(): V[] {
    return [...this.#inForce().values()].map(({ value }) => value)
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return [...this.#inForce().values()].map(({ name, value }): [string, V] => [name, value])[Symbol.iterator]()
  }
}

/** What plugins add without a name, such as listeners. Each belongs to the plugin that added it. */
export class OwnedList<V> implements Iterable<V> {
  readonly #kind: string
  readonly #shapes: boolean
  readonly #entries = new Entries<{ readonly value: V; readonly owner: Owner }>()
  readonly #values = derived(this.#entries, () => this.#entries.seen.map(({ value }) => value))

  /** @param shapes whether what answers look like may depend on it */
  constructor(kind: string, shapes = false) {
    this.#kind = kind
    this.#shapes = shapes
  }

  /** Another number whenever one has come or gone. */
  get edition(): number {
    return this.#entries.edition
  }

  get size(): number {
    return this.#values().length
  }

  /** Adds one for the current owner and returns a function that takes it back. */
  add(value: V, name = ''): () => void {
    const owner = currentOwner()
    const entry = { value, owner }
    this.#entries.add(entry)
    const take = () => this.#entries.remove(entry)
    const forget = owner.onRemove(take, { kind: this.#kind, name }, this.#shapes)
    return () => {
      forget()
      take()
    }
  }

  /** In the order in which they were added. One that comes or goes meanwhile does not count. */
  [Symbol.iterator](): Iterator<V> {
    return this.#values()[Symbol.iterator]()
  }
}
