import { currentWork } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Queues: known clients that log in, other clients that log in, and users who set a password. */
const QUEUES = ['known', 'others', 'new'] as const
export type HashLine = (typeof QUEUES)[number]

/** Limits of a queue. */
export interface HashQueueLimits {
  /** Maximum number of concurrent hashes. */
  readonly concurrency: number
  /** Maximum number of waiting requests in each queue. */
  readonly waiting: number
}

/** A waiting request. */
interface Waiting {
  readonly network: string
  start(): void
}

/** Share of a queue that one network can occupy. */
const MAX_NETWORK_SHARE = 1 / 2
/** Retry-After of a full queue, in seconds. */
const RETRY_AFTER = 2

/**
 * Runs tasks that need a thread and much memory, a few at a time. Its queues are served in turns, so that a crowd in one
 * does not block the others, and one network cannot fill a queue. Aborted requests leave their queue.
 */
export class HashQueue {
  readonly #limits: HashQueueLimits
  readonly #lines: Readonly<Record<HashLine, Waiting[]>> = { known: [], others: [], new: [] }
  #running = 0
  /** The queue that was served last. */
  #served = 0

  constructor(limits: HashQueueLimits) {
    this.#limits = limits
  }

  /**
   * Runs `task` in its turn.
   * @throws password_queue_full if too many requests wait; the abort reason of the request
   */
  async run<T>(line: HashLine, task: () => Promise<T>): Promise<T> {
    await this.#acquireSlot(this.#lines[line])
    try {
      currentWork()?.throwIfAborted()
      return await task()
    } finally {
      this.#running -= 1
      this.#next()
    }
  }

  /** Waits for a turn and takes it. */
  #acquireSlot(queue: Waiting[]): Promise<void> {
    const work = currentWork()
    work?.throwIfAborted()
    if (this.#running < this.#limits.concurrency) {
      this.#running += 1
      return Promise.resolve()
    }
    const network = work?.network ?? ''
    if (queue.length >= this.#limits.waiting || (network !== '' && this.#isFull(queue, network))) {
      throw errors.password_queue_full({ data: { retry_after: RETRY_AFTER } })
    }
    return new Promise((resolve, reject) => {
      const signal = work?.signal
      const leave = () => {
        queue.splice(queue.indexOf(waiting), 1)
        reject(signal!.reason as Error)
      }
      const waiting: Waiting = {
        network,
        start: () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.push(waiting)
    })
  }

  /** Whether a network has as many waiting requests as it can. */
  #isFull(line: readonly Waiting[], network: string): boolean {
    return (
      line.filter((one) => one.network === network).length >=
      Math.max(1, Math.floor(this.#limits.waiting * MAX_NETWORK_SHARE))
    )
  }

  #next(): void {
    for (let step = 1; step <= QUEUES.length; step += 1) {
      const line = (this.#served + step) % QUEUES.length
      const waiting = this.#lines[QUEUES[line]!].shift()
      if (waiting === undefined) continue
      this.#served = line
      this.#running += 1
      return waiting.start()
    }
  }
}
