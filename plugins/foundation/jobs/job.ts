import type { Logger } from 'pino'
import type { ArgumentSchema, Awaitable } from '../../../kernel/index.ts'
import type { ValueOf } from '../../library/schemas/index.ts'
import type { TimeZone } from '../../resources/index.ts'

/** One run of a job, as passed to its handler. */
export interface JobRun {
  readonly id: number
  /** `''` for a job without a key. */
  readonly key: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /**
   * Aborted when the time limit is exceeded, the job is canceled, the server stops, the plugin is removed, or this
   * process could not send heartbeats and another process may run the job. Pass it to every operation that waits.
   */
  readonly signal: AbortSignal
  /** Logs with the name and ID of the job. */
  readonly log: Logger
}

/** Handles the jobs of a name. */
export interface JobHandler<S extends ArgumentSchema = ArgumentSchema> {
  /** Schema of the payload; validated when a job is added. */
  readonly schema?: S
  /** Number of retries of a failed job; 5 by default. */
  readonly retries?: number
  /**
   * Seconds before the first retry, 10 by default. Each further retry waits twice as long, at most one hour, with a
   * jitter of 20 %.
   */
  readonly delay?: number
  /** Seconds after which `signal` is aborted; 300 by default. */
  readonly timeout?: number
  /**
   * Maximum number of jobs of this name that a process runs concurrently; by default limited only by the plugin option.
   */
  readonly concurrency?: number
  /** Does the work. If it throws, the job is retried. */
  run(payload: ValueOf<S>, run: JobRun): Awaitable<void>
}

/** Time and key of a new job. */
export interface NewJobOptions {
  /** Delay in seconds. */
  readonly in?: number
  /** Time of the job, instead of `in`. */
  readonly at?: Date
  /**
   * At most one job of a name has this key: a waiting or dead job with the key gets the new payload and time. A running
   * job runs a second time afterwards.
   */
  readonly key?: string
}

/** Options of a schedule. */
export interface ScheduleOptions {
  readonly payload?: unknown
  /** Time zone of the pattern; the site's time zone by default. */
  readonly zone?: TimeZone
}

/** A job in the database. */
export interface Job {
  readonly id: number
  readonly name: string
  /** `''` for a job without a key. */
  readonly key: string
  /** The plugin that registered the handler. */
  readonly plugin: string
  /** `dead` once every attempt has failed: it is stored until it is retried, canceled or expires. */
  readonly state: 'waiting' | 'running' | 'dead'
  /** Time at which the job starts or has started. */
  readonly due: Date
  readonly payload: unknown
  /** Cron pattern of a recurring job; `''` for other jobs. */
  readonly schedule: string
  /** Number of started attempts. */
  readonly attempts: number
  /** Error of the last attempt; `''` without an error. */
  readonly error: string
}

/** Filters jobs; without properties it matches all. */
export interface JobQuery {
  readonly name?: string
  readonly keys?: readonly string[]
  readonly state?: Job['state']
}

/** Work that one of the server processes does later. */
export interface Jobs {
  /**
   * Handles the jobs of a name until the plugin is removed: running jobs are then stopped, the others wait for another
   * handler. A job runs in one process at a time. After a crash it runs again, so its work can be done twice.
   */
  handle<const S extends ArgumentSchema>(name: string, handler: JobHandler<S>): void
  /**
   * Adds a job. Within a transaction of the store, the job is added only if the transaction commits.
   * @returns the ID of the job
   * @throws JOB_UNKNOWN, JOB_PAYLOAD_INVALID, JOB_TIME_INVALID
   */
  add(name: string, payload?: unknown, options?: NewJobOptions): Promise<number>
  /**
   * Runs a job repeatedly by a cron pattern of five fields, or six with seconds: `0 3 * * *`. A name has one schedule.
   * Runs that were missed while no server was running are made up for by a single run.
   * @throws JOB_UNKNOWN, JOB_PAYLOAD_INVALID, JOB_SCHEDULE_INVALID
   */
  schedule(name: string, pattern: string, options?: ScheduleOptions): void
  /** Returns waiting, running and dead jobs, sorted by due time. */
  list(query?: JobQuery): Promise<Job[]>
  /** Runs a waiting or dead job immediately, with all retries; returns false if no such job has this ID. */
  retry(id: number): Promise<boolean>
  /**
   * Runs a job of a name in this process now: the job of its schedule, or a new one. If the process is killed, another
   * one runs the job again.
   * @returns the error of the run, or null
   * @throws JOB_UNKNOWN, JOB_PAYLOAD_INVALID
   */
  runNow(name: string, payload?: unknown): Promise<Error | null>
  /**
   * Removes a job; a running job is aborted. The next run of a schedule is not affected. Returns false if no job has
   * this ID.
   */
  cancel(id: number): Promise<boolean>
}
