/** Limits the time for which a task waits. */
export interface WaitOptions {
  /** Latest time in milliseconds of `performance.now()`; unlimited by default. */
  readonly until?: number
  /** Aborts the waiting with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Limits the number of concurrent tasks and of waiting ones, which run in order. */
export class Semaphore {
  readonly #places: number
  readonly #maxWaiting: number
  readonly #tooMany: () => Error
  /** Functions that start the waiting tasks, in order. */
  readonly #waiting = new Set<() => void>()
  #running = 0

  /**
   * @param places number of concurrent tasks
   * @param maxWaiting number of waiting tasks
   * @param tooMany creates the error for further tasks, and for tasks that have waited too long
   */
  constructor(places: number, maxWaiting: number, tooMany: () => Error) {
    this.#places = places
    this.#maxWaiting = maxWaiting
    this.#tooMany = tooMany
  }

  /** Whether no task runs. */
  get idle(): boolean {
    return this.#running === 0
  }

  /**
   * Runs a task, immediately if there is a place.
   * @throws the error of `tooMany`, or the reason of the signal, if the task has not started
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
    if (this.#waiting.size >= this.#maxWaiting) return Promise.reject(this.#tooMany())
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

  /** Passes the place to the next task. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#running--
    else next()
  }
}
