/** Shares flushes: all calls during a running flush wait for the same next one. */
export class Flusher {
  readonly #flush: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** @param flush writes everything to the disk that was written before its call */
  constructor(flush: () => Promise<void>) {
    this.#flush = flush
  }

  /** Resolves when everything written before this call is on the disk. */
  flushed(): Promise<void> {
    // The running flush may have begun before the write.
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
