import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { errors } from './errors.ts'
import type { Handler } from './handlers.ts'
import type { JobRow, Queue } from './queue.ts'
import { Run } from './run.ts'

/** Milliseconds between two looks at whether all runs have ended. */
const IDLE_CHECK_MS = 100

/** How long runs may say nothing, and how long they may take to stop, in milliseconds. */
export interface RunTimes {
  readonly lease: number
  readonly grace: number
}

/** What this process runs. As long as there is something, it says in the database that it lives. */
export class Runs {
  readonly #queue: Queue
  readonly #log: Logger
  readonly #times: RunTimes
  readonly #runs = new Map<number, Run>()
  /** Runs what is about no request, though a request set it off. */
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

  /** Forgets a run whose end is stored: the next one of the job may have begun. */
  forget(run: Run): void {
    if (this.#runs.get(run.job.id) === run) this.#runs.delete(run.job.id)
    if (this.#runs.size === 0) this.#rest()
  }

  /** How many run, but for those whose time is over, which keep nobody waiting. */
  count(name?: string): number {
    const counts = (run: Run) => !run.isOverdue && (name === undefined || run.job.name === name)
    return [...this.#runs.values()].filter(counts).length
  }

  /** Waits until the ends of all runs are stored. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await wait(IDLE_CHECK_MS)
  }

  /**
   * Tells runs to stop, those of a handler or all, and waits until their ends are stored: none for longer than its grace,
   * however often it is told.
   */
  async stop(handler?: Handler): Promise<void> {
    const runs = [...this.#runs.values()].filter((run) => handler === undefined || run.handler === handler)
    for (const run of runs) run.stop(errors.JOB_STOPPED())
    const stored = () => !runs.some((run) => this.#runs.get(run.job.id) === run)
    if (stored()) return
    const left = Math.max(...runs.map(({ toldAt }) => toldAt)) + this.#times.grace - performance.now()
    if (left <= 0) return
    let isLate = false
    const timer = setTimeout(() => (isLate = true), left)
    while (!stored() && !isLate) await wait(5)
    clearTimeout(timer)
    if (isLate) this.#log.warn('jobs that do not look at their signal go on: others take them over')
  }

  #beat(): () => void {
    let last = performance.now()
    const beat = async () => {
      const runs = [...this.#runs.values()]
      const began = performance.now()
      try {
        const alive = await this.#queue.beat(runs.map(({ job }) => job))
        last = began
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
