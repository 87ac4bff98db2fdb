/** A cached value, and the tags of the data it depends on. */
interface Entry<T> {
  readonly value: T
  readonly tags: readonly string[]
}

/** Fetches of one value that are in progress. */
interface Pending {
  /** Number of calls of `forget` before the first fetch began. */
  readonly forgotten: number
  /** Start of the first fetch, in Unix ms. */
  readonly time: number
  /** Number of fetches. */
  count: number
}

/** Milliseconds after which an unfinished fetch counts as failed. */
const FETCH_TIMEOUT_MS = 60_000

/**
 * Caches values in memory until one of their tags is forgotten. A full cache evicts the least recently used value. A value
 * is not cached if `forget` was called while it was being fetched, because it may be older than the change.
 */
export class TaggedCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #pending = new Map<string, Pending>()
  readonly #size: number
  #forgotten = 0

  /** @param size maximum number of values */
  constructor(size: number) {
    this.#size = size
  }

  /** Returns the cached value. If it is undefined, the caller fetches the value and calls `set`. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#keep(this.#entries, key, entry)
    else this.#begin(key)
    return entry?.value
  }

  /** Caches a value that was fetched after `get`, unless it has no tags: `forget` could never remove it. */
  set(key: string, value: T, tags: readonly string[]): void {
    const pending = this.#pending.get(key)
    if (pending === undefined) return
    pending.count -= 1
    if (pending.count === 0) this.#pending.delete(key)
    if (pending.forgotten === this.#forgotten && tags.length > 0) this.#keep(this.#entries, key, { value, tags })
  }

  /** Removes the values that have any of these tags; `*` removes all values. */
  forget(tags: readonly string[]): void {
    const named = new Set(tags)
    this.#forgotten += 1
    for (const [key, entry] of this.#entries) {
      if (named.has('*') || entry.tags.some((tag) => named.has(tag))) this.#entries.delete(key)
    }
  }

  #begin(key: string): void {
    const pending = this.#pending.get(key)
    const time = Date.now()
    if (pending !== undefined && time - pending.time < FETCH_TIMEOUT_MS) pending.count += 1
    else this.#keep(this.#pending, key, { forgotten: this.#forgotten, time, count: 1 })
  }

  /** Moves or adds an entry to the end of a map, and removes the first entry if the map has become too large. */
  #keep<V>(map: Map<string, V>, key: string, value: V): void {
    map.delete(key)
    map.set(key, value)
    const [oldest] = map.keys()
    if (map.size > this.#size && oldest !== undefined) map.delete(oldest)
  }
}
