import { definePlugin } from '../../../kernel/index.ts'
import type { StoreChanges } from '../store/index.ts'
import { changesHooks } from './hooks.ts'
import { keepFor } from './retention.ts'
import { tellChanges } from './tell.ts'

export type { Change } from '../store/index.ts'

/** How long the numbers of changes are kept. */
export interface ChangesOptions {
  /** Days after which changes are forgotten: webhooks, feeds and other processes learn of them meanwhile. */
  days: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * What has changed when, here and in other processes.
     * @example
     * await services.changes.touch(['stock:7'])
     */
    changes: StoreChanges
  }
}

/** Tells what has changed, whoever changed it, once it is committed. */
export default definePlugin<ChangesOptions>({
  name: 'changes',
  needs: ['store'],
  provides: ['changes'],
  options: { days: { default: 7, type: 'number', minimum: 0.01 } },
  hooks: changesHooks,
  apply(plugin, { days }) {
    const { hooks, provide, services } = plugin
    const { changes } = services.store
    provide('changes', changes)
    hooks.rest_api_init.tap('changes', ({ fragments }) => fragments.keepBy(changes))
    tellChanges(plugin)
    keepFor(plugin, days)
  },
})
