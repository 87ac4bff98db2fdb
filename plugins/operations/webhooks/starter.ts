import { runDetached, type PluginContext } from '../../../kernel/index.ts'
import { withoutDependencies } from '../../library/caching/index.ts'
import type { Change } from '../../storage/store/index.ts'
import type { ConfigEndpoints } from './config-endpoints.ts'
import type { Deliveries } from './deliveries.ts'
import { WEBHOOKS_TAG, type Endpoints } from './endpoints.ts'
import { isTold } from './messages.ts'
import type { Planner } from './planner.ts'
import { Sender, type SenderParts } from './sender.ts'

/** The job that sends: there is one, so that one process sends. */
const SENDER = 'webhooks'
/** The job that begins it again. A job of its own: the time of one that is added again is the last one given. */
const LATER_JOB_NAME = 'webhooks-later'
/** Milliseconds between two jobs that are added. */
const JOB_GAP_MS = 100
/** Milliseconds after which is looked whether anybody has sent what others have changed. */
const OTHERS_CHECK_DELAY_MS = 2000
/** Milliseconds between two such looks in any case. */
const CHECK_INTERVAL_MS = 60_000
/** Milliseconds between two removals of old deliveries. */
const CLEANING_INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000

/** Has one process send, as soon as there is something to send. */
export class Starter {
  readonly #plugin: PluginContext
  readonly #endpoints: Endpoints
  readonly #deliveries: Deliveries
  readonly #planner: Planner
  /** Days. */
  readonly #keep: number
  #sender: Sender | null = null
  #serves = false
  #isStopped = false
  #timer: NodeJS.Timeout | undefined
  #gap: NodeJS.Timeout | undefined
  #look: NodeJS.Timeout | undefined
  #isAskedAgain = false
  #cleanedAt = 0

  /** @param keep days that deliveries are kept */
  constructor(parts: SenderParts, keep: number) {
    const { plugin, endpoints, deliveries, planner } = parts
    this.#plugin = plugin
    this.#endpoints = endpoints
    this.#deliveries = deliveries
    this.#planner = planner
    this.#keep = keep
    const { jobs } = plugin.services
    const forever = { at_once: 1, retries: Infinity, timeout: Infinity }
    jobs.handle(SENDER, { ...forever, delay: 1, run: (_, { signal }) => this.#run(new Sender(parts, signal), signal) })
    jobs.handle(LATER_JOB_NAME, { retries: Infinity, delay: 1, run: () => this.#add() })
  }

  /** Begins to send what this process commits, and what waits. Resolves once it knows whether there is a webhook. */
  async start(config: ConfigEndpoints): Promise<void> {
    if (this.#isStopped) return
    this.#serves = true
    this.#timer = setInterval(() => this.#lookSoon(0), CHECK_INTERVAL_MS).unref()
    await this.#detached(async () => {
      await config.ensure()
      await this.#pokeIfNeeded()
    })
  }

  /** Begins no more. */
  stop(): void {
    this.#serves = false
    this.#isStopped = true
    for (const timer of [this.#timer, this.#gap, this.#look]) clearTimeout(timer)
  }

  /** Hears of changes, its own or those of others; null where anything may have changed. */
  hear(changes: readonly Change[] | null, areOwn: boolean): void {
    const areWebhooks = changes === null || changes.some(({ tags }) => tags.includes(WEBHOOKS_TAG))
    if (areWebhooks) this.#endpoints.forget()
    if (!this.#serves || this.#endpoints.enabled === 0) return
    if (!areWebhooks && !changes.some(isTold)) return
    if (areOwn || areWebhooks || this.#sender !== null) void this.#detached(() => this.#pokeIfNeeded())
    else this.#lookSoon(OTHERS_CHECK_DELAY_MS)
  }

  /** Begins to send where there is a webhook. */
  async #pokeIfNeeded(): Promise<void> {
    if (this.#endpoints.enabled !== null || (await this.#endpoints.active()).length > 0) this.#poke()
  }

  #poke(): void {
    if (!this.#serves) return
    if (this.#sender !== null) return this.#sender.poke()
    if (this.#gap !== undefined) {
      this.#isAskedAgain = true
      return
    }
    this.#gap = setTimeout(() => {
      this.#gap = undefined
      if (!this.#isAskedAgain) return
      this.#isAskedAgain = false
      this.#poke()
    }, JOB_GAP_MS).unref()
    void this.#detached(() => this.#add())
  }

  async #add(): Promise<void> {
    await this.#plugin.services.jobs.add(SENDER, null, { key: 'sender' })
  }

  /** Looks in a while whether somebody has sent what has changed: commands and imports change much, and send nothing. */
  #lookSoon(milliseconds: number): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined
      if (this.#endpoints.enabled === 0) return
      void this.#detached(async () => {
        if (this.#sender !== null || (await this.#planner.isBehind())) this.#poke()
      })
    }, milliseconds).unref()
  }

  /** Runs what is about no request, though a request set it off; where the database is away, again later. */
  async #detached(work: () => Promise<void>): Promise<void> {
    try {
      await runDetached(() => withoutDependencies(work))
    } catch (err) {
      // A stop closes the database while work is in progress.
      if (this.#isStopped) return
      this.#plugin.log.error({ err }, 'webhooks were not looked at')
      if (this.#serves) this.#lookSoon(OTHERS_CHECK_DELAY_MS)
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
    // Somebody has poked it when it was about to end.
    if (sender.isBehind) this.#poke()
    if (next < Infinity)
      await this.#plugin.services.jobs.add(LATER_JOB_NAME, null, { key: 'later', at: new Date(next) })
    if (performance.now() - this.#cleanedAt < CLEANING_INTERVAL_MS && this.#cleanedAt > 0) return
    this.#cleanedAt = performance.now()
    await this.#deliveries.forget(Date.now() - this.#keep * DAY_MS)
  }
}
