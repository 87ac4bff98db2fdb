import { runDetached, type PluginContext } from '../../../kernel/index.ts'
import { withoutDependencies } from '../../library/caching/index.ts'
import type { Change } from '../../storage/store/index.ts'
import type { ConfigEndpoints } from './config-endpoints.ts'
import type { Deliveries } from './deliveries.ts'
import { WEBHOOKS_TAG, type Endpoints } from './endpoints.ts'
import { isSent } from './messages.ts'
import type { Planner } from './planner.ts'
import { Sender, type SenderParts } from './sender.ts'

/** The job that sends deliveries. There is only one, so only one process sends at a time. */
const SENDER = 'webhooks'
/**
 * The job that adds the sender when the next delivery is due. A separate job: adding the sender itself again with a
 * later time would postpone a sender that should run now.
 */
const LATER_JOB_NAME = 'webhooks-later'
/** Minimum milliseconds between two added jobs. */
const JOB_GAP_MS = 100
/** Milliseconds after a change in another process before checking whether it was sent. */
const OTHERS_CHECK_DELAY_MS = 2000
/** Milliseconds between two such checks in any case. */
const CHECK_INTERVAL_MS = 60_000
/** Milliseconds between two removals of old deliveries. */
const CLEANING_INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000

/** Starts the sender in one process as soon as there is something to send. */
export class Starter {
  readonly #plugin: PluginContext
  readonly #endpoints: Endpoints
  readonly #deliveries: Deliveries
  readonly #planner: Planner
  /** Days for which finished and dead deliveries are stored. */
  readonly #retentionDays: number
  #sender: Sender | null = null
  #serves = false
  #isStopped = false
  #checkInterval: NodeJS.Timeout | undefined
  #gapTimer: NodeJS.Timeout | undefined
  #checkTimer: NodeJS.Timeout | undefined
  #isPokedDuringGap = false
  #cleanedAt = 0

  /** @param retentionDays days for which finished and dead deliveries are stored */
  constructor(parts: SenderParts, retentionDays: number) {
    const { plugin, endpoints, deliveries, planner } = parts
    this.#plugin = plugin
    this.#endpoints = endpoints
    this.#deliveries = deliveries
    this.#planner = planner
    this.#retentionDays = retentionDays
    const { jobs } = plugin.services
    const forever = { concurrency: 1, retries: Infinity, timeout: Infinity }
    jobs.handle(SENDER, { ...forever, delay: 1, run: (_, { signal }) => this.#run(new Sender(parts, signal), signal) })
    jobs.handle(LATER_JOB_NAME, { retries: Infinity, delay: 1, run: () => this.#addJob() })
  }

  /**
   * Starts sending changes committed by this process and waiting deliveries. Resolves once the webhooks have been read.
   */
  async start(config: ConfigEndpoints): Promise<void> {
    if (this.#isStopped) return
    this.#serves = true
    this.#checkInterval = setInterval(() => this.#checkSoon(0), CHECK_INTERVAL_MS).unref()
    await this.#detached(async () => {
      await config.ensure()
      await this.#pokeIfNeeded()
    })
  }

  /** Stops starting senders. */
  stop(): void {
    this.#serves = false
    this.#isStopped = true
    for (const timer of [this.#checkInterval, this.#gapTimer, this.#checkTimer]) clearTimeout(timer)
  }

  /** Handles changes committed by this process or another one. @param changes null if anything may have changed */
  handleChanges(changes: readonly Change[] | null, areOwn: boolean): void {
    const areWebhooks = changes === null || changes.some(({ tags }) => tags.includes(WEBHOOKS_TAG))
    if (areWebhooks) this.#endpoints.forget()
    if (!this.#serves || this.#endpoints.enabled === 0) return
    if (!areWebhooks && !changes.some(isSent)) return
    if (areOwn || areWebhooks || this.#sender !== null) void this.#detached(() => this.#pokeIfNeeded())
    else this.#checkSoon(OTHERS_CHECK_DELAY_MS)
  }

  /** Starts the sender if a webhook is enabled. */
  async #pokeIfNeeded(): Promise<void> {
    if (this.#endpoints.enabled !== null || (await this.#endpoints.active()).length > 0) this.#poke()
  }

  #poke(): void {
    if (!this.#serves) return
    if (this.#sender !== null) return this.#sender.poke()
    if (this.#gapTimer !== undefined) {
      this.#isPokedDuringGap = true
      return
    }
    this.#gapTimer = setTimeout(() => {
      this.#gapTimer = undefined
      if (!this.#isPokedDuringGap) return
      this.#isPokedDuringGap = false
      this.#poke()
    }, JOB_GAP_MS).unref()
    void this.#detached(() => this.#addJob())
  }

  async #addJob(): Promise<void> {
    await this.#plugin.services.jobs.add(SENDER, null, { key: 'sender' })
  }

  /** Checks after a delay whether changes were sent: commands and imports commit many changes and send none. */
  #checkSoon(milliseconds: number): void {
    this.#checkTimer ??= setTimeout(() => {
      this.#checkTimer = undefined
      if (this.#endpoints.enabled === 0) return
      void this.#detached(async () => {
        if (this.#sender !== null || (await this.#planner.isBehind())) this.#poke()
      })
    }, milliseconds).unref()
  }

  /**
   * Runs work that belongs to no request, even if a request triggered it. If the database is unavailable, retries
   * later.
   */
  async #detached(work: () => Promise<void>): Promise<void> {
    try {
      await runDetached(() => withoutDependencies(work))
    } catch (err) {
      // A stop closes the database while work is in progress.
      if (this.#isStopped) return
      this.#plugin.log.error({ err }, 'checking for webhooks to send failed')
      if (this.#serves) this.#checkSoon(OTHERS_CHECK_DELAY_MS)
    }
  }

  async #run(sender: Sender, signal: AbortSignal): Promise<void> {
    this.#sender = sender
    let next: number
    try {
      next = await sender.run()
    } finally {
      this.#sender = null
    }
    signal.throwIfAborted()
    // A change arrived while the sender was ending.
    if (sender.isBehind) this.#poke()
    if (next < Infinity)
      await this.#plugin.services.jobs.add(LATER_JOB_NAME, null, { key: 'later', at: new Date(next) })
    if (performance.now() - this.#cleanedAt < CLEANING_INTERVAL_MS && this.#cleanedAt > 0) return
    this.#cleanedAt = performance.now()
    await this.#deliveries.forget(Date.now() - this.#retentionDays * DAY_MS)
  }
}
