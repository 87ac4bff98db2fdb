import type { PluginContext } from '../../../kernel/index.ts'
import type { StoredHistory } from './history.ts'

const CHECK_INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000
/** Rows deleted by one statement. Small batches block writers only for a moment. */
const ROWS_PER_BATCH = 2000

/**
 * Deletes changes older than `days` in the background, except changes that are still needed and the newest, from which
 * the numbering continues.
 */
export function scheduleRetention(plugin: PluginContext, history: StoredHistory, days: number): void {
  const { hooks, services, log, onRemove } = plugin
  const { store } = services
  const { db } = store
  const deleteOldChanges = async () => {
    const { last } = await history.bounds()
    const old = db
      .selectFrom('changes')
      .select('id')
      .where('time', '<', Date.now() - days * DAY_MS)
      .where('id', '<', Math.min(last, await history.firstNeeded()))
    for (let removed = ROWS_PER_BATCH; removed === ROWS_PER_BATCH;) {
      const { changes } = await store.run(
        db.deleteFrom('changes').where('id', 'in', old.orderBy('time').limit(ROWS_PER_BATCH)),
      )
      removed = changes
    }
  }
  const attempt = () => deleteOldChanges().catch((err: unknown) => log.warn({ err }, 'failed to remove old changes'))
  hooks.server_listening.tapPromise('changes', async () => void attempt())
  const timer = setInterval(() => void attempt(), CHECK_INTERVAL_MS).unref()
  onRemove(() => clearInterval(timer), 'timer of old changes')
}
