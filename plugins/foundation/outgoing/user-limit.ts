import { LRUCache } from 'lru-cache'
import { RestError } from '../../../kernel/index.ts'
import { lazily } from '../../library/long-work/index.ts'
import { errors } from './errors.ts'

/** Milliseconds of the window of the limit. */
const LIMIT_WINDOW_MS = 60_000
/** Maximum number of tracked users. */
const MAX_TRACKED_USERS = 10_000

/** Checks whether a request was rejected by the limit of its user, which says nothing about the other server. */
export function isTooOften(error: unknown): error is RestError {
  return error instanceof RestError && error.code === 'rest_too_many_outgoing_requests'
}

/** Limits the number of requests to other servers that each user can cause. */
export class UserLimit {
  /** Milliseconds that one request adds. */
  readonly #cost: number
  /**
   * Time per user at which all past requests have expired. Created on first use, because it preallocates its entries.
   */
  readonly #until = lazily(() => new LRUCache<number, number>({ max: MAX_TRACKED_USERS }))

  constructor(perMinute: number) {
    this.#cost = LIMIT_WINDOW_MS / perMinute
  }

  /**
   * Counts a request. @throws rest_too_many_outgoing_requests if the limit is exceeded; the request then does not count
   */
  consume(user: number, now = performance.now()): void {
    const until = Math.max(this.#until().get(user) ?? 0, now) + this.#cost
    const wait = Math.ceil((until - now - LIMIT_WINDOW_MS) / 1000)
    if (wait > 0) throw errors.rest_too_many_outgoing_requests(wait, { data: { retry_after: wait } })
    this.#until().set(user, until)
  }
}
