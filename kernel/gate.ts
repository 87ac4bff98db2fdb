import { StoreError } from './errors.ts'

/** How long somebody waits at a gate. */
export interface Patience {
  /** Until when, in milliseconds of the process's clock; for ever without. */
  readonly until?: number
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Admits so many at once; so many others wait outside, in the order they came. */
export class Gate {
  readonly #places: number
  readonly #waiters: number
  /** What admits those who wait, in their order. */
  readonly #waiting = new Set<() => void>()
  #inside = 0

  constructor(places = 1, waiters = Infinity) {
    this.#places = places
    this.#waiters = waiters
  }

  /** Whether nobody is inside. */
  get idle(): boolean {
    return this.#inside === 0
  }

  /**
   * Runs the task inside, at once if there is a place.
   * @throws StoreError STORE_BUSY when too many wait already or the patience is over, and the reason of its signal; the task is not run then
   */
  async run<T>(task: () => T | Promise<T>, patience?: Patience): Promise<T> {
    if (this.#inside < this.#places) this.#inside++
    else await this.#place(patience)
    try {
      return await task()
    } finally {
      this.#leave()
    }
  }

  #place({ until = Infinity, signal }: Patience = {}): Promise<void> {
    if (this.#waiting.size >= this.#waiters) return Promise.reject(tooMany())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(admit)
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    }
    const admit = () => {
      leave()
      resolve()
    }
    const aborted = () => {
      leave()
      reject(signal!.reason as Error)
    }
    const tired = () => {
      leave()
      reject(tooMany())
    }
    const timer = until === Infinity ? undefined : setTimeout(tired, until - performance.now())
    signal?.addEventListener('abort', aborted)
    this.#waiting.add(admit)
    return promise
  }

  /** Gives the place to the next one. */
  #leave(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#inside--
    else next()
  }
}

function tooMany(): StoreError {
  return new StoreError('STORE_BUSY', 'Too many others wait for the database.')
}
