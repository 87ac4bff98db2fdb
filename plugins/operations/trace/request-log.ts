import type { TracedRequest } from './record.ts'

/** Maximum number of requests. */
const MAX_REQUESTS = 1000
/** Maximum number of steps of all requests; beyond it the oldest requests are dropped. */
const MAX_STEPS = 200_000
/** Maximum characters of all changes; beyond it the changes of the oldest requests are dropped. */
const MAX_TEXT_LENGTH = 16_000_000

/** Size of the log, or its limits. */
export interface LogSize {
  readonly requests: number
  readonly steps: number
  readonly text: number
}

export const LOG_LIMITS: LogSize = { requests: MAX_REQUESTS, steps: MAX_STEPS, text: MAX_TEXT_LENGTH }

/** The latest requests, within the limits. */
export class RequestLog {
  /** Oldest first. */
  readonly #requests: TracedRequest[] = []
  readonly #limits: LogSize
  #steps = 0
  #text = 0
  /** Number of the oldest requests whose changes were dropped. */
  #withoutChanges = 0

  constructor(limits: LogSize = LOG_LIMITS) {
    this.#limits = limits
  }

  add(request: TracedRequest): void {
    this.#requests.push(request)
    this.#steps += request.steps.length
    this.#text += request.text
    while (this.#requests.length > this.#limits.requests || this.#steps > this.#limits.steps) this.#dropOldest()
    while (this.#text > this.#limits.text) this.#dropOldestChanges()
  }

  /** Oldest first. */
  get all(): readonly TracedRequest[] {
    return this.#requests
  }

  find(number: number): TracedRequest | undefined {
    return this.#requests.find((request) => request.number === number)
  }

  get size(): LogSize {
    return { requests: this.#requests.length, steps: this.#steps, text: this.#text }
  }

  clear(): void {
    this.#requests.length = 0
    this.#steps = this.#text = this.#withoutChanges = 0
  }

  #dropOldest(): void {
    const request = this.#requests.shift()!
    this.#steps -= request.steps.length
    this.#text -= request.text
    this.#withoutChanges = Math.max(0, this.#withoutChanges - 1)
  }

  #dropOldestChanges(): void {
    const request = this.#requests[this.#withoutChanges]!
    for (const step of request.steps) {
      if (step.changed === undefined) continue
      step.unlisted = (step.unlisted ?? 0) + step.changed.length
      delete step.changed
    }
    this.#text -= request.text
    request.text = 0
    this.#withoutChanges += 1
  }
}
