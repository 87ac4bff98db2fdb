import { definePlugin, OwnedMap } from '../../../kernel/index.ts'
import { fragmentsOf } from '../../library/caching/index.ts'
import type { StoreChanges } from '../store/index.ts'
import { StoredHistory, type ChangeHistory } from './history.ts'
import { changesHooks } from './hooks.ts'
import type { ChangeReader, ChangeReaders } from './readers.ts'
import { scheduleRetention } from './retention.ts'
import { emitChanges } from './emit.ts'

export type { Change } from '../store/index.ts'
export type { ChangeHistory, HistoryBounds, PostAt, PostMoment } from './history.ts'
export { VISIBLE_TO_ALL, wholeChange, withoutGlimpses } from './readers.ts'
export type { ChangeReader, ChangeReaders, SeenSides, SeenState } from './readers.ts'

/** Options of the record of changes. */
export interface ChangesOptions {
  /** Days for which changes are stored. Webhooks, feeds and other processes must read them within this time. */
  days: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Records of committed changes, from this and other processes.
     * @example
     * await services.changes.touch(['stock:7'])
     */
    changes: StoreChanges
    /**
     * The changes of the last days by their numbers, for consumers that continue from a stored position.
     * @example
     * const { last } = await services.changeHistory.bounds()
     * // Later, perhaps in another process:
     * const changes = await services.changeHistory.after(last, 100)
     */
    changeHistory: ChangeHistory
    /**
     * Readers that decide which changes users see, by kind: `post`, `term` …, or with a name: `table:plants` for a table of
     * a plugin, `option:garden_name`, `tag:stock` for touched tags such as `stock:7`. Changes of options, tables and tags
     * without a reader are visible only to users who manage the site.
     * @example
     * services.changeReaders.set('table:plants', {
     *   read: (user, changes) =>
     *     changes.map(({ tags }) => ({ before: {}, after: services.capabilities.can(user, 'read') ? {} : null, tags })),
     * })
     */
    changeReaders: ChangeReaders
  }
}

/** Reports changes of the data after they are committed, including changes of other processes. */
export default definePlugin<ChangesOptions>({
  name: 'changes',
  needs: ['store'],
  provides: ['changes', 'changeHistory', 'changeReaders'],
  options: { days: { default: 7, type: 'number', minimum: 0.01 } },
  hooks: changesHooks,
  apply(plugin, { days }) {
    const { hooks, provide, services } = plugin
    const { changes } = services.store
    const history = new StoredHistory(services.store)
    provide('changes', changes)
    provide('changeHistory', history)
    provide('changeReaders', new OwnedMap<ChangeReader>('reader of changes'))
    hooks.rest_api_init.tap('changes', (server) => fragmentsOf(server).keepBy(changes))
    emitChanges(plugin)
    scheduleRetention(plugin, history, days)
  },
})
