import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { errors } from './errors.ts'
import type { Handler } from './handlers.ts'
import type { JobRow, Queue } from './queue.ts'
import { Run } from './run.ts'

/** Milliseconds between two checks whether all runs have ended. */
const IDLE_CHECK_MS = 100

/** Heartbeat lease and grace period of runs, in milliseconds. */
export interface RunTimes {
  readonly lease: number
  readonly grace: number
}

/** The runs of this process. While there are any, it sends heartbeats to the database. */
export class Runs {
  readonly #queue: Queue
  readonly #log: Logger
  readonly #times: RunTimes
  readonly #runs = new Map<number, Run>()
  /** Runs callbacks outside the context of the request that triggered them. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #beating: NodeJS.Timeout | undefined

  constructor(queue: Queue, log: Logger, times: RunTimes) {
    this.#queue = queue
    this.#log = log
    this.#times = times
  }

  begin(job: JobRow, handler: Handler): Run {
    const run = this.#outside(() => new Run(job, handler, this.#log))
    this.#runs.set(job.id, run)
    this.#beating ??= this.#outside(() => setInterval(this.#beat(), this.#times.lease / 4).unref())
    return run
  }

  get(id: number): Run | undefined {
    return this.#runs.get(id)
  }

  /** Removes a run whose end is stored; the next run of the job may have started. */
  forget(run: Run): void {
    if (this.#runs.get(run.job.id) === run) this.#runs.delete(run.job.id)
    if (this.#runs.size === 0) this.#rest()
  }

  /** Counts the runs, except runs over their time limit, which must not block others. */
  count(name?: string): number {
    const counts = (run: Run) => !run.isOverdue && (name === undefined || run.job.name === name)
    return [...this.#runs.values()].filter(counts).length
  }

  /** Waits until the ends of all runs are stored. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await wait(IDLE_CHECK_MS)
  }

  /**
   * Stops all runs or the runs of a handler, and waits until their ends are stored, at most for the grace period after
   * the first stop.
   */
  async stop(handler?: Handler): Promise<void> {
    const runs = [...this.#runs.values()].filter((run) => handler === undefined || run.handler === handler)
    for (const run of runs) run.stop(errors.JOB_STOPPED())
    const stored = () => !runs.some((run) => this.#runs.get(run.job.id) === run)
    if (stored()) return
    const left = Math.max(...runs.map(({ stoppedAt }) => stoppedAt)) + this.#times.grace - performance.now()
    if (left <= 0) return
    let isLate = false
    const timer = setTimeout(() => (isLate = true), left)
    while (!stored() && !isLate) await wait(5)
    clearTimeout(timer)
    if (isLate) this.#log.warn('jobs ignore their abort signal and keep running; another process will take them over')
  }

  #beat(): () => void {
    let last = performance.now()
    const beat = async () => {
      const runs = [...this.#runs.values()]
      const startedAt = performance.now()
      try {
        const alive = await this.#queue.beat(runs.map(({ job }) => job))
        last = startedAt
        for (const run of runs) if (!alive.has(run.job.id) && this.#runs.has(run.job.id)) run.stop(errors.JOB_LOST())
      } catch {
        if (performance.now() - last > (this.#times.lease * 2) / 3) for (const run of runs) run.stop(errors.JOB_LOST())
      }
    }
    return () => void beat()
  }

  #rest(): void {
    clearInterval(this.#beating)
    this.#beating = undefined
  }
}
