/** Requests that began between two changes of the plugins: what they end with is the code they began with. */
export class Era {
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

let now = new Era()

/** The era of what begins now. */
export function currentEra(): Era {
  return now
}

/** Begins another era. @returns the one before */
export function nextEra(): Era {
  const before = now
  now = new Era()
  return before
}
