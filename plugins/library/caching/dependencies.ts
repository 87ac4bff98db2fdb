import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReadRecorder } from '../../../kernel/index.ts'
import { jittered } from '../long-work/index.ts'

/** Dependencies of a stored value. */
export interface Noted {
  readonly tags: Iterable<string>
  /** Expiry in Unix milliseconds; Infinity if only changes of tags invalidate it. */
  readonly until: number
  /** Latest time at which it changed without a tag, in Unix milliseconds; 0 for none. */
  readonly since: number
  /** Query parameters that were read, by name; null for a parameter that the request does not have. */
  readonly parameters: ReadonlyMap<string, string | null> | null
  /** Whether it can depend on any part of the request. */
  readonly ofRequest: boolean
  /** Whether a part of it has failed, and can succeed when it is created again. */
  readonly hasFailed: boolean
}

/**
 * The dependencies of a response or of a part of one: the tags of all data that was read for it. A tag names an object
 * (`post:12`, `option:title`), a list (`posts:author=1`), a table (`table:posts`), or other data of a plugin
 * (`stock:7`). A cache can use a stored value until one of the tags changes, or until the time in `until`.
 */
export class Dependencies implements Noted, ReadRecorder {
  readonly tags = new Set<string>()
  #until = Infinity
  #since = 0
  #parameters: Map<string, string | null> | null = null
  #ofRequest = false
  #hasFailed = false
  #refusal: string | null = null
  #refusesItself = false
  #partRefusal: string | null = null
  /** The values that this one is a part of. They depend on everything that this one depends on. */
  readonly #wholes = new Set<Dependencies>()

  constructor(whole: Dependencies | null = null) {
    if (whole !== null) this.#wholes.add(whole)
  }

  get until(): number {
    return this.#until
  }

  get since(): number {
    return this.#since
  }

  get parameters(): ReadonlyMap<string, string | null> | null {
    return this.#parameters
  }

  get ofRequest(): boolean {
    return this.#ofRequest
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Why it must not be stored; null if it can be. */
  get refusal(): string | null {
    return this.#refusal
  }

  /** Whether `refuse` was called for this value itself, and not only for one of its parts. */
  get refusesItself(): boolean {
    return this.#refusesItself
  }

  /** Why it must not be stored as a part, although the whole response can be; null if it can be. */
  get partRefusal(): string | null {
    return this.#refusal ?? this.#partRefusal
  }

  /** Whether it depends on tags only. */
  get isOfTagsAlone(): boolean {
    return (
      this.partRefusal === null &&
      this.#until === Infinity &&
      this.#since === 0 &&
      this.#parameters === null &&
      !this.#ofRequest &&
      !this.#hasFailed
    )
  }

  get isEmpty(): boolean {
    return this.tags.size === 0 && this.isOfTagsAlone
  }

  /** Makes this a part of another whole, which then depends on everything that this depends on, now and later. */
  join(whole: Dependencies): void {
    if (whole === this || this.#wholes.has(whole)) return
    this.#wholes.add(whole)
    whole.include(this)
    if (this.#refusal !== null) whole.#refuse(this.#refusal)
    else if (this.#partRefusal !== null) whole.refusePart(this.#partRefusal)
  }

  /** Adds the dependencies of a stored part. */
  include(noted: Noted): void {
    this.addAll(noted.tags)
    this.#setUntil(noted.until)
    this.#setSince(noted.since)
    if (noted.parameters !== null) for (const [name, value] of noted.parameters) this.addParameter(name, value)
    if (noted.ofRequest) this.addRequest()
    if (noted.hasFailed) this.addFailure()
  }

  add(tag: string): void {
    // Values that this one is a part of have it too.
    if (this.tags.has(tag)) return
    this.tags.add(tag)
    for (const whole of this.#wholes) whole.add(tag)
  }

  addAll(tags: Iterable<string>): void {
    for (const tag of tags) this.add(tag)
  }

  /** Records that a query parameter was read. @param value null if the request does not have it */
  addParameter(name: string, value: string | null): void {
    if (this.#parameters?.has(name)) return
    this.#parameters ??= new Map()
    this.#parameters.set(name, value)
    for (const whole of this.#wholes) whole.addParameter(name, value)
  }

  /** Records that any part of the request can have been read: the value is only valid for identical requests. */
  addRequest(): void {
    if (this.#ofRequest) return
    this.#ofRequest = true
    for (const whole of this.#wholes) whole.addRequest()
  }

  /**
   * Sets the time of the next change without a tag, until which it can be stored. A time in the past only dates it, for
   * conditional requests.
   * @param time Unix milliseconds
   */
  cacheUntil(time: number): void {
    if (Number.isNaN(time)) this.refuse('the time of its next change is not a number')
    else if (time <= Date.now()) this.#setSince(time)
    else this.#setUntil(time)
  }

  #setUntil(time: number): void {
    if (time >= this.#until) return
    this.#until = time
    for (const whole of this.#wholes) whole.#setUntil(time)
  }

  #setSince(time: number): void {
    if (time <= this.#since) return
    this.#since = time
    for (const whole of this.#wholes) whole.#setSince(time)
  }

  /** Records that a part has failed, and limits the storage to about a minute. */
  addFailure(): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    // Jitter, so that responses with the same failed part expire at different times.
    this.cacheUntil(Date.now() + jittered(FAILED_LIFETIME_MS))
    for (const whole of this.#wholes) whole.addFailure()
  }

  /** Forbids storing it and everything that it is a part of. */
  refuse(reason: string): void {
    this.#refusesItself = true
    this.#refuse(reason)
  }

  #refuse(reason: string): void {
    if (this.#refusal !== null) return
    this.#refusal = reason
    for (const whole of this.#wholes) whole.#refuse(reason)
  }

  /** Forbids storing it as a part of other responses. Its own response can be stored. */
  refusePart(reason: string): void {
    if (this.#partRefusal !== null) return
    this.#partRefusal = reason
    for (const whole of this.#wholes) whole.refusePart(reason)
  }
}

/** Lifetime of a response with a failed part, ± 20%. */
const FAILED_LIFETIME_MS = 60_000

const current = new AsyncLocalStorage<Dependencies>()

/** Returns the dependencies of the value that the running code creates; undefined if no cache can store it. */
export function currentDependencies(): Dependencies | undefined {
  return current.getStore()
}

/** Adds tags to the dependencies of the current response. Does nothing if no cache can store it. */
export function dependsOn(...tags: readonly string[]): void {
  current.getStore()?.addAll(tags)
}

/** Forbids storing the current response, because it depends on data without a tag or is for one reader only. */
export function doNotCache(reason: string): void {
  current.getStore()?.refuse(reason)
}

/**
 * Sets the time at which the current response changes without a tag, such as midnight for a calendar. It is stored
 * until then at most, and browsers and CDNs can use it until then. A time in the past only dates the response.
 * @param time Unix milliseconds
 */
export function cacheUntil(time: number): void {
  current.getStore()?.cacheUntil(time)
}

/**
 * Returns the current time and forbids storing the current response. If the time of its next change is known, call
 * `cacheUntil` instead.
 * @returns Unix milliseconds
 */
export function now(): number {
  doNotCache('it reads the clock')
  return Date.now()
}

/**
 * Limits the storage of the current response to about a minute, because a part of it has failed and can succeed next
 * time.
 */
export function cacheBriefly(): void {
  current.getStore()?.addFailure()
}

/**
 * Forbids storing the current value as a part of other responses, because a size limit of this response has truncated
 * it. The response is stored for about a minute at most.
 */
export function doNotCachePart(reason: string): void {
  const dependencies = current.getStore()
  dependencies?.refusePart(reason)
  dependencies?.addFailure()
}

/** Creates the dependencies of a part of the current value, which the current value shares. */
export function partOfCurrent(): Dependencies {
  return new Dependencies(current.getStore())
}

/** Runs `make` with new dependencies, which the enclosing value shares. */
export function collectDependencies<T>(make: (dependencies: Dependencies) => T): T {
  const dependencies = partOfCurrent()
  return current.run(dependencies, () => make(dependencies))
}

/** Runs `make` with existing dependencies. */
export function collectInto<T>(dependencies: Dependencies, make: () => T): T {
  return current.run(dependencies, make)
}

/**
 * Runs `read` without recording. For reads on behalf of several values, each of which records its own dependencies
 * (`loaderOf`).
 */
export function withoutDependencies<T>(read: () => T): T {
  return current.exit(read)
}
