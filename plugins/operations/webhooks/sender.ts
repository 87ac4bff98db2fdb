import { setTimeout as delay } from 'node:timers/promises'
import { runAction, type PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { Attempts } from './attempt.ts'
import type { Deliveries, DueRow } from './deliveries.ts'
import type { StoredOutcome } from './delivery-sql.ts'
import { shownOf, WEBHOOKS_TAG, type Endpoint, type EndpointChange, type Endpoints } from './endpoints.ts'
import { Lane } from './lane.ts'
import { outcomeOf, type RetryOptions } from './outcome.ts'
import type { Planner } from './planner.ts'

/** Milliseconds to wait for more deliveries before ending: a job that ends and starts again writes five rows. */
const LINGER_MS = 1000
/**
 * Maximum concurrent requests to all failing webhooks together, one to each, so that hanging receivers do not delay the
 * other webhooks.
 */
const MAX_REQUESTS_TO_FAILING = 5
/** Milliseconds that requests in progress have to complete when the sender is stopped. */
const STOP_GRACE_MS = 3000

/** Dependencies of the sender. */
export interface SenderParts {
  readonly plugin: PluginContext
  readonly endpoints: Endpoints
  readonly deliveries: Deliveries
  readonly planner: Planner
  readonly attempts: Attempts
  readonly options: RetryOptions & { readonly concurrency: number }
}

interface Completed {
  readonly lane: Lane
  readonly delivery: StoredOutcome
}

/** One run of the sender: creates deliveries from changes, sends the due ones, and ends when no delivery is due. */
export class Sender {
  readonly #parts: SenderParts
  readonly #signal: AbortSignal
  readonly #lanes = new Map<number, Lane>()
  readonly #requests = new AbortController()
  #completed: Completed[] = []
  #changed = new Map<number, EndpointChange>()
  /** Whether there may be unprocessed changes. */
  #isBehind = true
  /** Whether webhooks have changed since they were last read. */
  #webhooksChanged = true
  #wake: () => void = () => {}

  constructor(parts: SenderParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
  }

  /** Whether there may be unprocessed changes. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Makes the sender look for changes. */
  poke(): void {
    this.#isBehind = true
    this.#wake()
  }

  /**
   * Sends all deliveries that are due, and waits briefly for more.
   * @returns when the next delivery is due, in Unix milliseconds; Infinity if no delivery is waiting
   */
  async run(): Promise<number> {
    const { endpoints, planner } = this.#parts
    const unsubscribe = endpoints.onChange(() => {
      this.#webhooksChanged = true
      this.#wake()
    })
    const onAbort = () => this.#wake()
    this.#signal.addEventListener('abort', onAbort)
    try {
      endpoints.forget()
      await planner.catchUp()
      while (!this.#signal.aborted) {
        if (this.#isBehind) await this.#plan()
        await this.#store()
        if (this.#webhooksChanged) await this.#updateLanes()
        await this.#send()
        if (!this.#isIdle) continue
        if (!(await this.#waitForMore())) break
      }
      return Math.min(...this.#allLanes().map(({ isOpen, nextAt }) => (isOpen ? nextAt : Infinity)))
    } finally {
      await this.#finish()
      this.#signal.removeEventListener('abort', onAbort)
      unsubscribe()
    }
  }

  #allLanes(): Lane[] {
    return [...this.#lanes.values()]
  }

  /** Whether there is nothing to do until an event arrives. */
  get #isIdle(): boolean {
    return !this.#isBehind && !this.#webhooksChanged && this.#completed.length === 0 && !this.#signal.aborted
  }

  async #plan(): Promise<void> {
    this.#isBehind = false
    const { notified, isMore } = await this.#parts.planner.plan()
    for (const id of notified) this.#lanes.get(id)?.readBy(0)
    if (isMore) this.#isBehind = true
  }

  /** Updates the lanes to the current webhooks. */
  async #updateLanes(): Promise<void> {
    this.#webhooksChanged = false
    const { endpoints, deliveries } = this.#parts
    const active = new Map((await endpoints.active()).map((endpoint) => [endpoint.id, endpoint]))
    for (const [id, lane] of this.#lanes) {
      const endpoint = active.get(id)
      lane.clear()
      // Includes recorded changes that are not stored yet.
      if (endpoint !== undefined) lane.endpoint = changed(endpoint, this.#changed.get(id) ?? {})
      else if (lane.isBusy) lane.endpoint = { ...lane.endpoint, enabled: false }
      else this.#lanes.delete(id)
    }
    for (const [id, endpoint] of active) if (!this.#lanes.has(id)) this.#lanes.set(id, new Lane(endpoint, deliveries))
  }

  /** Starts as many requests as the limits allow. */
  async #send(): Promise<void> {
    for (const lane of this.#allLanes()) {
      while (this.#hasRoom(lane) && !this.#signal.aborted) {
        const row = await lane.next()
        if (row === undefined) break
        if (lane.isFailing) this.#putLast(lane)
        void this.#attempt(lane, row)
      }
    }
  }

  /** Whether another request may be sent to a webhook. */
  #hasRoom({ requests, isFailing, isOpen }: Lane): boolean {
    if (!isOpen) return false
    if (!isFailing) return requests < this.#parts.options.concurrency
    return (
      requests === 0 &&
      this.#allLanes().filter((lane) => lane.isFailing && lane.requests > 0).length < MAX_REQUESTS_TO_FAILING
    )
  }

  /** Moves a lane to the end, so that all others come first next time. */
  #putLast(lane: Lane): void {
    this.#lanes.delete(lane.endpoint.id)
    this.#lanes.set(lane.endpoint.id, lane)
  }

  async #attempt(lane: Lane, row: DueRow): Promise<void> {
    const { attempts, options } = this.#parts
    const { endpoint } = lane
    try {
      const attempt = await attempts.send(endpoint, row.message, row.payload, 'site', this.#requests.signal)
      // Uses the current state of the webhook: other requests ran at the same time.
      const outcome = outcomeOf(row, lane.endpoint, attempt, options, Date.now())
      if (outcome.endpoint !== null) this.#record(lane, outcome.endpoint)
      this.#completed.push({ lane, delivery: outcome.delivery })
    } catch {
      // The sender was stopped: the message may have arrived, and is sent again.
      lane.resultStored(row.id)
    }
    lane.requestEnded()
    this.#wake()
  }

  #record(lane: Lane, change: EndpointChange): void {
    const { endpoint } = lane
    this.#changed.set(endpoint.id, { ...this.#changed.get(endpoint.id), ...change })
    lane.endpoint = changed(endpoint, change)
  }

  /** Stores the results of completed requests. */
  async #store(): Promise<void> {
    const completed = this.#completed
    if (completed.length === 0) return
    const { plugin, deliveries, endpoints } = this.#parts
    const changes = this.#changed
    this.#completed = []
    this.#changed = new Map()
    const outcomes = completed.map(({ delivery }) => delivery)
    const storeEndpoints = (tx: Store) => this.#storeEndpoints(tx, changes)
    const promoted = await deliveries.finish(outcomes, Date.now(), storeEndpoints).catch((error: unknown) => {
      // Keeps the results: they are stored again before this run ends.
      this.#completed = [...completed, ...this.#completed]
      for (const [id, change] of changes) this.#changed.set(id, { ...change, ...this.#changed.get(id) })
      throw error
    })
    // The list may have been read before this was stored, for example after a change to another webhook.
    if (changes.size > 0) endpoints.reread()
    for (const { lane, delivery } of completed) {
      lane.resultStored(delivery.id)
      if (promoted > 0) lane.readBy(0)
      if (delivery.state === 'waiting') lane.readBy(delivery.due)
    }
    for (const [id, { reason }] of changes) {
      if (reason !== undefined) plugin.log.warn({ webhook: id, reason }, 'webhook disabled')
    }
    for (const { lane, delivery } of completed)
      if (delivery.state === 'dead') await this.#reportDead(lane.endpoint, delivery)
  }

  async #storeEndpoints(tx: Store, changes: ReadonlyMap<number, EndpointChange>): Promise<void> {
    const { endpoints } = this.#parts
    for (const [id, change] of changes) await endpoints.update(id, change)
    if (![...changes.values()].some(({ enabled }) => enabled === 0)) return
    await endpoints.keepCursor()
    await tx.changes.touch([WEBHOOKS_TAG])
  }

  /** Logs a dead delivery and runs the action `webhook_dead`. */
  async #reportDead(endpoint: Endpoint, { id, status, error }: StoredOutcome): Promise<void> {
    const { plugin, deliveries } = this.#parts
    const { hooks, log } = plugin
    log.warn({ webhook: endpoint.id, delivery: id, status, error }, 'webhook delivery is dead: every attempt failed')
    if (!hooks.webhook_dead.isUsed()) return
    try {
      await runAction(hooks.webhook_dead, await deliveries.get(endpoint.id, id), shownOf(endpoint))
    } catch (err) {
      log.error({ err }, 'a tap of webhook_dead failed')
    }
  }

  /**
   * Waits until there is more to do. Resolves to false if no request is in progress and none was started for a while.
   */
  async #waitForMore(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const lanes = this.#allLanes()
    const isBusy = lanes.some(({ requests }) => requests > 0)
    const openLanes = lanes.filter((lane) => this.#hasRoom(lane))
    const wait = Math.min(...openLanes.map(({ nextAt }) => nextAt)) - Date.now()
    // Reading the state also announces changes by other processes.
    this.#parts.plugin.services.changes.state()
    if (!this.#isIdle) return true
    if (wait <= 0) return true
    this.#wake = () => resolve(true)
    const isLast = !isBusy && wait > LINGER_MS
    const timer = setTimeout(() => resolve(!isLast), Math.min(wait, LINGER_MS))
    timer.unref()
    const hasMore = await promise
    clearTimeout(timer)
    this.#wake = () => {}
    return hasMore
  }

  /** Waits briefly for the requests in progress, aborts the rest, and stores the results. */
  async #finish(): Promise<void> {
    const end = performance.now() + STOP_GRACE_MS
    const hasRequests = () => this.#allLanes().some(({ requests }) => requests > 0)
    while (hasRequests() && performance.now() < end) await delay(5)
    this.#requests.abort(new Error('The server is stopping, or the plugin was removed.'))
    while (hasRequests() && performance.now() < end + STOP_GRACE_MS) await delay(5)
    await this.#store()
  }
}

/** Applies a recorded change to a webhook. */
function changed(
  endpoint: Endpoint,
  { paused_until: paused, failing_since: failing, enabled }: EndpointChange,
): Endpoint {
  const moment = (time: number | undefined, before: Date | null) =>
    time === undefined ? before : time === 0 ? null : new Date(time)
  return {
    ...endpoint,
    pausedUntil: moment(paused, endpoint.pausedUntil),
    failingSince: moment(failing, endpoint.failingSince),
    enabled: enabled === undefined ? endpoint.enabled : enabled === 1,
  }
}
