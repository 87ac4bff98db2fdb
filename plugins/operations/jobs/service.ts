import { RestError, validateValue, type ArgumentSchema } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Handlers } from './handlers.ts'
import type { Job, JobHandler, JobQuery, Jobs, NewJobOptions, ScheduleOptions } from './job.ts'
import { jobOf, type Queue } from './queue.ts'
import type { JobRunner } from './runner.ts'
import type { Schedules } from './schedules.ts'

/** Longest key, in characters: keys are in an index. */
const LONGEST_KEY = 191
/** The end of the year 9999. */
const LAST_MOMENT = 253_402_300_799_000

/** What plugins are given of jobs. */
export class JobService implements Jobs {
  readonly #handlers: Handlers
  readonly #queue: Queue
  readonly #schedules: Schedules
  readonly #runner: JobRunner

  constructor(handlers: Handlers, queue: Queue, schedules: Schedules, runner: JobRunner) {
    this.#handlers = handlers
    this.#queue = queue
    this.#schedules = schedules
    this.#runner = runner
  }

  handle<const S extends ArgumentSchema>(name: string, handler: JobHandler<S>): void {
    this.#handlers.set(name, handler)
  }

  async add(name: string, payload: unknown = null, options: NewJobOptions = {}): Promise<number> {
    const { key = '' } = options
    const { owner } = this.#handlers.needed(name)
    if (key.length > LONGEST_KEY) throw errors.JOB_KEY_TOO_LONG(name, LONGEST_KEY)
    const text = this.#payloadText(name, payload)
    return await this.#queue.add({
      name,
      key,
      plugin: owner.name,
      due: dueAt(name, options),
      payload: text,
      schedule: '',
    })
  }

  schedule(name: string, pattern: string, options: ScheduleOptions = {}): void {
    this.#handlers.needed(name)
    this.#schedules.set(name, pattern, this.#payloadText(name, options.payload ?? null), options)
    this.#runner.wakeSchedules()
  }

  async list(query?: JobQuery): Promise<Job[]> {
    return (await this.#queue.rows(query)).map(jobOf)
  }

  retry(id: number): Promise<boolean> {
    return this.#queue.change(id, ['waiting', 'dead'], { state: 'waiting', due: Date.now(), attempts: 0 })
  }

  async cancel(id: number): Promise<boolean> {
    const removed = await this.#queue.change(id, ['waiting', 'dead'], null)
    return removed || this.#queue.change(id, ['running'], { cancelled: 1 })
  }

  /**
   * Runs a job of a name here and now: the one of its schedule, or a new one.
   * @returns why it failed; null where it did not
   * @throws JOB_UNKNOWN, JOB_PAYLOAD_INVALID
   */
  async runNow(name: string, payload?: unknown): Promise<Error | null> {
    this.#handlers.needed(name)
    const scheduled = (await this.#queue.rows({ name })).find((row) => row.schedule !== '')
    const id = scheduled !== undefined && payload === undefined ? scheduled.id : await this.add(name, payload)
    return this.#runner.runNow(id, name)
  }

  #payloadText(name: string, payload: unknown): string {
    const { schema } = this.#handlers.needed(name)
    const valid = schema === undefined ? true : validateValue(payload, schema, 'payload')
    if (valid instanceof RestError) throw errors.JOB_PAYLOAD_INVALID(name, valid.message)
    const text = JSON.stringify(payload) as string | undefined
    if (text === undefined) throw errors.JOB_PAYLOAD_INVALID(name, 'its payload is nothing that JSON can say.')
    return text
  }
}

/** @throws JOB_TIME_INVALID */
function dueAt(name: string, { in: seconds, at }: NewJobOptions): number {
  const due = at === undefined ? Date.now() + (seconds ?? 0) * 1000 : at.getTime()
  if (!(due >= 0 && due <= LAST_MOMENT)) throw errors.JOB_TIME_INVALID(name)
  return Math.round(due)
}
