import { currentWork } from '../../kernel/index.ts'
import { errors } from './errors.ts'

/** Somebody in a line. */
interface Waiting {
  start(): void
}

/** Bounds of a queue. */
export interface HashQueueLimits {
  /** How many hashes are computed at the same time. */
  readonly atOnce: number
  /** How many may wait in each of the two lines. */
  readonly waiting: number
}

/** Seconds after which a line that is full has moved on. */
const RETRY_AFTER = 2

/**
 * Runs what takes a thread and much memory, a few at a time. Two lines wait and are served by turns: whoever has been
 * let in before stands in one of their own, so that a crowd of strangers cannot push them out. What nobody waits for any
 * more leaves its line without being computed.
 */
export class HashQueue {
  readonly #limits: HashQueueLimits
  readonly #lines: Record<'known' | 'others', Waiting[]> = { known: [], others: [] }
  #running = 0
  #last: 'known' | 'others' = 'others'

  constructor(limits: HashQueueLimits) {
    this.#limits = limits
  }

  /**
   * Runs `task` in its turn.
   * @param known whether the one who waits has been let in before
   * @throws password_queue_full when too many wait; the reason for which the request was given up
   */
  async run<T>(task: () => Promise<T>, known: boolean): Promise<T> {
    await this.#turn(known ? 'known' : 'others')
    try {
      currentWork()?.throwIfAborted()
      return await task()
    } finally {
      this.#running -= 1
      this.#next()
    }
  }

  /** Waits for a turn, and takes it. */
  #turn(name: 'known' | 'others'): Promise<void> {
    const work = currentWork()
    work?.throwIfAborted()
    if (this.#running < this.#limits.atOnce) {
      this.#running += 1
      return Promise.resolve()
    }
    const line = this.#lines[name]
    if (line.length >= this.#limits.waiting) {
      throw errors.password_queue_full({ data: { retry_after: RETRY_AFTER } })
    }
    return new Promise((resolve, reject) => {
      const signal = work?.signal
      const leave = () => {
        line.splice(line.indexOf(waiting), 1)
        reject(signal!.reason as Error)
      }
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      line.push(waiting)
    })
  }

  #next(): void {
    const { known, others } = this.#lines
    const name = this.#last === 'others' && known.length > 0 ? 'known' : others.length > 0 ? 'others' : 'known'
    const waiting = this.#lines[name].shift()
    if (waiting === undefined) return
    this.#last = name
    this.#running += 1
    waiting.start()
  }
}
