import { LRUCache } from 'lru-cache'
import { runDetached } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'

/** Notes when and from where application passwords are used, without a write for each request. */
export interface Usage {
  /** Notes a use. Written a moment later, at most once a minute for each password. */
  note(use: { id: number; lastUsed: number | null; ip: string }): void
  /** Writes what is noted. */
  flush(): Promise<void>
}

/** Seconds between two notes of one password. */
const INTERVAL = 60
/** Milliseconds that notes are gathered before they are written together. */
const GATHER = 1000
/** How many passwords are remembered. */
const MOST = 10_000

/**
 * Notes of use over the table `application_passwords`.
 * @param onFailure told when notes could not be written; they are lost
 */
export function createUsage(store: Store, onFailure: (error: unknown) => void, now: () => number = Date.now): Usage {
  const noted = new LRUCache<number, number>({ max: MOST })
  let pending = new Map<number, string>()
  let timer: NodeJS.Timeout | undefined
  const seconds = () => Math.floor(now() / 1000)

  const usage: Usage = {
    note({ id, lastUsed, ip }) {
      const at = seconds()
      if (at - (noted.get(id) ?? lastUsed ?? 0) < INTERVAL) return
      noted.set(id, at)
      pending.set(id, ip)
      timer ??= runDetached(() => setTimeout(() => void usage.flush().catch(onFailure), GATHER).unref())
    },

    async flush() {
      clearTimeout(timer)
      timer = undefined
      if (pending.size === 0) return
      const uses = pending
      pending = new Map()
      const at = seconds()
      // In turn, so that it never waits for somebody who deletes some of them, and they for it.
      await store.inTurn(async (tx) => {
        for (const [id, ip] of uses) {
          await tx.run(
            tx.db
              .updateTable('application_passwords')
              .set({ last_used: at, last_ip: ip })
              .where('id', '=', id)
              // Another process may have just noted it.
              .where((of) => of.or([of('last_used', 'is', null), of('last_used', '<=', at - INTERVAL)])),
          )
        }
      })
    },
  }
  return usage
}
