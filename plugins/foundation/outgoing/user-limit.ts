import { LRUCache } from 'lru-cache'
import { RestError } from '../../../kernel/index.ts'
import { lazily } from '../../library/long-work/index.ts'
import { errors } from './errors.ts'

/** Milliseconds in which a user may have so many requests sent. */
const LIMIT_WINDOW_MS = 60_000
/** Users that are remembered. */
const MOST_USERS = 10_000

/** Whether a request was not sent because of the limit of its user, which says nothing about the other server. */
export function isTooOften(error: unknown): error is RestError {
  return error instanceof RestError && error.code === 'rest_too_many_outgoing_requests'
}

/** Limits how many requests to other servers each user may cause. */
export class UserLimit {
  /** Milliseconds that one request counts. */
  readonly #cost: number
  /** For each user, the time at which all requests so far are forgotten. Created at its first use: it allocates room for all. */
  readonly #until = lazily(() => new LRUCache<number, number>({ max: MOST_USERS }))

  constructor(perMinute: number) {
    this.#cost = LIMIT_WINDOW_MS / perMinute
  }

  /** Counts a request. @throws rest_too_many_outgoing_requests for one too many, which does not count */
  take(user: number, now = performance.now()): void {
    const until = Math.max(this.#until().get(user) ?? 0, now) + this.#cost
    const wait = Math.ceil((until - now - LIMIT_WINDOW_MS) / 1000)
    if (wait > 0) throw errors.rest_too_many_outgoing_requests(wait, { data: { retry_after: wait } })
    this.#until().set(user, until)
  }
}
