/** Requests that began between two changes of the plugins: what they end with is the code they began with. */
export class Era {
  /** Whether plugins have been exchanged since. */
  isPast = false
  #requests = 0
  #whenEmpty: (() => void)[] = []

  /** Notes that a request has begun. */
  enter(): void {
    this.#requests += 1
  }

  /** Notes that one has ended. */
  leave(): void {
    this.#requests -= 1
    if (this.#requests > 0) return
    for (const resolve of this.#whenEmpty) resolve()
    this.#whenEmpty = []
  }

  /** Resolves once all have ended. To be called when no more will begin. */
  over(): Promise<void> {
    return this.#requests === 0 ? Promise.resolve() : new Promise((resolve) => void this.#whenEmpty.push(resolve))
  }
}

/** The eras of one site: what goes on in another one of the same process keeps none of its plugins. */
export class Eras {
  #now = new Era()

  /** The era of what begins now. */
  get now(): Era {
    return this.#now
  }

  /** Begins another era. @returns the one before */
  next(): Era {
    const before = this.#now
    before.isPast = true
    this.#now = new Era()
    return before
  }
}
