import type { Logger } from 'pino'
import { thrownError } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Handler } from './handlers.ts'
import { SCHEDULE_KEY, type JobRow } from './queue.ts'

/** Result of a run: null if the handler succeeded, otherwise its error. */
export type RunResult = { readonly error: Error } | null

/** A job that this process runs. */
export class Run {
  readonly job: JobRow
  readonly handler: Handler
  /** Resolves when the handler has ended, successfully or not. */
  readonly ended: Promise<RunResult>
  /** Whether it exceeded its time limit. */
  isOverdue = false
  /** Whether the handler has ended. */
  isOver = false
  /** Monotonic time at which it was first stopped. */
  stoppedAt = Infinity
  readonly #controller = new AbortController()

  constructor(job: JobRow, handler: Handler, log: Logger) {
    this.job = job
    this.handler = handler
    this.ended = this.#work(log.child({ job: job.name, job_id: job.id }))
  }

  /** Why it was stopped; undefined if it was not. */
  get stopReason(): Error | undefined {
    return this.#controller.signal.aborted ? (this.#controller.signal.reason as Error) : undefined
  }

  stop(reason: Error): void {
    if (this.stopReason !== undefined) return
    this.stoppedAt = performance.now()
    this.#controller.abort(reason)
  }

  async #work(log: Logger): Promise<RunResult> {
    const { job, handler } = this
    const { timeout, owner } = handler
    const timer = setTimeout(
      () => {
        this.isOverdue = true
        this.stop(errors.JOB_TIMED_OUT(timeout))
      },
      Math.min(timeout * 1000, MAX_TIMER_MS),
    )
    timer.unref()
    const { signal } = this.#controller
    const key = job.key === SCHEDULE_KEY ? '' : job.key
    try {
      const payload = JSON.parse(job.payload) as unknown
      await owner.run(() => handler.run(payload, { id: job.id, key, attempt: job.attempts, signal, log }))
      return null
    } catch (thrown) {
      return { error: thrownError(thrown) }
    } finally {
      this.isOver = true
      clearTimeout(timer)
    }
  }
}

/** Maximum delay of a timer in milliseconds. */
const MAX_TIMER_MS = 2_147_483_647
