import type { DueRow, Deliveries } from './deliveries.ts'
import type { Endpoint } from './endpoints.ts'

/** Deliveries read in one query. */
const DELIVERIES_PER_PAGE = 100
/**
 * Milliseconds after which deliveries are read again, so that a process considered dead does not send outdated ones.
 */
const MAX_READ_AGE_MS = 5000

/** The deliveries of one webhook that are in progress or read to be sent next. */
export class Lane {
  endpoint: Endpoint
  readonly #deliveries: Deliveries
  /** IDs of deliveries in progress, or whose result is not stored yet. */
  readonly #open = new Set<number>()
  #read: DueRow[] = []
  /** On the monotonic clock. */
  #readAt = 0
  /** When there may be something to read, in Unix milliseconds. */
  #readNextAt = 0
  /** Number of requests in progress. */
  #requests = 0

  constructor(endpoint: Endpoint, deliveries: Deliveries) {
    this.endpoint = endpoint
    this.#deliveries = deliveries
  }

  get requests(): number {
    return this.#requests
  }

  /**
   * Whether deliveries can be sent. A webhook from the config of another process has no secret here; that process sends
   * them.
   */
  get isOpen(): boolean {
    return this.endpoint.enabled && this.endpoint.secrets.length > 0
  }

  /** Whether the latest attempt failed. */
  get isFailing(): boolean {
    return this.endpoint.failingSince !== null
  }

  /** Whether deliveries are in progress, or their results are not stored yet. */
  get isBusy(): boolean {
    return this.#open.size > 0
  }

  /** When there may be something to send, in Unix milliseconds; Infinity for never. */
  get nextAt(): number {
    const at = this.#read.length > 0 ? 0 : this.#readNextAt
    return Math.max(at, this.endpoint.pausedUntil?.getTime() ?? 0)
  }

  /** Schedules the next read of the database, no later than at `time`. */
  readBy(time: number): void {
    this.#readNextAt = Math.min(this.#readNextAt, time)
  }

  /** Drops the deliveries that were read and are not in progress. */
  clear(): void {
    this.#read = []
    this.#readNextAt = 0
  }

  /** The next delivery to send now; undefined if no delivery is due. */
  async next(): Promise<DueRow | undefined> {
    if (this.nextAt > Date.now()) return undefined
    if (this.#read.length === 0 || performance.now() - this.#readAt > MAX_READ_AGE_MS) await this.#readDue()
    const row = this.#read.shift()
    if (row === undefined) return undefined
    this.#open.add(row.id)
    this.#requests += 1
    return row
  }

  /** Records that a request has ended. */
  requestEnded(): void {
    this.#requests -= 1
  }

  /** Records that the result of a delivery is stored, or that it has no result. */
  resultStored(id: number): void {
    this.#open.delete(id)
  }

  async #readDue(): Promise<void> {
    const now = Date.now()
    const { id } = this.endpoint
    // Before the read, so that a call of readBy() during it is not lost.
    this.#readNextAt = Infinity
    const limit = this.#open.size + DELIVERIES_PER_PAGE
    const due = await this.#deliveries.due(id, now, limit)
    this.#read = due.filter((row) => !this.#open.has(row.id))
    this.#readAt = performance.now()
    this.readBy(due.length < limit ? await this.#deliveries.nextDue(id, now) : now)
  }
}
