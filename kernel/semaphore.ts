/** How long somebody waits at a gate. */
export interface Patience {
  /** Until when, in milliseconds of the process's clock; for ever without. */
  readonly until?: number
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Admits so many at once; so many others wait outside, in the order they came. */
export class Gate {
  readonly #places: number
  readonly #waiters: number
  readonly #tooMany: () => Error
  /** What admits those who wait, in their order. */
  readonly #waiting = new Set<() => void>()
  #inside = 0

  /**
   * @param waiters how many may wait
   * @param tooMany the error for those who would be more, and those whose patience is over
   */
  constructor(places: number, waiters: number, tooMany: () => Error) {
    this.#places = places
    this.#waiters = waiters
    this.#tooMany = tooMany
  }

  /** Whether nobody is inside. */
  get idle(): boolean {
    return this.#inside === 0
  }

  /**
   * Runs the task inside, at once if there is a place.
   * @throws the error of the gate when too many wait already or the patience is over, and the reason of its signal; the
   * task is not run then
   */
  async run<T>(task: () => T | Promise<T>, patience?: Patience): Promise<T> {
    if (this.#inside < this.#places) this.#inside++
    else await this.#place(patience)
    try {
      return await task()
    } finally {
      this.#leave()
    }
  }

  #place({ until = Infinity, signal }: Patience = {}): Promise<void> {
    if (this.#waiting.size >= this.#waiters) return Promise.reject(this.#tooMany())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(admit)
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    }
    const admit = () => {
      leave()
      resolve()
    }
    const aborted = () => {
      leave()
      reject(signal!.reason as Error)
    }
    const tired = () => {
      leave()
      reject(this.#tooMany())
    }
    const timer = until === Infinity ? undefined : setTimeout(tired, until - performance.now())
    signal?.addEventListener('abort', aborted)
    this.#waiting.add(admit)
    return promise
  }

  /** Gives the place to the next one. */
  #leave(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#inside--
    else next()
  }
}
