import { currentOwner, allRegistrations, registeringOwner, type Registrant } from './ownership.ts'

/**
 * Caches a value computed from a source until the edition of the source changes.
 * @returns a function that returns the value; its method `forget` clears the cache
 */
export function derived<T>(source: { readonly edition: number }, make: () => T): (() => T) & { forget(): void } {
  let cached: { readonly edition: number; readonly value: T } | null = null
  const get = () => {
    const { edition } = source
    if (cached?.edition !== edition) cached = { edition, value: make() }
    return cached.value
  }
  return Object.assign(get, { forget: () => void (cached = null) })
}

/** Caches a value computed from registrations of any kind until one is added or removed. */
export const derivedOfAll = <T>(make: () => T): ReturnType<typeof derived<T>> => derived(allRegistrations, make)

interface Entry<V> {
  readonly name: string
  readonly value: V
  readonly registrant: Registrant
}

/**
 * A map whose entries belong to the plugin that set them. A later entry of the same name replaces the earlier one; when
 * its owner is removed, the earlier entry applies again.
 */
export class OwnedMap<V> implements Iterable<[string, V]> {
  /** Kind of the entries for error messages: `content type`. */
  readonly kind: string
  /** Number of changes: additions and removals of entries. Only the map sets it. */
  edition = 0
  readonly #entries: OwnedList<Entry<V>>
  /** The entry in force by name, in the order of each name's first entry; null after a change. Cached for requests. */
  #inForce: Map<string, Entry<V>> | null = null

  /** @param changed called after an entry is added or removed */
  constructor(kind: string, changed: () => void = () => {}) {
    this.kind = kind
    this.#entries = new OwnedList(kind, true, () => {
      this.#inForce = null
      this.edition += 1
      changed()
    })
  }

  /**
   * Sets an entry for the current owner.
   * @param shown name of the entry in messages and lists
   * @param override whether the entry may replace another one; otherwise a warning is logged
   * @returns a function that removes the entry
   * @throws REGISTERED_IN_REQUEST
   */
  set(name: string, value: V, shown = name, override = false): () => void {
    const { name: plugin, trusted, advice, registrant } = registeringOwner(() => `the ${this.kind} ${shown}`)
    const inForce = this.#inForce ?? this.#index()
    const existing = inForce.get(name)?.registrant
    // Default plugins may set their own entries again.
    const isAllowed = override || existing === undefined || (existing.plugin === plugin && trusted)
    if (!isAllowed) advice.collided({ kind: this.kind, name: shown }, registrant, existing)
    const entry = { name, value, registrant }
    const remove = this.#entries.add(entry, shown)
    // A site sets hundreds of entries at its start: update the index in place.
    this.#inForce ??= inForce.set(name, entry)
    return remove
  }

  #index(): Map<string, Entry<V>> {
    return (this.#inForce = new Map([...this.#entries].map((one) => [one.name, one])))
  }

  get(name: string): V | undefined {
    return (this.#inForce ?? this.#index()).get(name)?.value
  }

  /** Returns all entries of a name in order: the last one is in force. */
  allOf(name: string): V[] {
    return [...this.#entries].filter((entry) => entry.name === name).map(({ value }) => value)
  }

  has(name: string): boolean {
    return (this.#inForce ?? this.#index()).has(name)
  }

  /** Returns the name of the plugin whose entry is in force. */
  ownerOf(name: string): string | undefined {
    return this.registrantOf(name)?.plugin
  }

  /** Returns the registrant of the entry that is in force. */
  registrantOf(name: string): Registrant | undefined {
    return (this.#inForce ?? this.#index()).get(name)?.registrant
  }

  keys(): readonly string[] {
    return [...(this.#inForce ?? this.#index()).keys()]
  }

  values(): V[] {
    return [...(this.#inForce ?? this.#index()).values()].map(({ value }) => value)
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return [...(this.#inForce ?? this.#index()).values()]
      .map(({ name, value }): [string, V] => [name, value])
      [Symbol.iterator]()
  }
}

/** A list of values, such as listeners, that belong to the plugins that added them. */
export class OwnedList<V> implements Iterable<V> {
  /** Number of changes: additions and removals of values. Only the list sets it. */
  edition = 0
  readonly #kind: string
  readonly #shapes: boolean
  readonly #changed: () => void
  /** Replaced on each change, so that a loop in progress continues with the values that it started with. */
  #entries: readonly { readonly value: V }[] = []

  /**
   * @param kind kind of the values for lists of registrations
   * @param shapes whether responses can depend on the values
   * @param changed called after a value is added or removed
   */
  constructor(kind: string, shapes = false, changed: () => void = () => {}) {
    this.#kind = kind
    this.#shapes = shapes
    this.#changed = changed
  }

  get size(): number {
    return this.#entries.length
  }

  /** Adds a value for the current owner. @returns a function that removes the value */
  add(value: V, name = ''): () => void {
    const entry = { value }
    this.#set([...this.#entries, entry])
    const remove = () => this.#set(this.#entries.filter((one) => one !== entry))
    const forget = currentOwner().onRemove(remove, { kind: this.#kind, name }, this.#shapes)
    return () => {
      forget()
      remove()
    }
  }

  #set(entries: readonly { readonly value: V }[]): void {
    this.edition += 1
    this.#entries = entries
    this.#changed()
  }

  /** Iterates over the values in the order in which they were added. */
  [Symbol.iterator](): Iterator<V> {
    return this.#entries.map(({ value }) => value)[Symbol.iterator]()
  }
}
