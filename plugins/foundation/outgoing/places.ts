import { BusyError } from '../../../kernel/index.ts'
import { Semaphore } from '../../library/long-work/index.ts'
import { errors } from './errors.ts'

/** Maximum number of waiting requests, per origin and in total. */
const MAX_WAITING_REQUESTS = 10_000

/** A request that needs a place. */
export interface QueuedRequest {
  readonly origin: string
  /** Whether it leaves half of the places to other requests. */
  readonly background: boolean
  readonly signal: AbortSignal
}

/** Limits concurrent requests: per origin, in the background, and in total. */
export class Places {
  readonly #perOrigin: number
  readonly #all: Semaphore
  readonly #background: Semaphore
  readonly #origins = new Map<string, Semaphore>()

  constructor(concurrency: number, perOrigin: number) {
    this.#perOrigin = perOrigin
    this.#all = placesOf(concurrency)
    this.#background = placesOf(Math.ceil(concurrency / 2))
  }

  /**
   * Runs a task once the origin, and then the total, has a free place, so that requests waiting for a slow origin do
   * not block others.
   * @throws OUTGOING_BUSY; the reason of the signal
   */
  async run<T>({ origin, background, signal }: QueuedRequest, task: () => Promise<T>): Promise<T> {
    let places = this.#origins.get(origin)
    if (places === undefined) this.#origins.set(origin, (places = placesOf(this.#perOrigin)))
    const runWithinTotal = () => this.#all.run(task, { signal })
    const runWithinLimits = background ? () => this.#background.run(runWithinTotal, { signal }) : runWithinTotal
    try {
      return await places.run(runWithinLimits, { signal })
    } finally {
      if (places.idle) this.#origins.delete(origin)
    }
  }
}

function placesOf(count: number): Semaphore {
  return new Semaphore(count, MAX_WAITING_REQUESTS, () =>
    errors.OUTGOING_BUSY({ cause: new BusyError(`${MAX_WAITING_REQUESTS} requests to other servers wait`) }),
  )
}
