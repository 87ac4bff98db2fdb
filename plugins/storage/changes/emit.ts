import { runAction, runDetached, type PluginContext } from '../../../kernel/index.ts'
import { withoutDependencies } from '../../library/caching/index.ts'
import type { Change } from '../store/index.ts'

/** Runs `content_changed` once per transaction, in commit order. Writers do not wait for it. */
export function emitChanges({ hooks, services, log, onRemove }: PluginContext): void {
  let last: Promise<void> = Promise.resolve()
  const emit = async (changes: readonly Change[]) => {
    try {
      await runAction(hooks.content_changed, changes)
    } catch (err) {
      log.error({ err }, 'a tap of content_changed failed')
    }
  }
  // Registered before the listener, because removal runs in reverse order: it removes the listener first, and then
  // waits for the actions that the listener has started.
  onRemove(() => last, 'running content_changed actions')
  services.store.changes.onCommit((changes) => {
    if (!hooks.content_changed.isUsed()) return
    last = runDetached(() => withoutDependencies(() => last.then(() => emit(changes))))
  })
}
