/** A map that keeps the entries used last, for statements that cost memory on both ends of a connection. */
export class LruMap<K, V> {
  readonly #limit: number
  readonly #entries = new Map<K, V>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The value of the key, which now counts as the one used last. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  /** Sets a value; returns the one that had to go for it. */
  set(key: K, value: V): V | undefined {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#limit) return undefined
    const [oldest, gone] = this.#entries.entries().next().value as [K, V]
    this.#entries.delete(oldest)
    return gone
  }

  delete(key: K): boolean {
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
