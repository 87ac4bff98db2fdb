import { definePlugin, partOf } from '../../../kernel/index.ts'
import { Feed } from './feed.ts'
import { registerRoutes } from './routes.ts'
import type { SeenChanges } from './seen-change.ts'
import { ReadChanges } from './seen-changes.ts'

export { isWanted } from './filter.ts'
export { KINDS, objectOf, SECRET_KINDS } from './kinds.ts'
export type { SeenChange, SeenChanges } from './seen-change.ts'

/** How changes are told as they come. */
export interface ChangeFeedOptions {
  /** Clients that may listen at a time. Each worker has its part, at least one. */
  streams: number
  /** Clients of one network (an IPv4 address, 64 bits of an IPv6 address) that may. Each worker has its part, at least one. */
  streams_per_network: number
  /** Seconds after which a client hears that the connection is alive. */
  heartbeat: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * What users may know of what has changed.
     * @example
     * const changes = await services.changeHistory.after(0, 100)
     * const seen = await services.changeFeed.seenBy(request.user, changes)
     */
    changeFeed: SeenChanges
  }
}

/** Sends clients the changes that they may see: as pages of a list, or as a stream of events. */
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
      streams: partOf(streams, worker),
      perNetwork: partOf(perNetwork, worker),
      heartbeat,
    })
    provide('changeFeed', seen)
    services.changes.onCommit(feed.wake)
    services.changes.onOthers(feed.wake)
    services.changes.onRestored(feed.restart)
    services.changeHistory.keepFrom(() => feed.needed())
    hooks.rest_api_init.tap('change-feed', (server) => registerRoutes(server, plugin, seen, feed))
    onRemove(() => feed.stop(), 'subscribers of the changes')
  },
})
