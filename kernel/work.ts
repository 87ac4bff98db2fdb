import { AsyncLocalStorage } from 'node:async_hooks'

/** A condition that must hold at the first write of a request. See `WriteGuard`. */
export interface Guard {
  /** Whether nothing has been written yet. */
  readonly isPending: boolean
  write<T>(write: (check: () => Promise<void>) => Promise<T>): Promise<T>
}

/** A tap whose promise has not settled. */
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
 * The work for one outside request: whether it is aborted, and whether it has committed a transaction. The store checks
 * it before a transaction begins and before it commits. So a request that got an error for its abort changes nothing
 * later, and a request that has committed a change gets its real response.
 */
export class Work {
  /** The network of the client (`Networks.client`); '' outside of requests. */
  readonly network: string
  /** Characters that its response has reserved in the response budget. A map of works would slow garbage collection. */
  held = 0
  /** The condition that the store checks in the first transaction that writes for this work; null for no condition. */
  guard: Guard | null = null
  /** Whether reads must bypass caches, because they decide about a write. */
  readsFresh = false
  /** Whether it came over TLS for the host of a home URL without TLS (specification 4.1); set on the `root` only. */
  isTls = false
  /** The outside request, once its user is identified; null on a part, see `root`. @internal */
  request: { readonly user: { readonly id: number } } | null = null
  readonly #parent: Work | null
  #controller: AbortController | null = null
  /** The reason of the abort. Work that has committed a transaction continues to its end all the same. */
  #reason: Error | null = null
  /** Number of its transactions that are committed or about to be. */
  #commits = 0
  #parts: Work[] | null = null
  /** Number of other requests that wait for its result. */
  #sharerCount = 0
  /** The reason of an abort that waits until they have left. */
  #postponedReason: Error | null = null
  #pendingWaits: Wait[] | null = null

  /** @param parent the work that this one is a part of; use `part` to create parts */
  constructor(parent: Work | null = null, network = parent?.network ?? '') {
    this.#parent = parent
    this.network = network
  }

  /** Aborted when the client has left, or the request has timed out. */
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

  /** Whether a transaction of this work is committed or about to be, so that the client must get the real response. */
  get committed(): boolean {
    return this.#commits > 0
  }

  /** Whether the work must stop. */
  get aborted(): boolean {
    return this.#reason !== null && !this.committed
  }

  /**
   * Aborts the work unless it has committed a transaction: then it continues, and only its parts without a commit stop.
   * Only the first reason counts.
   * @param reason the error that `throwIfAborted` throws
   * @returns whether the work stops, now or after all other requests that wait for its result have left
   */
  abort(reason: Error): boolean {
    if (this.#sharerCount > 0 && !this.committed) {
      this.#postponedReason ??= reason
      return true
    }
    if (this.#reason === null) {
      this.#reason = reason
      for (const part of this.#parts ?? []) part.abort(reason)
      if (this.aborted) this.#controller?.abort(reason)
    }
    return this.aborted
  }

  /** Whether its own request is over and it continues only for other requests. */
  get isLeft(): boolean {
    return this.#postponedReason !== null
  }

  /**
   * Records that another request waits for the result of this work, which is not aborted until that request has left.
   * @returns a function to call when the other request no longer waits
   */
  share(): () => void {
    this.#sharerCount += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#sharerCount -= 1
      if (this.#sharerCount === 0 && this.#postponedReason !== null) this.abort(this.#postponedReason)
    }
  }

  /**
   * Records that it waits for a tap, until `endWait` is called with the returned object.
   * @param began sequence number of the call of the tap
   */
  beginWait(tap: Waiting, began: number): Wait {
    const wait = { tap, began }
    this.#pendingWaits ??= []
    this.#pendingWaits.push(wait)
    return wait
  }

  endWait(wait: Wait): void {
    const waits = this.#pendingWaits!
    if (waits.at(-1) === wait) waits.pop()
    else waits.splice(waits.lastIndexOf(wait), 1)
  }

  /**
   * The taps that it and its parts wait for, in the order of their calls: a tap that waits for an internal request
   * comes before the taps of that request.
   */
  get waiting(): readonly Waiting[] {
    const waits = this.#allWaits().toSorted((one, other) => one.began - other.began)
    return [...new Set(waits.map(({ tap }) => tap))]
  }

  /** @throws the reason of the abort */
  throwIfAborted(): void {
    if (this.#reason !== null && !this.committed) throw this.#reason
  }

  /**
   * Records that a transaction is about to be committed.
   * @returns a function that reverts this, for a commit that is known to have failed
   * @throws the reason of the abort: the transaction must not be committed then
   */
  beginCommit(): () => void {
    this.throwIfAborted()
    this.#addCommits(1)
    let isReverted = false
    return () => {
      if (!isReverted) this.#addCommits(-1)
      isReverted = true
    }
  }

  /**
   * Creates a part of the work that can be aborted separately, such as a request of a batch. When the whole work is
   * aborted, a part without a commit stops, even if other parts have committed.
   */
  part(): Work {
    const part = new Work(this)
    this.#parts ??= []
    this.#parts.push(part)
    if (this.#reason !== null) part.abort(this.#reason)
    return part
  }

  #allWaits(): Wait[] {
    return [this.#pendingWaits ?? [], ...(this.#parts ?? []).map((part) => part.#allWaits())].flat()
  }

  #addCommits(commits: 1 | -1): void {
    this.#commits += commits
    if (this.aborted) this.#controller?.abort(this.#reason)
    if (this.#parent !== null) this.#parent.#addCommits(commits)
  }
}

const current = new AsyncLocalStorage<Work>()

/** Returns the work that the running code belongs to; undefined outside of requests. */
export function currentWork(): Work | undefined {
  return current.getStore()
}

/** Runs `act`, and the asynchronous code that it starts, as part of a work. */
export function runWork<T, A extends unknown[]>(work: Work, act: (...args: A) => T, ...args: A): T {
  return current.run(work, act, ...args)
}

/**
 * Runs `act` outside of any work. Use it for code that serves several requests, or continues after the response, and so
 * must not stop when one request is aborted.
 */
export function runDetached<T>(act: () => T): T {
  return current.exit(act)
}
