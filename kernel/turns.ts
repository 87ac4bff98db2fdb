/** What the requests are like that begin in turns. */
export interface Entrance<T> {
  begin: (request: T) => void
  /** Whose request it is; asked only where it has to wait. */
  clientOf: (request: T) => string
  /** Whether nobody waits for the answer any more: the request is then forgotten. */
  isGone: (request: T) => boolean
}

/** Milliseconds for which requests begin one after the other before the process looks at what else has happened. */
const SLICE = 10
/** How many may begin in one turn; between two of them what the first one has begun goes on. */
const MOST = 50

/**
 * Lets requests begin in turns. A thousand of them may arrive at once, and each may take its time: between two turns the
 * process hears of clients that have left, whose requests then never begin. While many wait, clients have their turns
 * one after the other, so that one with a thousand requests does not keep those with a single one waiting.
 */
export class Turns<T extends object> {
  readonly #entrance: Entrance<T>
  /** What waits, by client. */
  readonly #waiting = new Map<string, T[]>()
  #isOpen = false
  /** Whether nothing begins in this turn. */
  #isResting = false
  #began = 0

  constructor(entrance: Entrance<T>) {
    this.#entrance = entrance
  }

  /** Begins a request: at once where nothing waits, else in its turn. */
  enter(request: T): void {
    if (this.#waiting.size === 0 && this.#hasTime()) {
      this.#entrance.begin(request)
      return
    }
    const client = this.#entrance.clientOf(request)
    const list = this.#waiting.get(client)
    if (list === undefined) this.#waiting.set(client, [request])
    else list.push(request)
  }

  /** Whether there is time for another request in this turn; the first one opens it. */
  #hasTime(): boolean {
    if (this.#isResting) return false
    const now = performance.now()
    if (!this.#isOpen) {
      this.#isOpen = true
      this.#began = now
      setImmediate(this.#next)
    }
    return now - this.#began < SLICE
  }

  /**
   * Opens the next turn, if anything waits. After a turn that was used up, what arrives waits even so: the process has
   * not heard yet whether its client stays.
   */
  readonly #next = (): void => {
    const isUsedUp = !this.#isResting && performance.now() - this.#began >= SLICE
    const isAsked = this.#waiting.size > 0
    this.#isResting = isUsedUp && !isAsked
    this.#isOpen = isUsedUp || isAsked
    if (!this.#isOpen) return
    if (isAsked) {
      this.#began = Number.POSITIVE_INFINITY
      // Behind each of them comes what has become ready meanwhile, so that the time it takes counts.
      for (let count = 0; count < MOST; count += 1) setImmediate(this.#step)
    }
    setImmediate(this.#next)
  }

  readonly #step = (): void => {
    const now = performance.now()
    this.#began = Math.min(this.#began, now)
    const next = now - this.#began < SLICE ? this.#take() : undefined
    if (next !== undefined) this.#entrance.begin(next)
  }

  /** The next request of the client whose turn it is. */
  #take(): T | undefined {
    for (const [client, list] of this.#waiting) {
      // Behind all others.
      this.#waiting.delete(client)
      let next = list.shift()
      while (next !== undefined && this.#entrance.isGone(next)) next = list.shift()
      if (list.length > 0) this.#waiting.set(client, list)
      if (next !== undefined) return next
    }
    return undefined
  }
}
