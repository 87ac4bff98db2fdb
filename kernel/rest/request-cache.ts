import { isThenable, type Awaitable } from '../awaitable.ts'
import type { Params } from '../http/query-string.ts'
import { reads, type ReadRecorder } from '../reads.ts'

/** The state of data and registrations when a request began. */
export interface Since {
  /** The state of the data. */
  readonly state: number
  /** The number of `registrations`. Results made with taps that have since been removed are not cached. */
  readonly registrations: number
  /** Number of times that all fragments had been cleared. */
  readonly clears: number
}

interface Shared {
  value: unknown
  /** The reads of the value's computation, which all users of the value depend on; null for none. */
  read: ReadRecorder | null
}

/**
 * A cache shared by an outside request and its internal requests, mainly for loaders that batch and cache reads.
 * Services get their loaders from it, so that data that one user may read never reaches another user.
 */
export class RequestCache {
  #shared: Map<unknown, Shared> | null = null
  /** The state before the first read of the request; null if unknown (`Fragments.begin`). */
  since: Since | null = null
  /** The outside request, for `requestOf`; null outside of requests. @internal */
  request: object | null = null
  /** The query of the outside request or page; null outside of requests. @internal */
  query: Readonly<Params> | null = null

  /**
   * Returns a query parameter of the outside request or page; null if it is missing or a list. Results that depend on
   * it are cached separately for each value.
   */
  parameter(name: string): string | null {
    const value = this.parameterUnnoted(name)
    reads.current()?.addParameter(name, value)
    return value
  }

  /** Returns the same without recording the read, for caches that compare parameters. @internal */
  parameterUnnoted(name: string): string | null {
    const value = this.query !== null && Object.hasOwn(this.query, name) ? this.query[name] : null
    return typeof value === 'string' ? value : null
  }

  /** Returns the value cached under `key`; `make` creates it at the first use. */
  get<T>(key: unknown, make: () => T): T {
    this.#shared ??= new Map()
    const shared = this.#shared.get(key)
    if (shared !== undefined) {
      const current = shared.read === null ? undefined : reads.current()
      if (current !== undefined) shared.read?.join(current)
      return shared.value as T
    }
    return reads.collect((read) => {
      const value = make()
      const isPlain = !isThenable(value) && read?.isEmpty === true
      this.#shared?.set(key, { value, read: isPlain ? null : read })
      return value
    })
  }

  /** Like `get`, for an object whose creation reads no data, such as a loader. Records no reads. */
  getObject<T extends object>(key: unknown, create: () => T): T {
    this.#shared ??= new Map()
    const shared = this.#shared.get(key)
    if (shared !== undefined) return shared.value as T
    const value = create()
    this.#shared.set(key, { value, read: null })
    return value
  }

  /** Whether nothing is cached. */
  get isEmpty(): boolean {
    return this.#shared === null
  }

  /** Like `get`, for a value that may be a promise. Once it is resolved, the plain value is returned. */
  getLater<T>(key: unknown, make: () => Awaitable<T>): Awaitable<T> {
    const result = this.get(key, make)
    if (!isThenable(result)) return result
    const shared = this.#shared!.get(key)!
    return result.then((value) => {
      shared.value = value
      if (shared.read?.isEmpty === true) shared.read = null
      return value
    })
  }

  /** Clears the cache, after a write. */
  clear(): void {
    this.#shared = null
    this.since = null
  }
}
