import { isThenable, type Awaitable } from '../awaitable.ts'
import type { Params } from '../http/query-string.ts'
import { reads, type ReadRecorder } from '../reads.ts'

/** What there was when a request began. */
export interface Since {
  /** The state of the data. */
  readonly state: number
  /** What was registered: what is made with taps that have gone is not kept. */
  readonly registrations: number
  /** How often all fragments had been cleared. */
  readonly clears: number
}

interface Shared {
  value: unknown
  /** What was read for the value, once: all users of the value depend on the same. Null for nothing. */
  read: ReadRecorder | null
}

/**
 * What one outside request and all internal requests made for it share: loaders that batch and remember what was read.
 * Model services ask it for their loader, so nothing that one user may read is shown to another.
 */
export class RequestCache {
  #shared: Map<unknown, Shared> | null = null
  /** What there was before anything was read for this; null where that is not known (`Fragments.begin`). */
  since: Since | null = null
  /** The outside request that it is for, as `requestOf` returns it; null for none. @internal */
  request: object | null = null
  /** The query of the outside request, or of the page of the site; null where neither asks. @internal */
  query: Readonly<Params> | null = null

  /**
   * A parameter of the query of the outside request, or of the page of the site; null where it is not given, or given as a
   * list. What reads it is stored for requests with the same value.
   */
  parameter(name: string): string | null {
    const value = this.parameterUnnoted(name)
    reads.current()?.addParameter(name, value)
    return value
  }

  /** The same for a cache, which compares it. @internal */
  parameterUnnoted(name: string): string | null {
    const value = this.query !== null && Object.hasOwn(this.query, name) ? this.query[name] : null
    return typeof value === 'string' ? value : null
  }

  /** The value kept under `key`, made at its first use. */
  get<T>(key: unknown, make: () => T): T {
    this.#shared ??= new Map()
    const known = this.#shared.get(key)
    if (known !== undefined) {
      const current = known.read === null ? undefined : reads.current()
      if (current !== undefined) known.read?.join(current)
      return known.value as T
    }
    return reads.collect((read) => {
      const value = make()
      const isPlain = !isThenable(value) && read?.isEmpty === true
      this.#shared?.set(key, { value, read: isPlain ? null : read })
      return value
    })
  }

  /** The same as `get` for an object whose creation reads no data, such as a loader: no reads are recorded. */
  getObject<T extends object>(key: unknown, create: () => T): T {
    this.#shared ??= new Map()
    const known = this.#shared.get(key)
    if (known !== undefined) return known.value as T
    const value = create()
    this.#shared.set(key, { value, read: null })
    return value
  }

  /** Whether nothing has been kept. */
  get isEmpty(): boolean {
    return this.#shared === null
  }

  /** The same for a value that may have to be waited for: once it is there, it is returned without a promise. */
  getLater<T>(key: unknown, make: () => Awaitable<T>): Awaitable<T> {
    const made = this.get(key, make)
    if (!isThenable(made)) return made
    const shared = this.#shared!.get(key)!
    return made.then((value) => {
      shared.value = value
      if (shared.read?.isEmpty === true) shared.read = null
      return value
    })
  }

  /** Forgets what was kept, after something was written. */
  clear(): void {
    this.#shared = null
    this.since = null
  }
}
