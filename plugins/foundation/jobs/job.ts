import type { Logger } from 'pino'
import type { ArgumentSchema, Awaitable } from '../../../kernel/index.ts'
import type { ValueOf } from '../../library/schemas/index.ts'
import type { TimeZone } from '../../resources/index.ts'

/** One run of a job, as its handler sees it. */
export interface JobRun {
  readonly id: number
  /** `''` for a job without one. */
  readonly key: string
  /** From 1 on. */
  readonly attempt: number
  /**
   * Aborted when the time limit is over, the job is cancelled, the server stops, the plugin is removed, or another process
   * may be about to run the job, because this one could not say for too long that it lives. Pass it to all that waits.
   */
  readonly signal: AbortSignal
  /** Has the name and the ID of the job. */
  readonly log: Logger
}

/** What a plugin does for the jobs of one name. */
export interface JobHandler<S extends ArgumentSchema = ArgumentSchema> {
  /** What payloads have to be; checked when a job is added. */
  readonly schema?: S
  /** How often a job that failed is tried again; 5 by default. */
  readonly retries?: number
  /** Seconds before the first retry, 10 by default; each further one waits twice as long, an hour at most, 20 % more or less. */
  readonly delay?: number
  /** Seconds after which `signal` is aborted; 300 by default. */
  readonly timeout?: number
  /** How many of its jobs one process runs at once; by default as many as of all. */
  readonly at_once?: number
  /** Does the work. What it throws is the reason why the job is tried again. */
  run(payload: ValueOf<S>, run: JobRun): Awaitable<void>
}

/** When a job is done, and what it is known by. */
export interface NewJobOptions {
  /** Seconds from now. */
  readonly in?: number
  /** The moment, in place of `in`. */
  readonly at?: Date
  /**
   * There is one job of a name with this key at most: the payload and the time given take the place of those of one that
   * waits or is dead. One that is running is followed by a second run.
   */
  readonly key?: string
}

/** When jobs of a schedule come. */
export interface ScheduleOptions {
  readonly payload?: unknown
  /** That of the site by default. */
  readonly zone?: TimeZone
}

/** A job as it is in the database. */
export interface Job {
  readonly id: number
  readonly name: string
  /** `''` for none. */
  readonly key: string
  /** The plugin whose handler it is. */
  readonly plugin: string
  /** `dead` once every attempt has failed: it is kept until somebody retries or cancels it, or it is too old. */
  readonly state: 'waiting' | 'running' | 'dead'
  /** When it is to begin, or has begun. */
  readonly due: Date
  readonly payload: unknown
  /** The pattern by which it comes again; `''` for a job that is done once. */
  readonly schedule: string
  /** How many have begun. */
  readonly attempts: number
  /** Why the last attempt failed; `''` where none did. */
  readonly error: string
}

/** Which jobs are looked for; without anything all. */
export interface JobQuery {
  readonly name?: string
  readonly keys?: readonly string[]
  readonly state?: Job['state']
}

/** What is to be done later, by one of the processes that serve the site. */
export interface Jobs {
  /**
   * Handles the jobs of a name until the plugin is removed. Running jobs are stopped then, and the others wait for another
   * handler. A job runs in one process at a time. After a crash it runs again, so its work may be done twice.
   */
  handle<const S extends ArgumentSchema>(name: string, handler: JobHandler<S>): void
  /**
   * Adds a job. Within a transaction of the store it is part of that: what is taken back has no jobs.
   * @returns its ID
   * @throws JOB_UNKNOWN, JOB_PAYLOAD_INVALID, JOB_TIME_INVALID
   */
  add(name: string, payload?: unknown, options?: NewJobOptions): Promise<number>
  /**
   * Has a job of a name done again and again, by a cron pattern of five fields, or six with seconds: `0 3 * * *`. A name has
   * one schedule. Runs that were missed while no server ran are made up for by one.
   * @throws JOB_UNKNOWN, JOB_PAYLOAD_INVALID, JOB_SCHEDULE_INVALID
   */
  schedule(name: string, pattern: string, options?: ScheduleOptions): void
  /** The jobs that wait, run or are dead, those that are due first in front. */
  list(query?: JobQuery): Promise<Job[]>
  /** Runs a waiting or dead job immediately, with all its retries; false if there is no such job with this ID. */
  retry(id: number): Promise<boolean>
  /** Removes a job; one that runs is told to stop. The next run of a schedule comes all the same. False where there is none. */
  cancel(id: number): Promise<boolean>
}
