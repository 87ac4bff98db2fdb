/**
 * What one outside request and all internal requests made for it share: loaders that batch and remember what was read.
 * Model services ask it for their loader, so nothing that one user may read is shown to another.
 */
export class RequestCache {
  #shared: Map<unknown, unknown> | null = null

  /** The value kept under `key`, made at its first use. */
  get<T>(key: unknown, make: () => T): T {
    this.#shared ??= new Map()
    const known = this.#shared.get(key)
    if (known !== undefined || this.#shared.has(key)) return known as T
    const made = make()
    this.#shared.set(key, made)
    return made
  }

  /** Forgets what was kept, after something was written. */
  clear(): void {
    this.#shared = null
  }
}
