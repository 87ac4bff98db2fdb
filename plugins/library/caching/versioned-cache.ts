import { LRUCache } from 'lru-cache'
import { addDeprecatedMembers, renameDeprecatedKeys } from '../deprecated-names/index.ts'

/** Source of versions of the data: the service `changes`. */
export interface VersionSource {
  /**
   * Returns the state of the data; null while it is unknown, and within a transaction that has written one of the
   * tables.
   */
  state(tables?: readonly string[]): number | null
  /** Returns whether no data of the tags has changed since a state. */
  unchanged(tags: readonly string[], since: number): boolean
}

/** Returns the state of the data; also null if reading it fails, so that responses are created without storing them. */
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

/** Description of the values in a cache. */
export interface CachedKind<K, V> {
  /** Maximum number of entries. */
  readonly maxEntries: number
  /** Tables that the values are read from, including tables whose deletes cascade; any table by default. */
  readonly tables?: readonly string[]
  /** Returns the tags of a value. */
  tagsOf(value: V, key: K): readonly string[]
}

/** @deprecated Use `CachedKind`. */
export interface OldCachedKind<K, V> extends Omit<CachedKind<K, V>, 'maxEntries'> {
  /** @deprecated Use `maxEntries`. */
  readonly most: number
}

/**
 * A cache of read values, such as sessions, passwords and users. An entry is used until its data changes, in this or
 * another process.
 */
export class VersionedCache<K extends string | number, V> {
  /** @deprecated Use `set`. */
  declare readonly keep: VersionedCache<K, V>['set']
  /** Created with the first entry, because it preallocates all entries: 10,000 take a millisecond at start. */
  #entries: LRUCache<K, Entry<V>> | undefined
  readonly #versions: VersionSource
  readonly #about: CachedKind<K, V>

  constructor(versions: VersionSource, about: CachedKind<K, V> | OldCachedKind<K, V>) {
    this.#versions = versions
    this.#about = renameDeprecatedKeys(about as CachedKind<K, V>, 'CachedKind', { most: 'maxEntries' })
  }

  /** Returns the value of a key if it is still current. */
  get(key: K): V | undefined {
    const entry = this.#entries?.get(key)
    if (entry === undefined) return undefined
    // Reading the state first fetches the changes of other processes.
    if (this.#versions.state(this.#about.tables) === null) return undefined
    if (this.#versions.unchanged(entry.tags, entry.at)) return entry.value
    this.#entries?.delete(key)
    return undefined
  }

  /** Returns the state of the data. Must be called before reading a value to be cached. */
  begin(): number | null {
    return this.#versions.state(this.#about.tables)
  }

  /** Stores a value. @param startState result of `begin` before the read */
  set(key: K, value: V, startState: number | null): void {
    if (startState === null) return
    this.#entries ??= new LRUCache({ max: this.#about.maxEntries })
    this.#entries.set(key, { value, tags: this.#about.tagsOf(value, key), at: startState })
  }

  /** Removes an entry, unless another value has replaced it. */
  delete(key: K, value: V): void {
    if (this.#entries?.peek(key)?.value === value) this.#entries.delete(key)
  }
}

addDeprecatedMembers(VersionedCache.prototype, 'VersionedCache', { keep: 'set' })
