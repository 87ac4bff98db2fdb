import type { PluginContext } from '../../../kernel/index.ts'
import type { StoredHistory } from './history.ts'

/** Milliseconds between two looks at what is too old. */
const CHECK_INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000
/** Rows that are removed in one go, so that writers wait for a moment at most. */
const ROWS_PER_BATCH = 2000

/** Forgets changes that are older than some days and that nobody needs, but for the newest: numbers go on behind it. */
export function keepFor(plugin: PluginContext, history: StoredHistory, days: number): void {
  const { hooks, services, log, onRemove } = plugin
  const { store } = services
  const { db } = store
  const forget = async () => {
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
  const attempt = () => forget().catch((err: unknown) => log.warn({ err }, 'old changes could not be removed'))
  hooks.server_listening.tapPromise('changes', async () => void attempt())
  const timer = setInterval(() => void attempt(), CHECK_INTERVAL_MS).unref()
  onRemove(() => clearInterval(timer), 'timer of old changes')
}
