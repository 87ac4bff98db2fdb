/** Aborts a request after a timeout or when one of several signals aborts. Dispose it with `using`. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #ms: number
  readonly #tooSlow: () => Error
  #timer: NodeJS.Timeout | undefined
  readonly #cleanups: (() => void)[] = []

  /**
   * @param ms milliseconds after `start`
   * @param tooSlow creates the error of the timeout
   */
  constructor(ms: number, tooSlow: () => Error, signals: readonly (AbortSignal | undefined)[]) {
    this.#ms = ms
    this.#tooSlow = tooSlow
    for (const signal of signals) {
      if (signal === undefined) continue
      const end = () => this.#controller.abort(signal.reason)
      if (signal.aborted) end()
      else {
        signal.addEventListener('abort', end, { once: true })
        this.#cleanups.push(() => signal.removeEventListener('abort', end))
      }
    }
  }

  /** Starts the timeout; further calls have no effect. */
  start(): void {
    this.#timer ??= setTimeout(() => this.#controller.abort(this.#tooSlow()), this.#ms)
  }

  /** Aborted with the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    for (const cleanUp of this.#cleanups) cleanUp()
  }
}
