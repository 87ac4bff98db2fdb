/** A request that has not begun. */
interface Waiting {
  begin: () => void
  isGone: () => boolean
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
export class Turns {
  /** What waits, by client. */
  readonly #waiting = new Map<string, Waiting[]>()
  #isOpen = false
  #began = 0

  /**
   * Begins a request: at once where nothing waits, else in its turn.
   * @param clientOf tells whose request it is; asked only where it has to wait
   * @param isGone whether nobody waits for the answer any more; the request is then forgotten
   */
  enter(begin: () => void, clientOf: () => string, isGone: () => boolean): void {
    if (this.#waiting.size === 0 && this.#hasTime()) {
      begin()
      return
    }
    const client = clientOf()
    const list = this.#waiting.get(client)
    if (list === undefined) this.#waiting.set(client, [{ begin, isGone }])
    else list.push({ begin, isGone })
  }

  /** Whether there is time for another request in this turn; the first one opens it. */
  #hasTime(): boolean {
    const now = performance.now()
    if (!this.#isOpen) {
      this.#isOpen = true
      this.#began = now
      setImmediate(() => this.#next())
    }
    return now - this.#began < SLICE
  }

  /** Opens the next turn, if anything waits. */
  #next(): void {
    this.#isOpen = false
    if (this.#waiting.size === 0) return
    this.#isOpen = true
    this.#began = Number.POSITIVE_INFINITY
    // Behind each of them comes what has become ready meanwhile, so that the time it takes counts.
    for (let count = 0; count < MOST; count += 1) setImmediate(() => this.#step())
    setImmediate(() => this.#next())
  }

  #step(): void {
    const now = performance.now()
    this.#began = Math.min(this.#began, now)
    if (now - this.#began < SLICE) this.#take()?.begin()
  }

  /** The next request of the client whose turn it is. */
  #take(): Waiting | null {
    for (const [client, list] of this.#waiting) {
      // Behind all others.
      this.#waiting.delete(client)
      let next = list.shift()
      while (next?.isGone()) next = list.shift()
      if (list.length > 0) this.#waiting.set(client, list)
      if (next !== undefined) return next
    }
    return null
  }
}
