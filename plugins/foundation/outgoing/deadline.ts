/** What ends a request: its time is over, or one of several signals. Undone by `using`. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #ms: number
  readonly #tooSlow: () => Error
  #timer: NodeJS.Timeout | undefined
  readonly #undo: (() => void)[] = []

  /**
   * @param ms milliseconds from `start` until it ends by itself
   * @param tooSlow the error of that
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
        this.#undo.push(() => signal.removeEventListener('abort', end))
      }
    }
  }

  /** From now on its time runs; it is not asked twice. */
  start(): void {
    this.#timer ??= setTimeout(() => this.#controller.abort(this.#tooSlow()), this.#ms)
  }

  /** Aborted with the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    for (const undo of this.#undo) undo()
  }
}
