import { isThenable, type Awaitable } from '../awaitable.ts'

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

  /** The same for a value that may have to be waited for: once it is there, it is returned without a promise. */
  getLater<T>(key: unknown, make: () => Awaitable<T>): Awaitable<T> {
    return this.get(key, () => {
      const shared = this.#shared!
      const made = make()
      if (!isThenable(made)) return made
      const keep = (value: T): T => {
        shared.set(key, value)
        return value
      }
      return made.then(keep)
    })
  }

  /** Forgets what was kept, after something was written. */
  clear(): void {
    this.#shared = null
  }
}
