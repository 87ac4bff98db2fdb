/** Flushes on behalf of many: those who ask while a flush is under way share the next one. */
export class Flusher {
  readonly #flush: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** @param flush brings to the disk all that was written before its call */
  constructor(flush: () => Promise<void>) {
    this.#flush = flush
  }

  /** Resolves once all that was written before this call is on the disk. */
  flushed(): Promise<void> {
    // One that is under way may have begun too early.
    if (this.#running !== undefined) return (this.#next ??= this.#running.then(this.#again, this.#again))
    return this.#start()
  }

  readonly #again = (): Promise<void> => {
    this.#next = undefined
    return this.#start()
  }

  #start(): Promise<void> {
    const running = this.#flush().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
