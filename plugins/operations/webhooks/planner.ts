import type { PluginContext } from '../../../kernel/index.ts'
import type { Deliveries } from './deliveries.ts'
import { WEBHOOKS_TAG, type Endpoints } from './endpoints.ts'
import { isTold, type Messages } from './messages.ts'

/** Changes that are looked through in one go, and deliveries that are made of them: they are held in memory meanwhile. */
const CHANGES_PER_PAGE = 500
const MOST_DELIVERIES = 5000

/** What one look at the changes came to. */
export interface Plan {
  /** IDs of the webhooks that are told of something. */
  readonly told: ReadonlySet<number>
  /** Whether there may be more changes. */
  readonly isMore: boolean
}

/** Makes deliveries of changes, in their order and each once. */
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
   * Looks through the next changes. The deliveries are stored with the number up to which that was done: whoever is
   * killed in between has done nothing.
   */
  async plan(): Promise<Plan> {
    const { changeHistory } = this.#plugin.services
    const cursor = await this.#deliveries.cursor()
    if (cursor === undefined) return { told: new Set(), isMore: false }
    const { length: told } = await this.#endpoints.active()
    const page = Math.min(CHANGES_PER_PAGE, Math.ceil(MOST_DELIVERIES / Math.max(told, 1)))
    const changes = await changeHistory.after(cursor, page)
    const last = changes.at(-1)
    if (last === undefined) return { told: new Set(), isMore: false }
    // What another process has changed of webhooks counts from there on, whether this one has heard of it or not.
    if (changes.some(({ tags }) => tags.includes(WEBHOOKS_TAG))) this.#endpoints.forget()
    const planned = await this.#messages.of(changes, await this.#endpoints.active())
    const isStored = await this.#deliveries.plan(planned, cursor, last.id)
    return {
      told: new Set(isStored ? planned.map(({ webhook }) => webhook) : []),
      isMore: !isStored || changes.length === page,
    }
  }

  /** Whether there are changes that somebody may be told of and nobody has looked at. */
  async isBehind(): Promise<boolean> {
    const cursor = await this.#deliveries.cursor()
    if (cursor === undefined) return false
    const changes = await this.#plugin.services.changeHistory.after(cursor, CHANGES_PER_PAGE)
    return changes.length === CHANGES_PER_PAGE || changes.some(isTold)
  }

  /** Where changes were forgotten that nobody was told of, tells each webhook that anything may have changed. */
  async catchUp(): Promise<void> {
    const { changeHistory } = this.#plugin.services
    const cursor = await this.#deliveries.cursor()
    if (cursor === undefined) return
    const { first } = await changeHistory.bounds()
    // The change of the cursor is kept while webhooks run, so that a gap behind it is none.
    if (first <= Math.max(cursor, 1)) return
    const endpoints = await this.#endpoints.active()
    const planned = this.#messages.ofEverything(endpoints, first - 1)
    if (!(await this.#deliveries.plan(planned, cursor, first - 1))) return
    this.#plugin.log.warn(
      { from: cursor, to: first - 1 },
      'changes were forgotten before webhooks were told of them: they are told that anything may have changed',
    )
  }
}
