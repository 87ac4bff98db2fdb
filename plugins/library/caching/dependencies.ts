import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReadRecorder } from '../../../kernel/index.ts'
import { jittered } from '../long-work/index.ts'

/** What was noted about something that a cache has stored. */
export interface Noted {
  readonly tags: Iterable<string>
  /** When it has to be made again, in Unix milliseconds; Infinity where only a change of a tag demands that. */
  readonly until: number
  /** The latest time at which it changed by itself, in Unix milliseconds; 0 without one. */
  readonly since: number
  /** The query parameters that it was made with, by name; null for one that the request does not have. */
  readonly parameters: ReadonlyMap<string, string | null> | null
  /** Whether it may depend on anything in the request. */
  readonly ofRequest: boolean
  /** Whether a part of it has failed, and may succeed once it is made again. */
  readonly hasFailed: boolean
}

/**
 * The dependencies of a response, or of a part of one: the tags of all data that was read for it. A tag names an object
 * (`post:12`, `option:title`), a list (`posts:author=1`), a table (`table:posts`), or other data that a plugin names
 * (`stock:7`). A cache may use what it has stored until one of the tags changes, or until the time in `until`.
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
  /** What this is a part of. All of it depends on everything that this depends on. */
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

  /** Why it must not be stored; null where it may be. */
  get refusal(): string | null {
    return this.#refusal
  }

  /** Whether it was refused for a reason of its own, and not for one of its parts alone. */
  get refusesItself(): boolean {
    return this.#refusesItself
  }

  /** Why it must not be stored as a part, though the whole response may be; null where it may be. */
  get partRefusal(): string | null {
    return this.#refusal ?? this.#partRefusal
  }

  /** Whether it depends on nothing but tags. */
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

  /** Makes this a part of another whole: that depends on everything this depends on, and on what is still to come. */
  join(whole: Dependencies): void {
    if (whole === this || this.#wholes.has(whole)) return
    this.#wholes.add(whole)
    whole.include(this)
    if (this.#refusal !== null) whole.#refuse(this.#refusal)
    else if (this.#partRefusal !== null) whole.refusePart(this.#partRefusal)
  }

  /** Adds what was noted about a part that a cache has stored. */
  include(noted: Noted): void {
    this.addAll(noted.tags)
    this.#setUntil(noted.until)
    this.#setSince(noted.since)
    if (noted.parameters !== null) for (const [name, value] of noted.parameters) this.addParameter(name, value)
    if (noted.ofRequest) this.addRequest()
    if (noted.hasFailed) this.addFailure()
  }

  add(tag: string): void {
    // The wholes have had this tag since it was added first.
    if (this.tags.has(tag)) return
    this.tags.add(tag)
    for (const whole of this.#wholes) whole.add(tag)
  }

  addAll(tags: Iterable<string>): void {
    for (const tag of tags) this.add(tag)
  }

  /** Notes that a query parameter was read. @param value null where the request does not have it */
  addParameter(name: string, value: string | null): void {
    if (this.#parameters?.has(name)) return
    this.#parameters ??= new Map()
    this.#parameters.set(name, value)
    for (const whole of this.#wholes) whole.addParameter(name, value)
  }

  /** Notes that anything in the request may have been read: another request does not get the same. */
  addRequest(): void {
    if (this.#ofRequest) return
    this.#ofRequest = true
    for (const whole of this.#wholes) whole.addRequest()
  }

  /**
   * Sets the time at which it changes by itself. It is stored until then at the latest. A time that has passed only dates
   * it, for clients that ask whether it has changed since.
   * @param time Unix milliseconds
   */
  keepUntil(time: number): void {
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

  /** Notes that a part has failed: it is stored for a minute at most. */
  addFailure(): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    // Responses with the same failed part expire at different times.
    this.keepUntil(Date.now() + jittered(FAILED_LIFETIME_MS))
    for (const whole of this.#wholes) whole.addFailure()
  }

  /** Forbids to store it, and everything that it is a part of. */
  refuse(reason: string): void {
    this.#refusesItself = true
    this.#refuse(reason)
  }

  #refuse(reason: string): void {
    if (this.#refusal !== null) return
    this.#refusal = reason
    for (const whole of this.#wholes) whole.#refuse(reason)
  }

  /** Forbids to store it as a part of other responses. The response that it was made for may be stored. */
  refusePart(reason: string): void {
    if (this.#partRefusal !== null) return
    this.#partRefusal = reason
    for (const whole of this.#wholes) whole.refusePart(reason)
  }
}

/** How long a response is stored in which something has failed, in milliseconds, give or take a fifth. */
const FAILED_LIFETIME_MS = 60_000

const current = new AsyncLocalStorage<Dependencies>()

/** The dependencies of what the running code makes; undefined where no cache can store it. */
export function currentDependencies(): Dependencies | undefined {
  return current.getStore()
}

/** Adds tags to the dependencies of the current response. Does nothing where no cache can store it. */
export function dependsOn(...tags: readonly string[]): void {
  current.getStore()?.addAll(tags)
}

/** Forbids to store what is being made: it depends on data without a tag, or is for one reader. */
export function doNotKeep(reason: string): void {
  current.getStore()?.refuse(reason)
}

/**
 * Sets the time at which what is being made changes by itself, such as midnight for a calendar. It is stored until then
 * at the latest, and browsers and CDNs may use it until then. A time that has passed only dates the response.
 * @param time Unix milliseconds
 */
export function keepUntil(time: number): void {
  current.getStore()?.keepUntil(time)
}

/**
 * The current time, for what shows it or counts with it: what is being made is not stored. Call `keepUntil` instead where
 * it is known when the response changes next.
 * @returns Unix milliseconds
 */
export function now(): number {
  doNotKeep('it reads the clock')
  return Date.now()
}

/** Limits how long the response is stored to a minute, because a part of it has failed and may succeed the next time. */
export function keepBriefly(): void {
  current.getStore()?.addFailure()
}

/**
 * Forbids to store what is being made as a part of other responses, because the rest of this one left too little room for
 * it. The response is stored for a minute at most: the next time there may be more room.
 */
export function doNotKeepPart(reason: string): void {
  const made = current.getStore()
  made?.refusePart(reason)
  made?.addFailure()
}

/** What a part of what is being made depends on: that depends on the same. */
export function partOfCurrent(): Dependencies {
  return new Dependencies(current.getStore())
}

/** Runs `make`, which makes something that might be kept; what is made around it depends on the same. */
export function collectDependencies<T>(make: (dependencies: Dependencies) => T): T {
  const dependencies = partOfCurrent()
  return current.run(dependencies, () => make(dependencies))
}

/** Goes on making something in another step. */
export function collectInto<T>(dependencies: Dependencies, make: () => T): T {
  return current.run(dependencies, make)
}

/**
 * Runs `read`, which reads for several at once: what each of them depends on says who asks for it (`loaderOf`).
 */
export function withoutDependencies<T>(read: () => T): T {
  return current.exit(read)
}
