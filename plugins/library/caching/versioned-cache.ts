import { LRUCache } from 'lru-cache'

/** What tells whether something has changed: the service `changes`. */
export interface VersionSource {
  /** The state of the data; null while it cannot be known, and within a transaction that has written one of the tables. */
  state(tables?: readonly string[]): number | null
  /** Whether nothing that the tags name has changed since a state. */
  unchanged(tags: readonly string[], since: number): boolean
}

/** The state of the data; null as well where asking for it fails: then a response is made without being kept. */
export function stateOf(versions: VersionSource): number | null {
  try {
    return versions.state()
  } catch {
    return null
  }
}

interface Entry<V> {
  readonly value: V
  readonly tags: readonly string[]
  readonly at: number
}

/** What a cache holds. */
export interface CachedKind<K, V> {
  /** Entries at most. */
  readonly most: number
  /** The tables that entries are read from, and those whose rows take theirs with them; any where this is left out. */
  readonly tables?: readonly string[]
  /** What an entry depends on. */
  tagsOf(value: V, key: K): readonly string[]
}

/**
 * A cache of what was read, such as sessions, passwords, users: an entry is used as long as nothing that it depends on has
 * changed, here or in another process.
 */
export class VersionedCache<K extends string | number, V> {
  /** Created with the first entry, because it allocates room for all of them: 10,000 cost a millisecond of a start. */
  #entries: LRUCache<K, Entry<V>> | undefined
  readonly #versions: VersionSource
  readonly #about: CachedKind<K, V>

  constructor(versions: VersionSource, about: CachedKind<K, V>) {
    this.#versions = versions
    this.#about = about
  }

  /** The value of a key while it is what would be read. */
  get(key: K): V | undefined {
    const entry = this.#entries?.get(key)
    if (entry === undefined) return undefined
    // Asked first, because what others have changed is learned by it.
    if (this.#versions.state(this.#about.tables) === null) return undefined
    if (this.#versions.unchanged(entry.tags, entry.at)) return entry.value
    this.#entries?.delete(key)
    return undefined
  }

  /** To be called before a read whose result is to be kept. */
  begin(): number | null {
    return this.#versions.state(this.#about.tables)
  }

  /** Keeps what was read. @param begun what `begin` gave before */
  keep(key: K, value: V, begun: number | null): void {
    if (begun === null) return
    this.#entries ??= new LRUCache({ max: this.#about.most })
    this.#entries.set(key, { value, tags: this.#about.tagsOf(value, key), at: begun })
  }

  /** Forgets an entry, unless another value has taken its place. */
  delete(key: K, value: V): void {
    if (this.#entries?.peek(key)?.value === value) this.#entries.delete(key)
  }
}
