import { currentOwner, everything, registeringOwner, type Registrant } from './ownership.ts'

/**
 * Computes a value from a source with editions and keeps it until the source has another edition.
 * @returns the value; `forget` has it computed again
 */
export function derived<T>(source: { readonly edition: number }, make: () => T): (() => T) & { forget(): void } {
  let kept: { readonly edition: number; readonly value: T } | null = null
  const get = () => {
    const { edition } = source
    if (kept?.edition !== edition) kept = { edition, value: make() }
    return kept.value
  }
  return Object.assign(get, { forget: () => void (kept = null) })
}

/** Computes a value from anything that plugins register and keeps it until something else is registered. */
export const derivedOfAll = <T>(make: () => T): ReturnType<typeof derived<T>> => derived(everything, make)

interface Entry<V> {
  readonly name: string
  readonly value: V
  readonly registrant: Registrant
}

/**
 * A map whose entries belong to the plugin that set them. A later entry of the same name replaces the earlier one; when
 * its owner is removed, the earlier one is back.
 */
export class OwnedMap<V> implements Iterable<[string, V]> {
  /** Name of an entry's kind for error messages: `content type`. */
  readonly kind: string
  /** A number that grows when an entry is added or removed. Only the map sets it. */
  edition = 0
  readonly #entries: OwnedList<Entry<V>>
  /** The entry in force of each name, in the order of the first of each; null after a change. Requests read it many times. */
  #inForce: Map<string, Entry<V>> | null = null

  /** @param changed called after each entry that is added or removed */
  constructor(kind: string, changed: () => void = () => {}) {
    this.kind = kind
    this.#entries = new OwnedList(kind, true, () => {
      this.#inForce = null
      this.edition += 1
      changed()
    })
  }

  /**
   * Sets an entry for the current owner and returns a function that takes it back.
   * @param shown how the entry is listed, where its name in the map is not for readers
   * @param override whether it may replace another entry; otherwise a warning is logged
   * @throws REGISTERED_IN_REQUEST
   */
  set(name: string, value: V, shown = name, override = false): () => void {
    const { name: plugin, trusted, advice, registrant } = registeringOwner(() => `the ${this.kind} ${shown}`)
    const inForce = this.#inForce ?? this.#index()
    const there = inForce.get(name)?.registrant
    // Default plugins may set an entry again.
    const isMeant = override || there === undefined || (there.plugin === plugin && trusted)
    if (!isMeant) advice.collided({ kind: this.kind, name: shown }, registrant, there)
    const entry = { name, value, registrant }
    const take = this.#entries.add(entry, shown)
    // A site sets hundreds of entries at its start: the index is not made again for each.
    this.#inForce ??= inForce.set(name, entry)
    return take
  }

  #index(): Map<string, Entry<V>> {
    return (this.#inForce = new Map([...this.#entries].map((one) => [one.name, one])))
  }

  get(name: string): V | undefined {
    return (this.#inForce ?? this.#index()).get(name)?.value
  }

  /** All entries of a name, in their order: the last is in force. */
  allOf(name: string): V[] {
    return [...this.#entries].filter((entry) => entry.name === name).map(({ value }) => value)
  }

  has(name: string): boolean {
    return (this.#inForce ?? this.#index()).has(name)
  }

  /** Name of the plugin whose entry is in force. */
  ownerOf(name: string): string | undefined {
    return this.registrantOf(name)?.plugin
  }

  /** Who set the entry that is in force. */
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

/** Values that plugins add without a name, such as listeners. Each belongs to the plugin that added it. */
export class OwnedList<V> implements Iterable<V> {
  /** A number that grows when a value is added or removed. Only the list sets it. */
  edition = 0
  readonly #kind: string
  readonly #shapes: boolean
  readonly #changed: () => void
  /** Replaced on each change, so that a loop over it ends with the values that it began with. */
  #entries: readonly { readonly value: V }[] = []

  /**
   * @param shapes whether responses may depend on it
   * @param changed called after each value that is added or removed
   */
  constructor(kind: string, shapes = false, changed: () => void = () => {}) {
    this.#kind = kind
    this.#shapes = shapes
    this.#changed = changed
  }

  get size(): number {
    return this.#entries.length
  }

  /** Adds a value for the current owner and returns a function that takes it back. */
  add(value: V, name = ''): () => void {
    const entry = { value }
    this.#set([...this.#entries, entry])
    const take = () => this.#set(this.#entries.filter((one) => one !== entry))
    const forget = currentOwner().onRemove(take, { kind: this.#kind, name }, this.#shapes)
    return () => {
      forget()
      take()
    }
  }

  #set(entries: readonly { readonly value: V }[]): void {
    this.edition += 1
    this.#entries = entries
    this.#changed()
  }

  /** In the order in which they were added. */
  [Symbol.iterator](): Iterator<V> {
    return this.#entries.map(({ value }) => value)[Symbol.iterator]()
  }
}
