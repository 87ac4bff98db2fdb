import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PluginContext } from '../../../kernel/index.ts'
import { Semaphore } from '../../library/long-work/index.ts'
import { errors } from './errors.ts'
import { eventsOf, type Events } from './events.ts'
import { filterChanges } from './filter.ts'
import type { SeenChanges } from './seen-change.ts'
import { startOf } from './start.ts'
import type { Subscriber } from './subscriber.ts'

/** Changes read in one query. */
export const CHANGES_PER_PAGE = 200
/** Pages read at the same time, for all subscribers together. */
const MAX_CONCURRENT_PAGES = 1

/** The next events for a subscriber, or the ID from which it must start again. */
export type MissedResult = { readonly events: readonly Events[] } | { readonly reset: number }

/**
 * Reads the changes that subscribers have missed. Subscribers with the same position share a read, and reads yield to
 * requests.
 */
export class MissedChanges {
  readonly #plugin: PluginContext
  readonly #seenChanges: SeenChanges
  readonly #places = new Semaphore(MAX_CONCURRENT_PAGES, Infinity, errors.rest_changes_busy)
  readonly #pages = new Map<string, Promise<MissedResult>>()

  constructor(plugin: PluginContext, seen: SeenChanges) {
    this.#plugin = plugin
    this.#seenChanges = seen
  }

  /** Reads the next page of missed changes of a subscriber. */
  next(subscriber: Subscriber): Promise<MissedResult> {
    const { identity, filterKey, last } = subscriber
    const key = `${last} ${identity.key} ${filterKey}`
    let page = this.#pages.get(key)
    if (page === undefined) {
      page = this.#places.run(() => this.#readPage(subscriber, last)).finally(() => this.#pages.delete(key))
      this.#pages.set(key, page)
    }
    return page
  }

  async #readPage({ identity: { user }, filter }: Subscriber, last: number): Promise<MissedResult> {
    await nextTurn()
    const { changeHistory } = this.#plugin.services
    const changes = await changeHistory.after(last, CHANGES_PER_PAGE)
    if (changes[0]?.id !== last + 1) {
      // Another process may have deleted changes in the meantime.
      const start = startOf(last, await changeHistory.bounds())
      if (start.fault !== null) return { reset: start.last }
    }
    const seen = await this.#seenChanges.seenBy(user, changes)
    return { events: eventsOf(filterChanges(seen, filter), changes.at(-1)?.id ?? last) }
  }
}
