import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { StoreChanges } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { Handler, Handlers } from './handlers.ts'
import { OthersRuns } from './others-runs.ts'
import type { JobRow, Outcome, Queue } from './queue.ts'
import { Run } from './run.ts'
import type { Schedules } from './schedules.ts'

/** Milliseconds between two looks at the clock, and at whether others have changed jobs; neither asks the database much. */
const TICK = 500
/** Milliseconds until jobs are looked at again that others were about to take. */
const SOON = 250
/** Milliseconds until the next look after one that failed. */
const RETRY = 2000
/** The longest wait between two attempts, in milliseconds. */
const LONGEST_DELAY = 3_600_000
const DAY = 86_400_000
/** How often the end of a run is stored anew where the database does not take it. */
const END_ATTEMPTS = 5

export interface RunnerOptions {
  /** How many jobs this process runs at once. */
  atOnce: number
  /** Milliseconds for which who runs a job may say nothing. */
  lease: number
  /** Days that dead jobs are kept. */
  keep: number
  /** Milliseconds that runs may take to stop. */
  grace: number
}

interface Parts {
  queue: Queue
  schedules: Schedules
  changes: StoreChanges
  log: Logger
  options: RunnerOptions
}

/** Runs jobs in this process, when they are due. */
export class JobRunner {
  readonly #parts: Parts
  readonly #handlers: () => Handlers
  readonly #runs = new Map<number, Run>()
  readonly #others: OthersRuns
  /** Runs what is about no request, though a request set it off. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #timer: NodeJS.Timeout | undefined
  #beating: NodeJS.Timeout | undefined
  /** When the next job is due, in Unix milliseconds. */
  #due = Infinity
  /** Whether something has come that the last look did not see. */
  #isWoken = false
  /** Whether a schedule, or the time zone of the site, is another one than in the database. */
  #areSchedulesNew = false
  #looking: Promise<void> | null = null
  #lookAgain = false
  #serves = false

  constructor(parts: Parts, handlers: () => Handlers) {
    this.#parts = parts
    this.#handlers = handlers
    this.#others = new OthersRuns(parts.options.lease)
  }

  /** Begins to run jobs. */
  async start(): Promise<void> {
    this.#serves = true
    const { log, queue } = this.#parts
    for (const { name, plugin, count } of await queue.waitingFor(this.#handlers().names())) {
      log.warn(
        { job: name, owner: plugin, count },
        `${count} jobs ${name} wait for the plugin ${plugin}, which does not run`,
      )
    }
    await this.#ensureSchedules()
    await this.#look()
  }

  /** Begins no further job, and has those that run stop; waits for them for a while. */
  async stop(): Promise<void> {
    this.#serves = false
    clearTimeout(this.#timer)
    await this.#looking?.catch(() => {})
    await this.#stopRuns([...this.#runs.values()])
    clearInterval(this.#beating)
  }

  /** Stops the runs of a handler that goes. */
  stopRunsOf(handler: Handler): Promise<void> {
    return this.#stopRuns([...this.#runs.values()].filter((run) => run.handler === handler))
  }

  /** Looks at the schedules first: one has come, or the site has another time zone. */
  wakeSchedules(): void {
    this.#areSchedulesNew = true
    this.wake()
  }

  /** Looks at what is due, unless it does not run jobs. */
  wake(): void {
    if (!this.#serves) return
    // Not by `#due`, which a look that is under way is about to set.
    this.#isWoken = true
    this.#tickIn(0)
  }

  /** Runs a job here and now, whether it is due or not. @returns why it failed; null where it did not */
  async runNow(id: number, name: string): Promise<Error | null> {
    const [job] = await this.#parts.queue.claim([name], Date.now(), 1, id)
    if (job === undefined) return errors.JOB_NOT_DONE(name, 'another process runs it.')
    const ending = await this.#begin(job)
    return ending === null ? null : (ending.error as Error)
  }

  #tickIn(milliseconds: number): void {
    if (!this.#serves) return
    clearTimeout(this.#timer)
    this.#timer = this.#outside(() => setTimeout(() => void this.#tick(), Math.max(0, milliseconds)).unref())
  }

  async #tick(): Promise<void> {
    try {
      // Who listens hears of it.
      this.#parts.changes.state()
      if (this.#areSchedulesNew) await this.#ensureSchedules()
      if (this.#isWoken || Date.now() >= this.#due || this.#others.isTimeToLook()) await this.#look()
    } catch (err) {
      this.#parts.log.error({ err }, 'jobs were not looked at')
      this.#areSchedulesNew = true
      this.#due = Date.now() + RETRY
    }
    this.#tickIn(this.#isWoken ? 0 : Math.min(TICK, this.#due - Date.now()))
  }

  #ensureSchedules(): Promise<void> {
    const handlers = this.#handlers()
    this.#areSchedulesNew = false
    return this.#parts.schedules.ensure((name) => handlers.get(name) !== undefined)
  }

  /** Looks once; once more where somebody asks for it meanwhile. */
  #look(): Promise<void> {
    if (this.#looking !== null) {
      this.#lookAgain = true
      return this.#looking
    }
    const look = async () => {
      try {
        do {
          this.#lookAgain = false
          await this.#lookOnce()
        } while (this.#lookAgain && this.#serves)
      } finally {
        this.#looking = null
      }
    }
    const looking = look()
    this.#looking = looking
    this.#tickIn(TICK)
    return looking
  }

  async #lookOnce(): Promise<void> {
    const { queue } = this.#parts
    this.#isWoken = false
    const active = await queue.running()
    for (const { id, cancelled } of active) if (cancelled === 1) this.#runs.get(id)?.stop(errors.JOB_CANCELLED())
    const handlers = this.#handlers()
    const others = active.filter(({ id, name }) => !this.#runs.has(id) && handlers.get(name) !== undefined)
    for (const job of this.#others.abandoned(others)) await this.#takeOver(job, handlers.needed(job.name))
    await this.#takeDue()
  }

  async #takeDue(): Promise<void> {
    const { log, options, queue } = this.#parts
    for (;;) {
      const names = this.#freeNames()
      const free = options.atOnce - this.#count(() => true)
      if (names.length === 0 || free <= 0 || !this.#serves) {
        // Who ends a run looks again.
        this.#due = Infinity
        return
      }
      this.#due = await queue.nextDue(names)
      if (this.#due > Date.now()) return
      const most = Math.min(free, ...names.map((name) => this.#roomOf(name)))
      const taken = await queue.claim(names, Date.now(), most)
      for (const job of taken)
        void this.#begin(job).catch((err: unknown) => log.error({ err }, 'the end of a job was not stored'))
      if (taken.length > 0) continue
      this.#due = Date.now() + SOON
      return
    }
  }

  #count(which: (run: Run) => boolean): number {
    // Those whose time is over keep nobody waiting.
    return [...this.#runs.values()].filter((run) => !run.isOverdue && which(run)).length
  }

  #roomOf(name: string): number {
    const most = this.#handlers().get(name)?.at_once ?? 0
    return most - this.#count(({ job }) => job.name === name)
  }

  #freeNames(): string[] {
    return this.#handlers()
      .names()
      .filter((name) => this.#roomOf(name) > 0)
  }

  /** Runs a job that was taken; resolves once its end is stored. */
  async #begin(job: JobRow): Promise<Awaited<Run['ended']>> {
    const { log } = this.#parts
    const handler = this.#handlers().get(job.name)
    // A run that was taken for abandoned, and has not ended, is here still.
    if (handler === undefined || this.#runs.get(job.id)?.isOver === false) {
      const { attempts, error } = job
      await this.#end(job, { is: 'again', due: Date.now() + SOON, error, attempts: attempts - 1 })
      return { error: errors.JOB_STOPPED() }
    }
    const run = this.#outside(() => new Run(job, handler, log))
    this.#runs.set(job.id, run)
    this.#beat()
    const ending = await run.ended
    try {
      await this.#end(job, await this.#outcomeOf(run, ending))
    } finally {
      // Its next run may have begun, as soon as its end was stored.
      if (this.#runs.get(job.id) === run) this.#runs.delete(job.id)
      this.wake()
    }
    return ending
  }

  async #outcomeOf({ job, handler, stopReason }: Run, ending: Awaited<Run['ended']>): Promise<Outcome> {
    const { log } = this.#parts
    const next = await this.#parts.schedules.nextOf(job.name)
    const isScheduled = job.schedule !== '' && next !== null
    const code = (stopReason as { code?: string } | undefined)?.code
    if (ending !== null && code === 'JOB_STOPPED')
      return { is: 'again', due: Date.now(), error: job.error, attempts: job.attempts - 1 }
    if (ending === null || code === 'JOB_CANCELLED')
      return isScheduled ? { is: 'again', due: next, error: '', attempts: 0 } : { is: 'done' }
    const reason = code === 'JOB_TIMED_OUT' ? stopReason : ending.error
    const error = reason instanceof Error ? reason.message : String(reason)
    const outcome = this.#afterFailure(job, handler, error, isScheduled ? next : null)
    log.error({ err: reason, job: job.name, job_id: job.id, attempt: job.attempts }, outcome.is === 'dead' ? 'a job failed for good' : 'a job failed') // prettier-ignore
    return outcome
  }

  /** @param next when it comes by its schedule; null for a job without one */
  #afterFailure(job: Pick<JobRow, 'attempts'>, handler: Handler, error: string, next: number | null): Outcome {
    const { attempts } = job
    if (attempts > handler.retries) {
      return next === null ? { is: 'dead', error } : { is: 'again', due: next, error, attempts: 0 }
    }
    const delay = Math.min(LONGEST_DELAY, handler.delay * 1000 * 2 ** (attempts - 1)) * (0.8 + 0.4 * Math.random())
    return { is: 'again', due: Math.min(Math.round(Date.now() + delay), next ?? Infinity), error, attempts }
  }

  /** Stores the end of a run. Where the database is away for long, others take the job for abandoned. */
  async #end(job: Pick<JobRow, 'id' | 'owner'> & { beat?: number }, outcome: Outcome): Promise<void> {
    const { options, queue } = this.#parts
    for (let attempt = 1; ; attempt++) {
      try {
        const due = await queue.end(job, outcome)
        if (typeof due === 'number') this.#due = Math.min(this.#due, due)
        if (outcome.is === 'dead') await queue.forgetDead(Date.now() - options.keep * DAY)
        return
      } catch (error) {
        if (attempt === END_ATTEMPTS) throw error
        await wait(attempt * 200)
      }
    }
  }

  /** Lets a job whose process has ended wait for its next attempt, which is at once; too many such attempts end it. */
  async #takeOver(
    { id, name, owner, beat }: Pick<JobRow, 'id' | 'name' | 'owner' | 'beat'>,
    handler: Handler,
  ): Promise<void> {
    const { log, queue, schedules } = this.#parts
    const job = (await queue.rows({ name, state: 'running' })).find((row) => row.id === id)
    if (job === undefined) return
    log.warn({ job: name, job_id: id }, 'the process that ran a job has ended: it is taken over')
    const next = job.schedule === '' ? null : await schedules.nextOf(name)
    const outcome = this.#afterFailure(job, handler, errors.JOB_ABANDONED().message, next)
    await this.#end(
      { id, owner, beat },
      outcome.is === 'again' && job.attempts <= handler.retries ? { ...outcome, due: Date.now() } : outcome,
    )
  }

  /** Says of the runs, from now on and as long as there are any, that this process lives. */
  #beat(): void {
    const { options } = this.#parts
    let last = performance.now()
    const beat = async () => {
      if (this.#runs.size === 0) {
        clearInterval(this.#beating)
        this.#beating = undefined
        return
      }
      try {
        const began = performance.now()
        const runs = [...this.#runs.values()]
        const alive = await this.#parts.queue.beat(runs.map(({ job }) => job))
        last = began
        for (const run of runs) if (!alive.has(run.job.id) && this.#runs.has(run.job.id)) run.stop(errors.JOB_LOST())
      } catch {
        if (performance.now() - last > (options.lease * 2) / 3) {
          for (const run of this.#runs.values()) run.stop(errors.JOB_LOST())
        }
      }
    }
    this.#beating ??= this.#outside(() => setInterval(() => void beat(), options.lease / 4).unref())
  }

  async #stopRuns(runs: readonly Run[]): Promise<void> {
    if (runs.length === 0) return
    for (const run of runs) run.stop(errors.JOB_STOPPED())
    const settled = async () => {
      while (runs.some((run) => this.#runs.get(run.job.id) === run)) await wait(5)
    }
    const patience = new AbortController()
    const late = wait(this.#parts.options.grace, true, { signal: patience.signal, ref: true }).catch(() => false)
    if (await Promise.race([settled().then(() => false), late])) {
      this.#parts.log.warn('jobs that do not look at their signal go on: others take them over')
    }
    patience.abort()
  }
}
