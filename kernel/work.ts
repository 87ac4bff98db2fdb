import { AsyncLocalStorage } from 'node:async_hooks'

/** A condition that has to hold at the moment of the first write; `WriteGuard` says more. */
export interface Guard {
  /** Whether nothing has been written yet. */
  readonly isPending: boolean
  write<T>(write: (check: () => Promise<void>) => Promise<T>): Promise<T>
}

/** A tap that has returned a promise which has not settled. */
export interface Waiting {
  readonly hook: string
  readonly tap: string
  readonly plugin: string
}

export interface Wait {
  readonly tap: Waiting
  readonly began: number
}

/**
 * The work for one outside request: whether its response is still wanted, and whether it has committed anything. The
 * store looks at it before a transaction begins and before it commits, so that a request whose response was an error
 * changes nothing afterwards, and one that has changed something gets its result.
 */
export class Work {
  /** The network that the request comes from (`Networks.client`); empty where nobody outside asks. */
  readonly network: string
  /** Characters that its response holds of the budget for long ones; a map of them would slow each garbage collection. */
  held = 0
  /** What has to hold in the transaction that writes first for this work; null for nothing. The store asks for it. */
  guard: Guard | null = null
  /** Whether what is read decides about a write: then nothing will do that was kept of an earlier read. */
  readsFresh = false
  /** The outside request that the work is for, once its user is identified; null on a part, see `root`. @internal */
  request: { readonly user: { readonly id: number } } | null = null
  readonly #parent: Work | null
  #controller: AbortController | null = null
  /** Why it is aborted. Work that has committed something goes on to its end all the same. */
  #reason: Error | null = null
  /** How many of its transactions have been committed, or are about to be. */
  #commits = 0
  #parts: Work[] | null = null
  /** How many wait for its result beside the request that it is for. */
  #others = 0
  /** Why it is to be aborted once they have left. */
  #postponed: Error | null = null
  #waits: Wait[] | null = null

  /** @param parent the work that this one is a part of; `part` makes parts */
  constructor(parent: Work | null = null, network = parent?.network ?? '') {
    this.#parent = parent
    this.network = network
  }

  /** Aborted when the client has left, or the time of the request is over. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** The work of the whole outside request. */
  get root(): Work {
    return this.#parent?.root ?? this
  }

  /** Whether a transaction of this work has been committed, or is about to be: its result has to be told. */
  get committed(): boolean {
    return this.#commits > 0
  }

  /** Whether the work has to stop. */
  get aborted(): boolean {
    return this.#reason !== null && !this.committed
  }

  /**
   * Stops the work, unless it has committed something: then it goes on to its end, and only those of its parts stop that
   * have committed nothing. Only the first reason counts.
   * @param reason what `throwIfAborted` throws
   * @returns whether it stops, now or once nobody else waits for its result
   */
  abort(reason: Error): boolean {
    if (this.#others > 0 && !this.committed) {
      this.#postponed ??= reason
      return true
    }
    if (this.#reason === null) {
      this.#reason = reason
      for (const part of this.#parts ?? []) part.abort(reason)
      if (this.aborted) this.#controller?.abort(reason)
    }
    return this.aborted
  }

  /** Whether it goes on for others alone, because its own request is over. */
  get isLeft(): boolean {
    return this.#postponed !== null
  }

  /**
   * Notes that somebody else waits for the result of this work, too: it is not aborted before they have left.
   * @returns to be called once they do not wait any more
   */
  share(): () => void {
    this.#others += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#others -= 1
      if (this.#others === 0 && this.#postponed !== null) this.abort(this.#postponed)
    }
  }

  /**
   * Notes that it waits for a tap, until `endWait` is called with what this returns.
   * @param began a number that grows with each tap that is called
   */
  beginWait(tap: Waiting, began: number): Wait {
    const wait = { tap, began }
    this.#waits ??= []
    this.#waits.push(wait)
    return wait
  }

  endWait(wait: Wait): void {
    const waits = this.#waits!
    if (waits.at(-1) === wait) waits.pop()
    else waits.splice(waits.lastIndexOf(wait), 1)
  }

  /**
   * The taps that it waits for, its parts included. Where one waits for another, as a tap does that makes a request of its
   * own, the other comes behind it.
   */
  get waiting(): readonly Waiting[] {
    const waits = this.#allWaits().toSorted((one, other) => one.began - other.began)
    return [...new Set(waits.map(({ tap }) => tap))]
  }

  /** @throws the reason for which the work was aborted */
  throwIfAborted(): void {
    if (this.#reason !== null && !this.committed) throw this.#reason
  }

  /**
   * Counts a transaction that is about to be committed.
   * @returns takes it back, where the commit is known to have failed
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
   * A part of the work that is aborted by itself, such as one request of a batch: once the whole is aborted, a part that
   * has committed nothing stops, whatever other parts have committed.
   */
  part(): Work {
    const part = new Work(this)
    this.#parts ??= []
    this.#parts.push(part)
    if (this.#reason !== null) part.abort(this.#reason)
    return part
  }

  #allWaits(): Wait[] {
    return [this.#waits ?? [], ...(this.#parts ?? []).map((part) => part.#allWaits())].flat()
  }

  #count(commits: 1 | -1): void {
    this.#commits += commits
    if (this.aborted) this.#controller?.abort(this.#reason)
    if (this.#parent !== null) this.#parent.#count(commits)
  }
}

const current = new AsyncLocalStorage<Work>()

/** The work that the running code belongs to; undefined outside of requests. */
export function currentWork(): Work | undefined {
  return current.getStore()
}

/** Runs `act` as part of a work. */
export function runWork<T, A extends unknown[]>(work: Work, act: (...args: A) => T, ...args: A): T {
  return current.run(work, act, ...args)
}

/**
 * Runs `act` as part of no work: what is done for several requests at once, or after the response, must not stop because
 * one of them is aborted.
 */
export function runDetached<T>(act: () => T): T {
  return current.exit(act)
}
