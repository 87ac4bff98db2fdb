import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What is done for one outside request: whether its answer is still wanted, and whether it has changed anything. The store
 * looks at it before a transaction begins and before it commits, so that a request which was told to have failed
 * changes nothing afterwards, and one that has changed something is answered with what became of it.
 */
export class Work {
  #controller: AbortController | null = null
  #reason: Error | null = null
  #committed = false

  /** Aborted once nobody waits for the answer any more: the time is over, or the client has gone. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#reason !== null) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Whether a transaction of this work has been committed, or is about to be: its true answer has to be told. */
  get committed(): boolean {
    return this.#committed
  }

  /** Whether the work is to stop. */
  get aborted(): boolean {
    return this.#reason !== null
  }

  /** Stops the work; further reasons are not looked at. @param reason what is thrown wherever the work looks */
  abort(reason: Error): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#controller?.abort(reason)
  }

  /** @throws the reason for which the work was aborted */
  throwIfAborted(): void {
    if (this.#reason !== null) throw this.#reason
  }

  /**
   * Notes that a transaction is about to be committed.
   * @throws the reason for which the work was aborted: nothing may be committed then
   */
  beginCommit(): void {
    this.throwIfAborted()
    this.#committed = true
  }
}

const current = new AsyncLocalStorage<Work>()

/** What the running code works for; undefined outside of requests. */
export function currentWork(): Work | undefined {
  return current.getStore()
}

/** Runs `act` as part of a work. */
export function runWork<T>(work: Work, act: () => T): T {
  return current.run(work, act)
}

/**
 * Runs `act` as part of no work: what is done for several requests at once, or later and whoever asked, must not stop
 * because one of them is not waited for any more.
 */
export function runApart<T>(act: () => T): T {
  return current.exit(act)
}
