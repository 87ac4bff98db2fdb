import type { PluginContext } from '../../../kernel/index.ts'
import type { Deliveries } from './deliveries.ts'
import { WEBHOOKS_TAG, type Endpoints } from './endpoints.ts'
import { isSent, type Messages } from './messages.ts'

/** Changes read in one batch, and deliveries created from them. Both are held in memory. */
const CHANGES_PER_PAGE = 500
const MAX_DELIVERIES_PER_BATCH = 5000

/** The result of processing one batch of changes. */
export interface Plan {
  /** IDs of the webhooks for which deliveries were created. */
  readonly notified: ReadonlySet<number>
  /** Whether there may be more changes. */
  readonly isMore: boolean
}

/** Creates deliveries from changes, in order and exactly once. */
export class Planner {
  readonly #plugin: PluginContext
  readonly #endpoints: Endpoints
  readonly #deliveries: Deliveries
  readonly #messages: Messages

  constructor(plugin: PluginContext, endpoints: Endpoints, deliveries: Deliveries, messages: Messages) {
    this.#plugin = plugin
    this.#endpoints = endpoints
    this.#deliveries = deliveries
    this.#messages = messages
  }

  /**
   * Processes the next batch of changes. The deliveries and the cursor are stored in one transaction, so a process
   * killed in between has stored neither.
   */
  async plan(): Promise<Plan> {
    const { changeHistory } = this.#plugin.services
    const cursor = await this.#deliveries.cursor()
    if (cursor === undefined) return { notified: new Set(), isMore: false }
    const { length: count } = await this.#endpoints.active()
    const page = Math.min(CHANGES_PER_PAGE, Math.ceil(MAX_DELIVERIES_PER_BATCH / Math.max(count, 1)))
    const changes = await changeHistory.after(cursor, page)
    const last = changes.at(-1)
    if (last === undefined) return { notified: new Set(), isMore: false }
    // Changes to webhooks by another process apply from here on, even if the notification has not arrived yet.
    if (changes.some(({ tags }) => tags.includes(WEBHOOKS_TAG))) this.#endpoints.forget()
    const planned = await this.#messages.of(changes, await this.#endpoints.active())
    const isStored = await this.#deliveries.plan(planned, cursor, last.id)
    return {
      notified: new Set(isStored ? planned.map(({ webhook }) => webhook) : []),
      isMore: !isStored || changes.length === page,
    }
  }

  /** Whether there are unprocessed changes that may have to be sent. */
  async isBehind(): Promise<boolean> {
    const cursor = await this.#deliveries.cursor()
    if (cursor === undefined) return false
    const changes = await this.#plugin.services.changeHistory.after(cursor, CHANGES_PER_PAGE)
    return changes.length === CHANGES_PER_PAGE || changes.some(isSent)
  }

  /** If changes were deleted before they were processed, notifies every webhook that anything may have changed. */
  async catchUp(): Promise<void> {
    const { changeHistory } = this.#plugin.services
    const cursor = await this.#deliveries.cursor()
    if (cursor === undefined) return
    const { first } = await changeHistory.bounds()
    // While webhooks run, the change at the cursor is retained. Only if it is missing, later ones may be missing too.
    if (first <= Math.max(cursor, 1)) return
    const endpoints = await this.#endpoints.active()
    const planned = this.#messages.ofEverything(endpoints, first - 1)
    if (!(await this.#deliveries.plan(planned, cursor, first - 1))) return
    this.#plugin.log.warn(
      { from: cursor, to: first - 1 },
      'changes were deleted before they were sent to webhooks: notifying every webhook that anything may have changed',
    )
  }
}
