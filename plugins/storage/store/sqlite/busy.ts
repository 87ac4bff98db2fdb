import { setTimeout as delay } from 'node:timers/promises'
import { currentWork } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'

/** Milliseconds to wait for another process to release the file, where nobody says how long a request may take. */
export const busyLimit = 10_000

/**
 * Calls `act` again as long as another process has the file locked.
 *
 * @param until when, in milliseconds of the process's clock
 * @throws StoreError STORE_BUSY; what the work that it is done for was aborted with
 */
export async function retryWhileBusy<T>(act: () => T | Promise<T>, until = performance.now() + busyLimit): Promise<T> {
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await act()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > until) {
        throw errors.STORE_BUSY('another process has kept it locked for too long', { cause: error })
      }
      await delay(pause)
      currentWork()?.throwIfAborted()
    }
  }
}

/** SQLITE_BUSY and its extended codes (https://sqlite.org/rescode.html#busy). */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && ((error as { errcode?: number }).errcode ?? 0) % 256 === 5
}
