import type { TracedRequest } from './record.ts'

/** Requests that are kept. */
const MOST_REQUESTS = 1000
/** Steps of all of them: the oldest requests go where there are more. */
const MOST_STEPS = 200_000
/** Characters of all changes: those of the oldest requests go where there are more. */
const MOST_TEXT = 16_000_000

/** How much is kept, and how much may be. */
export interface Kept {
  readonly requests: number
  readonly steps: number
  readonly text: number
}

export const LOG_LIMITS: Kept = { requests: MOST_REQUESTS, steps: MOST_STEPS, text: MOST_TEXT }

/** The last requests, as many as there is room for. */
export class RequestLog {
  /** The oldest first. */
  readonly #requests: TracedRequest[] = []
  readonly #most: Kept
  #steps = 0
  #text = 0
  /** How many of the oldest have lost their changes. */
  #bare = 0

  constructor(most: Kept = LOG_LIMITS) {
    this.#most = most
  }

  add(request: TracedRequest): void {
    this.#requests.push(request)
    this.#steps += request.steps.length
    this.#text += request.text
    while (this.#requests.length > this.#most.requests || this.#steps > this.#most.steps) this.#dropOldest()
    while (this.#text > this.#most.text) this.#bareOldest()
  }

  /** The oldest first. */
  get all(): readonly TracedRequest[] {
    return this.#requests
  }

  find(number: number): TracedRequest | undefined {
    return this.#requests.find((request) => request.number === number)
  }

  get size(): Kept {
    return { requests: this.#requests.length, steps: this.#steps, text: this.#text }
  }

  clear(): void {
    this.#requests.length = 0
    this.#steps = this.#text = this.#bare = 0
  }

  #dropOldest(): void {
    const request = this.#requests.shift()!
    this.#steps -= request.steps.length
    this.#text -= request.text
    this.#bare = Math.max(0, this.#bare - 1)
  }

  #bareOldest(): void {
    const request = this.#requests[this.#bare]!
    for (const step of request.steps) {
      if (step.changed === undefined) continue
      step.unlisted = (step.unlisted ?? 0) + step.changed.length
      delete step.changed
    }
    this.#text -= request.text
    request.text = 0
    this.#bare += 1
  }
}
