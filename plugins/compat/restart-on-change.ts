import type { Change, PluginContext } from '../public.ts'

/** Definitions that take effect when the server starts. */
interface WatchedDefinitions {
  /** Returns whether a change can affect the definitions. */
  isRelevant: (change: Change) => boolean
  /** Returns a text that differs if the definitions do. */
  fingerprint: () => Promise<string>
  /** Reason for the log: `content types were changed`. */
  reason: string
}

/**
 * Asks for new workers when definitions in the database differ from the ones that this process has read at its start.
 * One worker checks, because the primary replaces all of them.
 */
export function restartOnChange(plugin: PluginContext, started: string, watched: WatchedDefinitions): void {
  const { log, onRemove, requestRestart, services, worker } = plugin
  if (worker.number !== 1) return
  let reported = started
  const check = async () => {
    const current = await watched.fingerprint()
    if (current !== reported && current !== started) requestRestart(watched.reason)
    reported = current
  }
  const note = (changes: readonly Change[] | null) => {
    if (changes !== null && !changes.some(({ kind }) => kind === 'all') && !changes.some(watched.isRelevant)) return
    check().catch((err: unknown) => log.warn({ err }, 'reading changed definitions failed'))
  }
  onRemove(services.changes.onCommit(note), 'check for changed definitions')
  onRemove(services.changes.onOthers(note), 'check for changed definitions')
}
