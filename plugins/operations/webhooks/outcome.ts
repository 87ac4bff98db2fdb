import { jittered } from '../../library/long-work/index.ts'
import type { Attempted } from './attempt.ts'
import type { DueRow } from './deliveries.ts'
import type { StoredOutcome } from './delivery-sql.ts'
import type { Endpoint, EndpointChange } from './endpoints.ts'

const DAY_MS = 86_400_000

/** When deliveries are retried and webhooks disabled. */
export interface RetryOptions {
  /** Seconds before each further attempt. */
  readonly schedule: readonly number[]
  /** Days without a successful attempt after which a webhook is disabled. */
  readonly disable_after: number
}

/** The changes that result from an attempt. */
export interface Outcome {
  readonly delivery: StoredOutcome
  /** Changes to the webhook; null for none. */
  readonly endpoint: EndpointChange | null
}

/** Returns the changes to a delivery and its webhook after an attempt. @param now Unix milliseconds */
export function outcomeOf(
  row: DueRow,
  endpoint: Endpoint,
  attempt: Attempted,
  options: RetryOptions,
  now: number,
): Outcome {
  const { id, due } = row
  const { isDelivered, isGone, status, error } = attempt
  const attempts = row.attempts + 1
  const base = { id, attempts, due, status, error }
  if (isDelivered) {
    const hasRecovered = endpoint.failingSince !== null
    return { delivery: { ...base, state: 'done', finished: now }, endpoint: hasRecovered ? { failing_since: 0 } : null }
  }
  const noted = endpointChange(endpoint, attempt, options, now)
  // 410 Gone disables the webhook. The delivery waits until the webhook is enabled again.
  if (isGone) return { delivery: { ...base, state: 'waiting', finished: 0 }, endpoint: noted }
  const wait = options.schedule[attempts - 1]
  if (wait === undefined) return { delivery: { ...base, state: 'dead', finished: now }, endpoint: noted }
  const delay = jittered(wait * 1000)
  const next = Math.round(now + Math.max(delay, attempt.retryAfter ?? 0))
  return { delivery: { ...base, state: 'waiting', due: next, finished: 0 }, endpoint: noted }
}

/** Returns the changes to a webhook after a failed attempt. */
function endpointChange(
  { failingSince }: Endpoint,
  { isGone, retryAfter }: Attempted,
  { disable_after: days }: RetryOptions,
  now: number,
): EndpointChange {
  const since = failingSince?.getTime() ?? now
  const paused = retryAfter === null ? {} : { paused_until: Math.round(now + retryAfter) }
  const noted = { failing_since: since, ...paused }
  if (isGone) return { ...noted, enabled: 0, reason: 'The receiver responded 410 Gone.' }
  if (now - since < days * DAY_MS) return noted
  const when = new Date(since).toISOString()
  return { ...noted, enabled: 0, reason: `Every attempt has failed since ${when}.` }
}
