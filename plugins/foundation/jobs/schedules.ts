import { createRequire } from 'node:module'
import type * as Croner from 'croner'
import { currentOwner, OwnedMap, type PluginContext } from '../../../kernel/index.ts'
import { zoneOffset, type TimeZone } from '../../resources/index.ts'
import { errors } from './errors.ts'
import type { ScheduleOptions } from './job.ts'
import { SCHEDULE_KEY, type Queue } from './queue.ts'

// Loaded by the first schedule, because many sites have none.
const require = createRequire(import.meta.url)
const croner = () => require('croner') as typeof Croner

interface Schedule {
  readonly pattern: string
  readonly zone: TimeZone | undefined
  readonly payload: string
  readonly plugin: string
}

const FIXED = /^(?:UTC)?(?:[+-].*)?$/i

/** Manages recurring jobs. Each schedule has one job in the database, which is due at its next time. */
export class Schedules {
  readonly #entries: OwnedMap<Schedule>
  readonly #services: PluginContext['services']
  readonly #queue: Queue

  /** @param changed called when a schedule is added or removed */
  constructor({ services }: PluginContext, queue: Queue, changed: () => void) {
    this.#entries = new OwnedMap('job schedule', changed)
    this.#services = services
    this.#queue = queue
  }

  /** @throws JOB_SCHEDULE_INVALID */
  set(name: string, pattern: string, payload: string, { zone }: ScheduleOptions): void {
    try {
      if (next(pattern, zone ?? 'UTC', Date.now()) === null) throw new Error('it never comes')
    } catch (cause) {
      const reason = (cause as Error).message.replace(/^Cron\w+: /, '')
      throw errors.JOB_SCHEDULE_INVALID(name, pattern, reason, { cause })
    }
    this.#entries.set(name, { pattern, zone, payload, plugin: currentOwner().name })
  }

  /** Returns the next time of a job after a time, both in Unix milliseconds; null without a schedule. */
  async nextOf(name: string, after: number): Promise<number | null> {
    const schedule = this.#entries.get(name)
    return schedule === undefined ? null : next(schedule.pattern, await this.#zoneOf(schedule), after)
  }

  /**
   * Ensures that exactly the registered schedules have a job. A missed time is made up for; a time later than the next
   * two was computed with a wrong clock and is corrected.
   */
  async ensure(handled: (name: string) => boolean): Promise<void> {
    const rows = (await this.#queue.rows({ keys: [SCHEDULE_KEY] })).map((row) => [row.name, row] as const)
    const storedSchedules = new Map(rows)
    for (const [name, schedule] of this.#entries) {
      const { pattern, payload, plugin } = schedule
      const zone = await this.#zoneOf(schedule)
      const text = `${pattern} (${zone === '' ? 'UTC' : zone})`
      const row = storedSchedules.get(name)
      const due = next(pattern, zone, Date.now()) ?? Date.now()
      if (row?.schedule === text && row.payload === payload) {
        if (row.due > (next(pattern, zone, due) ?? due)) await this.#queue.change(row.id, ['waiting'], { due })
        continue
      }
      await this.#queue.add({ name, key: SCHEDULE_KEY, plugin, due, payload, schedule: text })
    }
    for (const [name, { id }] of storedSchedules) {
      if (handled(name) && !this.#entries.has(name)) await this.#queue.change(id, ['waiting'], null)
    }
  }

  async #zoneOf({ zone }: Schedule): Promise<TimeZone> {
    return zone ?? (await this.#services.options.get<TimeZone>('timezone', 'UTC'))
  }
}

/** Returns the next time of a pattern after a time, both in Unix milliseconds; null for never. */
function next(pattern: string, zone: TimeZone, after: number): number | null {
  const isFixed = typeof zone === 'number' || FIXED.test(zone)
  const zoneOption = isFixed ? { utcOffset: zoneOffset(zone) / 60 } : { timezone: zone }
  return new (croner().Cron)(pattern, zoneOption).nextRun(new Date(after))?.getTime() ?? null
}
