import { definePlugin } from '../../../kernel/index.ts'
import { Feed } from './feed.ts'
import { registerRoutes } from './routes.ts'
import type { SeenChanges } from './seen-change.ts'
import { ReadChanges } from './seen-changes.ts'

export { isWanted } from './filter.ts'
export { KINDS, objectOf, SECRET_KINDS } from './kinds.ts'
export type { SeenChange, SeenChanges } from './seen-change.ts'

/** How changes are told as they come. */
export interface ChangeFeedOptions {
  /** Clients that may listen to one process at a time. */
  streams: number
  /** Clients of one network (an IPv4 address, 64 bits of an IPv6 address) that may. */
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
     * const seen = await services.seenChanges.seenBy(request.user, changes)
     */
    seenChanges: SeenChanges
  }
}

/** Tells clients what has changed, each what they may know of it: in pages, or as it happens. */
export default definePlugin<ChangeFeedOptions>({
  name: 'change-feed',
  needs: ['changes', 'roles'],
  provides: ['seenChanges'],
  options: {
    streams: { default: 5000, type: 'integer', minimum: 0 },
    streams_per_network: { default: 100, type: 'integer', minimum: 0 },
    heartbeat: { default: 15, type: 'number', minimum: 0.05, maximum: 3600 },
  },
  apply(plugin, { streams, streams_per_network: perNetwork, heartbeat }) {
    const { hooks, onRemove, provide, services } = plugin
    const seen = new ReadChanges(services)
    const feed = new Feed(plugin, seen, { streams, perNetwork, heartbeat })
    provide('seenChanges', seen)
    services.changes.onCommit(feed.wake)
    services.changes.onOthers(feed.wake)
    services.changes.onRestored(feed.restart)
    services.changeHistory.keepFrom(() => feed.needed())
    hooks.rest_api_init.tap('change-feed', (server) => registerRoutes(server, plugin, seen, feed))
    onRemove(() => feed.stop(), 'subscribers of the changes')
  },
})
