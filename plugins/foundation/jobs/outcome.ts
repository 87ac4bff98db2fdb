import { messageOf } from '../../../kernel/index.ts'
import { jittered } from '../../library/long-work/index.ts'
import type { Handler } from './handlers.ts'
import type { JobRow, Outcome } from './queue.ts'
import type { RunResult, Run } from './run.ts'

/** Maximum delay between two attempts, in milliseconds. */
const MAX_DELAY_MS = 3_600_000
/** Maximum stored characters of an error. */
const MAX_ERROR_CHARACTERS = 2000

/** Returns why a run failed; null if it succeeded or was stopped. */
export function failureOf({ stopReason }: Run, ending: RunResult): Error | null {
  const code = codeOf(stopReason)
  if (ending === null || code === 'JOB_CANCELLED' || code === 'JOB_STOPPED') return null
  return code === 'JOB_TIMED_OUT' ? stopReason! : ending.error
}

/**
 * Returns what to store for an ended run.
 * @param next next time of its schedule; null for a job without a schedule
 */
export function outcomeOf(run: Run, ending: RunResult, next: number | null): Outcome {
  const { job, handler } = run
  const failure = failureOf(run, ending)
  if (failure !== null) return afterFailure(job, handler, failure, next)
  if (ending === null || codeOf(run.stopReason) === 'JOB_CANCELLED') return { is: 'done' }
  return { is: 'again', due: Date.now(), error: job.error, attempts: job.attempts - 1 }
}

/** Returns what to store for a failed attempt. */
export function afterFailure(
  { attempts }: Pick<JobRow, 'attempts'>,
  { retries, delay }: Pick<Handler, 'retries' | 'delay'>,
  failure: Error,
  next: number | null,
): Outcome {
  const error = messageOf(failure).slice(0, MAX_ERROR_CHARACTERS)
  if (attempts > retries) return next === null ? { is: 'dead', error } : { is: 'again', due: next, error, attempts: 0 }
  const wait = jittered(Math.min(MAX_DELAY_MS, delay * 1000 * 2 ** (attempts - 1)))
  return { is: 'again', due: Math.min(Math.round(Date.now() + wait), next ?? Infinity), error, attempts }
}

const codeOf = (reason: Error | undefined) => (reason as { code?: string } | undefined)?.code
