import type { DueRow, Deliveries } from './deliveries.ts'
import type { Endpoint } from './endpoints.ts'

/** Deliveries that are read in one go. */
const DELIVERIES_PER_PAGE = 100
/** Milliseconds after which what was read is read anew: a process that was taken for dead then sends nothing of old. */
const MAX_READ_AGE_MS = 5000

/** The deliveries of one webhook: those in progress, and those that were read to be sent next. */
export class Lane {
  endpoint: Endpoint
  readonly #deliveries: Deliveries
  /** IDs of deliveries that are under way, or whose outcome is not stored. */
  readonly #open = new Set<number>()
  #read: DueRow[] = []
  /** By the clock that nobody sets. */
  #readAt = 0
  /** When there may be something to read, in Unix milliseconds. */
  #lookAt = 0
  /** Requests under way. */
  #flying = 0

  constructor(endpoint: Endpoint, deliveries: Deliveries) {
    this.endpoint = endpoint
    this.#deliveries = deliveries
  }

  get flying(): number {
    return this.#flying
  }

  /** Whether it may be sent anything: one of another process's config has no secret here, and is left to that one. */
  get isOpen(): boolean {
    return this.endpoint.enabled && this.endpoint.secrets.length > 0
  }

  /** Whether no attempt has succeeded since one has failed. */
  get isFailing(): boolean {
    return this.endpoint.failingSince !== null
  }

  /** Whether deliveries are under way, or their outcomes not stored. */
  get isBusy(): boolean {
    return this.#open.size > 0
  }

  /** When there may be something to send, in Unix milliseconds; Infinity for never. */
  get nextAt(): number {
    const at = this.#read.length > 0 ? 0 : this.#lookAt
    return Math.max(at, this.endpoint.pausedUntil?.getTime() ?? 0)
  }

  /** Has the database looked at not later than at a moment. */
  lookAt(time: number): void {
    this.#lookAt = Math.min(this.#lookAt, time)
  }

  /** Forgets what was read and is not under way. */
  clear(): void {
    this.#read = []
    this.#lookAt = 0
  }

  /** The next delivery that is to be sent now; undefined where there is none. */
  async next(): Promise<DueRow | undefined> {
    if (this.nextAt > Date.now()) return undefined
    if (this.#read.length === 0 || performance.now() - this.#readAt > MAX_READ_AGE_MS) await this.#look()
    const row = this.#read.shift()
    if (row === undefined) return undefined
    this.#open.add(row.id)
    this.#flying += 1
    return row
  }

  /** Notes that a request is over. */
  landed(): void {
    this.#flying -= 1
  }

  /** Notes that the outcome of a delivery is stored, or that it has none. */
  settled(id: number): void {
    this.#open.delete(id)
  }

  async #look(): Promise<void> {
    const now = Date.now()
    const { id } = this.endpoint
    // Before the look, so that whoever says that there is more meanwhile is heard.
    this.#lookAt = Infinity
    const most = this.#open.size + DELIVERIES_PER_PAGE
    const due = await this.#deliveries.due(id, now, most)
    this.#read = due.filter((row) => !this.#open.has(row.id))
    this.#readAt = performance.now()
    this.lookAt(due.length < most ? await this.#deliveries.nextDue(id, now) : now)
  }
}
