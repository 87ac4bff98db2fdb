import { definePlugin, shareOf } from '../../../kernel/index.ts'
import { Feed } from './feed.ts'
import { registerRoutes } from './routes.ts'
import type { SeenChanges } from './seen-change.ts'
import { ReadChanges } from './seen-changes.ts'

export { matchesFilter } from './filter.ts'
export { KINDS, objectOf, SECRET_KINDS } from './kinds.ts'
export type { SeenChange, SeenChanges } from './seen-change.ts'

/** Limits of the streams of changes. */
export interface ChangeFeedOptions {
  /** Maximum number of concurrent streams. Divided among the workers, at least one each. */
  streams: number
  /**
   * Maximum number of concurrent streams per network (an IPv4 address, or 64 bits of an IPv6 address). Divided among
   * the workers, at least one each.
   */
  streams_per_network: number
  /** Seconds between two keep-alive messages on a stream. */
  heartbeat: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Filters changes by user permissions.
     * @example
     * const changes = await services.changeHistory.after(0, 100)
     * const seen = await services.changeFeed.seenBy(request.user, changes)
     */
    changeFeed: SeenChanges
  }
}

/** Sends clients the changes that they may see, as pages of a list or as a stream of events. */
export default definePlugin<ChangeFeedOptions>({
  name: 'change-feed',
  needs: ['resources', 'changes', 'roles'],
  formerServices: { seenChanges: 'changeFeed' },
  provides: ['changeFeed'],
  options: {
    streams: { default: 5000, type: 'integer', minimum: 0 },
    streams_per_network: { default: 100, type: 'integer', minimum: 0 },
    heartbeat: { default: 15, type: 'number', minimum: 0.05, maximum: 3600 },
  },
  apply(plugin, { streams, streams_per_network: perNetwork, heartbeat }) {
    const { hooks, onRemove, provide, services, worker } = plugin
    const seen = new ReadChanges(services)
    const feed = new Feed(plugin, seen, {
      streams: shareOf(streams, worker),
      perNetwork: shareOf(perNetwork, worker),
      heartbeat,
    })
    provide('changeFeed', seen)
    services.changes.onCommit(feed.wake)
    services.changes.onOthers(feed.wake)
    services.changes.onRestored(feed.restart)
    services.changeHistory.retainFrom(() => feed.oldestNeeded())
    hooks.rest_api_init.tap('change-feed', (server) => registerRoutes(server, plugin, seen, feed))
    onRemove(() => feed.stop(), 'subscribers of the change feed')
  },
})
