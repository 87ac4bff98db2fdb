/** How long a task waits for its place. */
export interface WaitOptions {
  /** The latest time, in milliseconds of the process's clock; for ever without. */
  readonly until?: number
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Runs a bounded number of tasks at once; a bounded number of others wait, in the order they came. */
export class Semaphore {
  readonly #places: number
  readonly #mostWaiting: number
  readonly #tooMany: () => Error
  /** What lets those who wait begin, in their order. */
  readonly #waiting = new Set<() => void>()
  #running = 0

  /**
   * @param places how many tasks run at once
   * @param mostWaiting how many more may wait
   * @param tooMany the error for those beyond, and for those who have waited too long
   */
  constructor(places: number, mostWaiting: number, tooMany: () => Error) {
    this.#places = places
    this.#mostWaiting = mostWaiting
    this.#tooMany = tooMany
  }

  /** Whether no task runs. */
  get idle(): boolean {
    return this.#running === 0
  }

  /**
   * Runs a task, at once if there is a place.
   * @throws the error of `tooMany`, or the reason of the signal; the task is not run then
   */
  async run<T>(task: () => T | Promise<T>, options?: WaitOptions): Promise<T> {
    if (this.#running < this.#places) this.#running++
    else await this.#wait(options)
    try {
      return await task()
    } finally {
      this.#release()
    }
  }

  #wait({ until = Infinity, signal }: WaitOptions = {}): Promise<void> {
    if (this.#waiting.size >= this.#mostWaiting) return Promise.reject(this.#tooMany())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stopWaiting = () => {
      this.#waiting.delete(begin)
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    }
    const begin = () => {
      stopWaiting()
      resolve()
    }
    const aborted = () => {
      stopWaiting()
      reject(signal!.reason as Error)
    }
    const timedOut = () => {
      stopWaiting()
      reject(this.#tooMany())
    }
    const timer = until === Infinity ? undefined : setTimeout(timedOut, Math.max(0, until - performance.now()))
    signal?.addEventListener('abort', aborted)
    this.#waiting.add(begin)
    return promise
  }

  /** Gives the place to the next one. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#running--
    else next()
  }
}
