import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What is done for one outside request: whether its answer is still wanted, and whether it has changed anything. The store
 * looks at it before a transaction begins and before it commits, so that a request which was told to have failed
 * changes nothing afterwards, and one that has changed something is answered with what became of it.
 */
export class Work {
  /** The network that the request comes from (`Networks.client`); empty where nobody outside asks. */
  readonly network: string
  /** Characters that its answer holds of the room for long ones. A map of them would cost each collection of garbage more. */
  held = 0
  readonly #whole: Work | null
  #controller: AbortController | null = null
  /** Why it is to stop. What has changed something goes on to its end all the same. */
  #reason: Error | null = null
  /** How many of its transactions have been committed, or are about to be. */
  #commits = 0
  #parts: Work[] | null = null

  /** @param whole the work that this one is a part of; `part` makes parts */
  constructor(whole: Work | null = null, network = whole?.network ?? '') {
    this.#whole = whole
    this.network = network
  }

  /** Aborted once nobody waits for the answer any more: the time is over, or the client has gone. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** The work of the whole outside request. */
  get outermost(): Work {
    return this.#whole?.outermost ?? this
  }

  /** Whether a transaction of this work has been committed, or is about to be: its true answer has to be told. */
  get committed(): boolean {
    return this.#commits > 0
  }

  /** Whether the work is to stop. */
  get aborted(): boolean {
    return this.#reason !== null && !this.committed
  }

  /**
   * Stops the work, unless it has changed something: then it goes on to its end, and only those of its parts stop that
   * have changed nothing. Further reasons are not looked at.
   * @param reason what is thrown wherever the work looks
   * @returns whether it stops
   */
  abort(reason: Error): boolean {
    if (this.#reason === null) {
      this.#reason = reason
      for (const part of this.#parts ?? []) part.abort(reason)
      if (this.aborted) this.#controller?.abort(reason)
    }
    return this.aborted
  }

  /** @throws the reason for which the work was aborted */
  throwIfAborted(): void {
    if (this.#reason !== null && !this.committed) throw this.#reason
  }

  /**
   * Notes that a transaction is about to be committed.
   * @returns takes it back, where the commit is known to have failed: nothing has changed then
   * @throws the reason for which the work was aborted: nothing may be committed then
   */
  beginCommit(): () => void {
    this.throwIfAborted()
    this.#count(1)
    let isBack = false
    return () => {
      if (!isBack) this.#count(-1)
      isBack = true
    }
  }

  /**
   * A part of the work that stands for itself, such as one request of a batch: once the whole is to stop, a part that has
   * changed nothing stops, whatever other parts have changed.
   */
  part(): Work {
    const part = new Work(this)
    this.#parts ??= []
    this.#parts.push(part)
    if (this.#reason !== null) part.abort(this.#reason)
    return part
  }

  #count(commits: 1 | -1): void {
    this.#commits += commits
    if (this.aborted) this.#controller?.abort(this.#reason)
    if (this.#whole !== null) this.#whole.#count(commits)
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
