/** Something that is kept, and the tags of what it was made of. */
interface Entry<T> {
  readonly value: T
  readonly tags: readonly string[]
}

/** Fetches of one value that are under way. */
interface Pending {
  /** How often something had been forgotten when the first of them began, and when that was, in Unix ms. */
  readonly forgotten: number
  readonly time: number
  count: number
}

/** Milliseconds after which a fetch that has brought nothing counts as failed. */
const PATIENCE = 60_000

/**
 * Keeps values in memory until one of their tags is forgotten. What has not been used for longest goes first. A value is
 * not kept if anything was forgotten while it was being fetched: it may be older than the change.
 */
export class TaggedCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #pending = new Map<string, Pending>()
  readonly #size: number
  #forgotten = 0

  /** @param size how many values are kept at most */
  constructor(size: number) {
    this.#size = size
  }

  /** The value that is kept, or undefined: then the caller fetches it and calls `set`. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#keep(this.#entries, key, entry)
    else this.#begin(key)
    return entry?.value
  }

  /** Keeps a value that was fetched after `get`. One without tags is not kept: nobody could have it forgotten. */
  set(key: string, value: T, tags: readonly string[]): void {
    const pending = this.#pending.get(key)
    if (pending === undefined) return
    pending.count -= 1
    if (pending.count === 0) this.#pending.delete(key)
    if (pending.forgotten === this.#forgotten && tags.length > 0) this.#keep(this.#entries, key, { value, tags })
  }

  /** Forgets what was made of any of these; `*` stands for everything. */
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
    if (pending !== undefined && time - pending.time < PATIENCE) pending.count += 1
    else this.#keep(this.#pending, key, { forgotten: this.#forgotten, time, count: 1 })
  }

  /** Puts it at the end of a map, and takes away what stands first if there is too much. */
  #keep<V>(map: Map<string, V>, key: string, value: V): void {
    map.delete(key)
    map.set(key, value)
    const [oldest] = map.keys()
    if (map.size > this.#size && oldest !== undefined) map.delete(oldest)
  }
}
