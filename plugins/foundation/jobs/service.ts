import { types } from 'node:util'
import { RestError, type ArgumentSchema } from '../../../kernel/index.ts'
import { shapeMistake, type Shapes } from '../../library/advice/index.ts'
import { validateValue } from '../../requests/arguments/index.ts'
import { errors } from './errors.ts'
import type { Handlers } from './handlers.ts'
import type { Job, JobHandler, JobQuery, Jobs, NewJobOptions, ScheduleOptions } from './job.ts'
import { jobOf, SCHEDULE_KEY, type NewJob, type Queue } from './queue.ts'
import type { JobRunner } from './runner.ts'
import type { Schedules } from './schedules.ts'

/** Maximum characters of a key, because keys are indexed. */
const MAX_KEY_CHARACTERS = 191
const NEW_JOB_SHAPE: Shapes<NewJobOptions> = { in: 'number', at: 'anything', key: 'text' }
const SCHEDULED: Shapes<ScheduleOptions> = { payload: 'anything', zone: ['text', 'number'] }
/** Common wrong names, with the right ones. */
const CORRECTIONS = {
  delay: 'in',
  wait: 'in',
  seconds: 'in',
  when: 'at',
  date: 'at',
  run_at: 'at',
  id: 'key',
  unique: 'key',
  timezone: 'zone',
  tz: 'zone',
}
/** The end of the year 9999. */
const LAST_MOMENT = 253_402_300_799_000

/** The service for plugins. */
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
    return await this.#queue.add(this.#newJob(name, payload, options))
  }

  schedule(name: string, pattern: string, options: ScheduleOptions = {}): void {
    this.#handlers.needed(name)
    const mistake = shapeMistake(options, SCHEDULED, CORRECTIONS)
    if (mistake !== null) throw errors.JOB_OPTIONS_INVALID(name, mistake)
    this.#schedules.set(name, pattern, this.#payloadText(name, options.payload ?? null), options)
  }

  async list(query?: JobQuery): Promise<Job[]> {
    return (await this.#queue.rows(query)).map(jobOf)
  }

  retry(id: number): Promise<boolean> {
    return this.#queue.change(id, ['waiting', 'dead'], { state: 'waiting', due: Date.now(), attempts: 0 })
  }

  async cancel(id: number): Promise<boolean> {
    const removed = await this.#queue.change(id, ['waiting', 'dead'], null)
    return removed || this.#queue.change(id, ['running'], { cancelled: 1, again_due: null, again_payload: null })
  }

  async runNow(name: string, payload?: unknown): Promise<Error | null> {
    this.#handlers.needed(name)
    const scheduled = (await this.#queue.rows({ name })).find((row) => row.schedule !== '')
    const isItsOwn = scheduled !== undefined && payload === undefined
    return this.#runner.runNow(name, isItsOwn ? scheduled.id : this.#newJob(name, payload ?? null, {}))
  }

  #newJob(name: string, payload: unknown, options: NewJobOptions): NewJob {
    const { owner } = this.#handlers.needed(name)
    const mistake = shapeMistake(options, NEW_JOB_SHAPE, CORRECTIONS)
    if (mistake !== null) throw errors.JOB_OPTIONS_INVALID(name, mistake)
    const { key = '' } = options
    if (key.length > MAX_KEY_CHARACTERS) throw errors.JOB_KEY_TOO_LONG(name, MAX_KEY_CHARACTERS)
    if (key === SCHEDULE_KEY) throw errors.JOB_OPTIONS_INVALID(name, `has the key ${key}, which is that of schedules`)
    const due = dueAt(name, options)
    return { name, key, plugin: owner.name, due, payload: this.#payloadText(name, payload), schedule: '' }
  }

  /** Returns the payload as JSON. @throws JOB_PAYLOAD_INVALID */
  #payloadText(name: string, payload: unknown): string {
    const { schema } = this.#handlers.needed(name)
    let text: string | undefined
    try {
      text = JSON.stringify(payload) as string | undefined
    } catch (cause) {
      throw errors.JOB_PAYLOAD_INVALID(name, `its payload is nothing that JSON can say: ${(cause as Error).message}`, {
        cause,
      })
    }
    if (text === undefined) throw errors.JOB_PAYLOAD_INVALID(name, 'its payload is nothing that JSON can say.')
    const valid = schema === undefined ? true : validateValue(JSON.parse(text), schema, 'payload')
    if (valid instanceof RestError) throw errors.JOB_PAYLOAD_INVALID(name, valid.message)
    return text
  }
}

/** @throws JOB_TIME_INVALID */
function dueAt(name: string, { in: seconds, at }: NewJobOptions): number {
  if (at !== undefined && !types.isDate(at)) throw errors.JOB_TIME_INVALID(name)
  const due = at === undefined ? Date.now() + (seconds ?? 0) * 1000 : at.getTime()
  if (!(due >= 0 && due <= LAST_MOMENT)) throw errors.JOB_TIME_INVALID(name)
  return Math.round(due)
}
