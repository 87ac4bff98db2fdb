import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { StoreChanges } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { Handler, Handlers } from './handlers.ts'
import { OthersRuns } from './others-runs.ts'
import { afterFailure, failureOf, outcomeOf } from './outcome.ts'
import type { JobRow, NewJob, Outcome, Queue, RunningJob } from './queue.ts'
import type { RunResult } from './run.ts'
import { Runs } from './runs.ts'
import type { Schedules } from './schedules.ts'

/**
 * Milliseconds between two checks of the clock and of changes by other processes; neither puts much load on the
 * database.
 */
const TICK_INTERVAL_MS = 500
/** Milliseconds until jobs that other processes were claiming are checked again. */
const CLAIM_RETRY_DELAY_MS = 250
/** Milliseconds until the next check after a failed one. */
const RETRY_DELAY_MS = 2000
/** Difference between system clock and monotonic clock, in milliseconds, that counts as a clock change. */
const CLOCK_JUMP_MS = 1000
/** If the clock is set back by at most this many milliseconds during a run, the schedule does not repeat the run. */
const MAX_CLOCK_SETBACK_MS = 60_000
const DAY_MS = 86_400_000
/** Attempts to store the end of a run. */
const END_ATTEMPTS = 5

export interface RunnerOptions {
  /** Number of jobs that this process runs concurrently. */
  concurrency: number
  /** Milliseconds without a heartbeat after which a run is abandoned. */
  lease: number
  /** Days for which dead jobs are stored. */
  retentionDays: number
  /** Maximum milliseconds for runs to stop. */
  grace: number
}

interface Parts {
  queue: Queue
  schedules: Schedules
  changes: StoreChanges
  log: Logger
  options: RunnerOptions
}

/** Runs due jobs in this process. */
export class JobRunner {
  readonly #parts: Parts
  readonly #handlers: () => Handlers
  readonly #runs: Runs
  readonly #others: OthersRuns
  /** Runs callbacks outside the context of the request that triggered them. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #timer: NodeJS.Timeout | undefined
  /** Time of the next due job, in Unix milliseconds. */
  #due = Infinity
  /** Monotonic time of the next unconditional check. */
  #nextCheckAt = Infinity
  /** Difference between the system clock and the monotonic clock. */
  #clocks = Date.now() - performance.now()
  /** Whether a change arrived after the last check. */
  #isWoken = false
  /** Whether the stored schedules are outdated: a schedule, the site's time zone or the clock changed. */
  #areSchedulesNew = false
  #checking: Promise<void> | null = null
  #checkAgain = false
  #serves = false

  constructor(parts: Parts, handlers: () => Handlers) {
    const { queue, log, options } = parts
    this.#parts = parts
    this.#handlers = handlers
    this.#runs = new Runs(queue, log, options)
    this.#others = new OthersRuns(options.lease)
  }

  /** Starts running jobs; if the database is unavailable, as soon as it is back. */
  async start(): Promise<void> {
    this.#serves = true
    this.#areSchedulesNew = true
    this.#isWoken = true
    await this.#tick()
    const { log, queue } = this.#parts
    const unhandled = await queue.waitingFor(this.#handlers().names()).catch(() => [])
    for (const { name, plugin, count } of unhandled) {
      log.warn(
        { job: name, owner: plugin, count },
        `${count} jobs ${name} wait for the plugin ${plugin}, which does not run`,
      )
    }
  }

  /** Starts no further jobs and waits for running jobs. */
  async finish(): Promise<void> {
    this.#serves = false
    clearTimeout(this.#timer)
    await this.#checking?.catch(() => {})
    await this.#runs.idle()
  }

  /** Starts no further jobs, stops running jobs, and waits for them within the grace period. */
  async stop(): Promise<void> {
    this.#serves = false
    clearTimeout(this.#timer)
    await this.#checking?.catch(() => {})
    await this.#runs.stop()
  }

  /** Stops the runs of a removed handler. */
  stopRunsOf(handler: Handler): Promise<void> {
    return this.#runs.stop(handler)
  }

  /** Updates the stored schedules first, because a schedule or the time zone of the site changed. */
  wakeSchedules(): void {
    this.#areSchedulesNew = true
    this.wake()
  }

  /** Checks for due jobs, if this process runs jobs. */
  wake(): void {
    if (!this.#serves) return
    // `#due` cannot be used, because a check in progress sets it.
    this.#isWoken = true
    this.#tickIn(0)
  }

  /** Runs a job now, by ID or a new one, due or not. @returns the error of the run, or null */
  async runNow(name: string, idOrJob: number | NewJob): Promise<Error | null> {
    const job = await this.#parts.queue.claimByHand(name, idOrJob)
    if (job === undefined) return errors.JOB_NOT_DONE(name, 'another process runs it.')
    return (await this.#begin(job))?.error ?? null
  }

  #tickIn(milliseconds: number): void {
    if (!this.#serves) return
    clearTimeout(this.#timer)
    this.#timer = this.#outside(() => setTimeout(() => void this.#tick(), Math.max(0, milliseconds)).unref())
  }

  async #tick(): Promise<void> {
    try {
      // Notifies listeners of changes by other processes.
      this.#parts.changes.state()
      if (this.#isClockSet()) this.#areSchedulesNew = true
      if (this.#areSchedulesNew) await this.#ensureSchedules()
      if (this.#isCheckDue()) await this.#check()
    } catch (err) {
      this.#parts.log.error({ err }, 'cannot query the jobs')
      this.#areSchedulesNew = true
      this.#postponeCheck(RETRY_DELAY_MS)
    }
    this.#tickIn(
      this.#isWoken ? 0 : Math.min(TICK_INTERVAL_MS, this.#due - Date.now(), this.#nextCheckAt - performance.now()),
    )
  }

  /** Checks whether the system clock was adjusted since the last call. */
  #isClockSet(): boolean {
    const before = this.#clocks
    this.#clocks = Date.now() - performance.now()
    return Math.abs(this.#clocks - before) > CLOCK_JUMP_MS
  }

  #isCheckDue(): boolean {
    if (this.#isWoken || Date.now() >= this.#due) return true
    return performance.now() >= this.#nextCheckAt || this.#others.isCheckDue()
  }

  #postponeCheck(milliseconds: number): void {
    this.#due = Infinity
    this.#nextCheckAt = performance.now() + milliseconds
  }

  #ensureSchedules(): Promise<void> {
    const handlers = this.#handlers()
    this.#areSchedulesNew = false
    return this.#parts.schedules.ensure((name) => handlers.get(name) !== undefined)
  }

  /** Checks once, and again if another check was requested in the meantime. */
  #check(): Promise<void> {
    if (this.#checking !== null) {
      this.#checkAgain = true
      return this.#checking
    }
    const check = async () => {
      try {
        do {
          this.#checkAgain = false
          await this.#claimDueJobs()
        } while (this.#checkAgain && this.#serves)
      } finally {
        this.#checking = null
      }
    }
    const looking = check()
    this.#checking = looking
    this.#tickIn(TICK_INTERVAL_MS)
    return looking
  }

  /** Claims due jobs until none is due or the limit is reached. */
  async #claimDueJobs(): Promise<void> {
    const { queue } = this.#parts
    this.#isWoken = false
    this.#nextCheckAt = Infinity
    while (this.#serves) {
      // The end of a run triggers another check.
      const names = this.#freeNames()
      const { running, due } = await queue.readState(names)
      this.#due = due
      if (await this.#endStaleRuns(running)) continue
      if (due > Date.now()) return
      const limit = Math.min(this.#countFreeSlots(), ...names.map((name) => this.#countFreeSlots(name)))
      const claimed = await queue.claim(names, Date.now(), limit)
      for (const job of claimed) {
        void this.#begin(job).catch((err: unknown) => this.#parts.log.error({ err }, 'cannot store the end of a job'))
      }
      if (claimed.length === 0) return this.#postponeCheck(CLAIM_RETRY_DELAY_MS)
    }
  }

  /** Stops canceled jobs and takes over abandoned ones. @returns whether a job was taken over */
  async #endStaleRuns(running: readonly RunningJob[]): Promise<boolean> {
    for (const { id, cancelled } of running) if (cancelled === 1) this.#runs.get(id)?.stop(errors.JOB_CANCELLED())
    const handlers = this.#handlers()
    const others = running.filter(({ id, name }) => this.#runs.get(id) === undefined && handlers.get(name))
    const abandoned = this.#others.abandoned(others)
    for (const job of abandoned) await this.#takeOver(job)
    return abandoned.length > 0
  }

  /** Returns how many more jobs can run, in total or of a name. */
  #countFreeSlots(name?: string): number {
    const limit = name === undefined ? this.#parts.options.concurrency : (this.#handlers().get(name)?.concurrency ?? 0)
    return limit - this.#runs.count(name)
  }

  #freeNames(): string[] {
    if (this.#countFreeSlots() <= 0) return []
    return this.#handlers()
      .names()
      .filter((name) => this.#countFreeSlots(name) > 0)
  }

  /** Runs a claimed job; resolves when its end is stored. */
  async #begin(job: JobRow): Promise<RunResult> {
    const handler = this.#handlers().get(job.name)
    // A run that another process considered abandoned can still be running here.
    if (handler === undefined || this.#runs.get(job.id)?.isOver === false) {
      const { attempts, error } = job
      await this.#end(job, { is: 'again', due: Date.now() + CLAIM_RETRY_DELAY_MS, error, attempts: attempts - 1 }, null)
      return { error: errors.JOB_STOPPED() }
    }
    const run = this.#runs.begin(job, handler)
    const ending = await run.ended
    try {
      const next = await this.#nextOf(job)
      const outcome = outcomeOf(run, ending, next)
      const err = failureOf(run, ending)
      if (err !== null)
        this.#parts.log.error(
          { err, job: job.name, job_id: job.id, attempt: job.attempts },
          outcome.is === 'dead' ? 'a job failed for good' : 'a job failed',
        )
      await this.#end(job, outcome, next)
    } finally {
      this.#runs.forget(run)
      this.wake()
    }
    return ending
  }

  /** Returns the next time of a job's schedule; null for a job without a schedule. */
  async #nextOf({ name, schedule, due }: Pick<JobRow, 'name' | 'schedule' | 'due'>): Promise<number | null> {
    if (schedule === '') return null
    const now = Date.now()
    return this.#parts.schedules.nextOf(name, Math.max(now, Math.min(due, now + MAX_CLOCK_SETBACK_MS)))
  }

  /**
   * Stores the end of a run. If the database stays unavailable, other processes treat the job as abandoned.
   * @param beat the last known heartbeat of another process's run
   */
  async #end(run: Pick<JobRow, 'id' | 'owner'>, outcome: Outcome, next: number | null, beat?: number): Promise<void> {
    const { options, queue } = this.#parts
    for (let attempt = 1; ; attempt++) {
      try {
        const due = await queue.end(run, outcome, next, beat)
        if (typeof due === 'number') this.#due = Math.min(this.#due, due)
        if (outcome.is === 'dead') await queue.forgetDead(Date.now() - options.retentionDays * DAY_MS)
        return
      } catch (error) {
        if (attempt === END_ATTEMPTS) throw error
        await wait(attempt * 200)
      }
    }
  }

  /** Makes an abandoned job wait for its next attempt, which is due now; after too many such attempts it is dead. */
  async #takeOver({ id, name, owner, beat }: RunningJob): Promise<void> {
    const { log, queue } = this.#parts
    const job = (await queue.rows({ name, state: 'running' })).find((row) => row.id === id)
    if (job === undefined) return
    log.warn({ job: name, job_id: id }, 'the process that ran a job has ended; this process takes the job over')
    const handler = this.#handlers().needed(name)
    const next = await this.#nextOf(job)
    const outcome = afterFailure(job, handler, errors.JOB_ABANDONED(), next)
    const isTriedAgain = outcome.is === 'again' && job.attempts <= handler.retries
    await this.#end({ id, owner }, isTriedAgain ? { ...outcome, due: Date.now() } : outcome, next, beat)
  }
}
